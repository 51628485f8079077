"""Loads, stores and atomics of the interpreter: checked before memory is touched, and observed.

Triton's interpreter dereferences the addresses a kernel computes, in its own process. Here every
lane is compared with the storages of the launch first; a lane outside is not touched, loads 0 and
is recorded. Whoever observes gets every access with its addresses, program and source line.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from playground.engine.triton_private.interpreter_access import place
from playground.engine.triton_private.interpreter_arithmetic import values
from playground.engine.triton_private.interpreter_checks import LaunchChecks
from playground.engine.triton_private.interpreter_formats import SMALL, Array, narrow
from playground.engine.triton_private.library_steps import within_sorting
from playground.model.coverage import flop_kind, operation_name, scaled_dot

_INTEGER_POISON = 0x5A


class Memory(LaunchChecks):
    """The replaced memory operations, and everything around them that outlives one launch."""

    def install(self) -> None:
        """Replace the memory operations of Triton's builder."""
        memory = self
        builder = self._interpreter.InterpreterBuilder
        dot, scaled, compute = builder.create_dot, builder.create_dot_scaled, builder.binary_op

        def binary_op(me: Any, lhs: Any, rhs: Any, op: Any) -> Any:
            # A loop that touches no memory can be cancelled as well.
            if memory.check is not None and time.monotonic() > memory._next_check_s:
                memory._look_up()
            return compute(me, lhs, rhs, op)

        # The arguments after these are cache hints; their number differs between versions.
        def masked_load(_me: Any, ptrs: Any, mask: Any, other: Any, *_: Any, **__: Any) -> Any:
            return memory._load(ptrs, mask, other)

        def masked_store(_me: Any, ptrs: Any, value: Any, mask: Any, *_: Any, **__: Any) -> None:
            memory._store(ptrs, value, mask)

        def atomic_cas(me: Any, ptr: Any, cmp: Any, val: Any, sem: Any, _scope: Any) -> Any:
            return memory._compare_and_swap(ptr, cmp, val, me.ir_sem_to_interpreter_sem[sem])

        def atomic_rmw(
            me: Any, op: Any, ptr: Any, val: Any, mask: Any, sem: Any, _scope: Any
        ) -> Any:
            native_op = me.ir_rmw_op_to_interpreter_rmw_op[op]
            return memory._update(native_op, ptr, val, mask, me.ir_sem_to_interpreter_sem[sem])

        def observed_dot(me: Any, a: Any, b: Any, *rest: Any) -> Any:
            memory._note_dot(a, b, rest[1])  # rest: acc, precision, max_num_imprecise_acc
            return dot(me, a, b, *rest)

        def observed_dot_scaled(me: Any, a: Any, a_scale: Any, a_format: Any, b: Any,
                                *rest: Any) -> Any:  # fmt: skip
            # rest: rhs_scale, rhs_format, fast_math, lhs_k_pack, rhs_k_pack, acc
            memory._note_dot_scaled(a, b, (a_format, rest[1]), rest[4])
            return scaled(me, a, a_scale, a_format, b, *rest)

        builder.create_masked_load = masked_load
        builder.create_masked_store = masked_store
        builder.create_atomic_cas = atomic_cas
        builder.create_atomic_rmw = atomic_rmw
        builder.create_dot = observed_dot
        builder.create_dot_scaled = observed_dot_scaled
        builder.binary_op = binary_op
        self._install_padding(builder)
        self._watch("reduce", self._interpreter.ReduceOps)
        self._watch("scan", self._interpreter.ScanOps)

    def _watch(self, kind: str, operations: Any) -> None:
        """Tell observers of the reductions or scans that a class of the interpreter applies."""
        memory, apply = self, operations.apply_impl

        def observed(op: Any, inputs: Any) -> Any:
            if memory._observers and not within_sorting():
                shape = inputs[0].handle.data.shape
                lanes = math.prod(shape)
                length = lanes if op.axis is None else shape[op.axis]
                combined_by = getattr(getattr(op.combine_fn, "fn", None), "__name__", "")
                name = operation_name(kind, combined_by)
                for observer in memory._observers:
                    observer.on_operations(name, lanes // length * (length - 1))
            return apply(op, inputs)

        operations.apply_impl = observed

    def _note_dot(self, a: Any, b: Any, precision: Any) -> None:
        for observer in self._observers:
            *batch, m, k = a.data.shape
            rows = m * int(np.prod(batch, dtype=np.int64))
            kind = flop_kind(a.dtype.scalar.name, str(precision))
            observer.on_dot(rows, b.data.shape[-1], k, kind)

    def _note_dot_scaled(self, a: Any, b: Any, formats: tuple[Any, Any], packed: Any) -> None:
        e2m1 = self._interpreter._ir.ScaleDotElemTypeTY.E2M1
        fp4 = formats[0] == e2m1, formats[1] == e2m1
        told = scaled_dot(a.data.shape, b.data.shape[-1], fp4, bool(packed))
        for observer in self._observers:
            observer.on_dot(*told)

    def _install_padding(self, builder: Any) -> None:
        """Make the padding of descriptors and block pointers work for every float type."""
        memory = self
        to_tf32 = getattr(self._interpreter, "_round_f32_to_tf32", None)

        def descriptor_load(_me: Any, desc: Any, indices: Any, *_: Any, **__: Any) -> Any:
            ptrs, mask = desc.materialize_pointers(indices)
            result = memory._load(ptrs, mask, memory._padding(ptrs, desc.padding))
            if to_tf32 is not None and desc.round_f32_to_tf32 and result.dtype.name == "fp32":
                result.data = to_tf32(result.data)
            return result

        def pointer_load(
            _me: Any, ptr: Any, boundary_check: Any, padding: Any, *_: Any, **__: Any
        ) -> Any:
            ptrs, mask = ptr.materialize_pointers(boundary_check)
            return memory._load(ptrs, mask, memory._padding(ptrs, padding))

        def descriptor_reduce(me: Any, kind: Any, desc: Any, value: Any, indices: Any) -> None:
            ptrs, mask = desc.materialize_pointers(indices)
            name = str(kind).rpartition(".")[2]
            scalar = value.dtype.scalar
            if scalar.is_floating() and name == "ADD":
                name = "FADD"
            elif scalar.is_int_unsigned() and name in ("MIN", "MAX"):
                name = f"U{name}"
            operation = getattr(memory._native.RMW_OP, name)
            relaxed = memory._native.MEM_SEMANTIC.RELAXED
            memory._update(operation, ptrs, value, mask, relaxed)

        # Rows that are given by their numbers are one access, as on a GPU.
        def rows_of(desc: Any, rows: Any, column: Any) -> tuple[Any, Any]:
            parts = [
                desc.materialize_pointers([memory._handle(row, rows.dtype.scalar), column])
                for row in rows.data
            ]
            ptrs = np.concatenate([one.data for one, _ in parts])
            masks = [np.asarray(getattr(mask, "data", mask)) for _, mask in parts]
            handle = memory._interpreter.TensorHandle
            tl = memory._interpreter.tl
            return handle(ptrs, parts[0][0].dtype), handle(np.concatenate(masks), tl.int1)

        def descriptor_gather(
            _me: Any, desc: Any, x_offsets: Any, y_offset: Any, *_: Any, **__: Any
        ) -> Any:
            ptrs, mask = rows_of(desc, x_offsets, y_offset)
            return memory._load(ptrs, mask, memory._padding(ptrs, desc.padding))

        def descriptor_scatter(
            _me: Any, desc: Any, value: Any, x_offsets: Any, y_offset: Any
        ) -> None:
            ptrs, mask = rows_of(desc, x_offsets, y_offset)
            memory._store(ptrs, value, mask)

        builder.create_descriptor_gather = descriptor_gather
        builder.create_descriptor_scatter = descriptor_scatter
        builder.create_descriptor_reduce = descriptor_reduce
        builder.create_descriptor_load = descriptor_load
        if hasattr(builder, "create_tensor_pointer_load"):  # before 3.9
            builder.create_tensor_pointer_load = pointer_load

    def _padding(self, ptrs: Any, padding: Any) -> Any:
        if padding is None:
            return None
        options = self._interpreter._ir.PADDING_OPTION
        fill = np.nan if padding == options.PAD_NAN else 0.0
        return self._arithmetic.make(np.full(ptrs.data.shape, fill), ptrs.get_element_ty())

    def _lanes(self, ptrs: Any, mask: Any) -> tuple[Array, Array]:
        addresses = ptrs.data
        # Before 3.9, block pointers come with a bare array.
        active = np.asarray(mask if isinstance(mask, np.ndarray) else mask.data)
        if active.shape != addresses.shape:
            addresses, active = np.broadcast_arrays(addresses, active)
        return addresses, active

    def _fill(self, shape: tuple[int, ...], element: Any, dtype: np.dtype[Any]) -> Array:
        """Return what lanes without a value load: 0, or the poison that was asked for."""
        if not self._fills or not self._fills[-1].here:
            return np.zeros(shape, dtype)
        value = self._fills[-1].value
        if element.name in SMALL:
            return np.full(shape, narrow(np.array(value), element.name), dtype)
        if dtype.kind == "f":
            return np.full(shape, np.float64(value).astype(dtype), dtype)
        if dtype.kind == "b":
            return np.ones(shape, dtype)
        return np.full(shape, int.from_bytes(bytes([_INTEGER_POISON] * dtype.itemsize)), dtype)

    def _load(self, ptrs: Any, mask: Any, other: Any) -> Any:
        element = ptrs.get_element_ty()
        dtype = self._interpreter._get_np_dtype(element)
        addresses, active = self._lanes(ptrs, mask)
        touched, lost = self._enter("load", ptrs, addresses, active, dtype.itemsize)
        open_lanes = lost is not None
        if lost is not None or not active.all():
            self.switched_off = True
            open_lanes = open_lanes or other is None
        if open_lanes:
            self.launch.open_lanes = True
            if self._fills:
                self._fills[-1].enter(place())
        fill = self._fill(addresses.shape, element, dtype) if other is None else other.data
        result = self._native.load(addresses, touched, fill, dtype)
        if lost is not None:
            result[lost] = self._fill((), element, dtype)
        self._note_wait("load", addresses, touched, result)
        return self._handle(result, element)

    def _store(self, ptrs: Any, value: Any, mask: Any) -> None:
        element = ptrs.get_element_ty()
        dtype = self._interpreter._get_np_dtype(element)
        addresses, active = self._lanes(ptrs, mask)
        data = value.data
        if data.dtype != dtype:
            # The native store writes as many bytes as the value has, not as the tensor takes.
            data = data.view(dtype) if data.itemsize == dtype.itemsize else data.astype(dtype)
        data = np.ascontiguousarray(data)

        def changes(lanes: Array) -> Array:
            old = self._native.load(addresses, lanes, np.zeros(addresses.shape, dtype), dtype)
            bits = f"u{dtype.itemsize}"
            changed: Array = old.view(bits) != np.broadcast_to(data, old.shape).view(bits)
            return lanes & changed

        touched, _ = self._enter("store", ptrs, addresses, active, dtype.itemsize, changes)
        self.launch.moved()
        self._native.store(addresses, data, touched)

    def _compare_and_swap(self, ptr: Any, cmp: Any, val: Any, sem: Any) -> Any:
        addresses, expected, new = np.broadcast_arrays(ptr.data, cmp.data, val.data)
        active = np.ones(addresses.shape, dtype=bool)
        touched, lost = self._enter("atomic", ptr, addresses, active, expected.itemsize)
        if lost is None:
            result = self._native.atomic_cas(addresses, expected, new, sem)
        else:
            result = np.zeros_like(expected)
            if touched.any():
                result[touched] = self._native.atomic_cas(
                    addresses[touched], expected[touched], new[touched], sem
                )
        self._note_wait("cas", addresses, touched, result)
        return self._handle(result, cmp.dtype.scalar)

    def _update(self, op: Any, ptr: Any, val: Any, mask: Any, sem: Any) -> Any:
        addresses, active = self._lanes(ptr, mask)
        scalar = val.dtype.scalar
        touched, lost = self._enter("atomic", ptr, addresses, active, val.data.itemsize)
        if scalar.name in SMALL and op == self._native.RMW_OP.FADD:
            result = self._add_small(addresses, val, touched)
        elif op == self._native.RMW_OP.XCHG and val.data.dtype.kind == "f":
            # The native exchange takes integers only: the bits are the same.
            bits = val.data.view(f"i{val.data.itemsize}")
            swapped = self._native.atomic_rmw(op, addresses, bits, touched, sem)
            result = swapped.view(val.data.dtype)
        else:
            result = self._native.atomic_rmw(op, addresses, val.data, touched, sem)
        if lost is not None:
            result[lost] = 0
        self._note_wait("rmw", addresses, touched, result)
        return self._handle(result, scalar)

    def _add_small(self, addresses: Array, val: Any, touched: Array) -> Array:
        """Add to bfloat16 memory lane by lane: lanes may share an address."""
        scalar = val.dtype.scalar
        result: Array = np.zeros_like(val.data)
        added = values(val)
        one = np.ones(1, dtype=bool)
        for lane in np.argwhere(touched):
            index = tuple(lane)
            address = addresses[index].reshape(1)
            old = self._native.load(address, one, np.zeros(1, result.dtype), result.dtype)
            total = values(self._handle(old, scalar)) + added[index]
            self._native.store(address, narrow(total, scalar.name), one)
            result[index] = old[0]
        return result
