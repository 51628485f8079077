"""What the scripted engine answers about the compiler's work, for the vector add.

The counts are made up but hang together: the class totals of a line are its instructions, and more
warps mean fewer instructions a thread.
"""

from __future__ import annotations

import difflib

from playground.model.compilations import Block, Change, Fit, Pass, Variant
from playground.model.compiling import CompileReport
from playground.model.config import Config
from playground.model.finding import Finding
from playground.model.machine_code import Access, LineCode, MachineCode
from playground.protocol import messages


class FakeCompiler:
    """A part of `FakeEngine`."""

    spilling = False
    no_passes = ""
    unfit_targets: dict[str, str] = {}  # noqa: RUF012 - tests replace it whole

    def machine_code(self, launch: int, config: Config, target: str) -> MachineCode:
        values = config.as_dict()
        block = int(values.get("BLOCK_SIZE") or values.get("BLOCK") or 1)
        wide = max(block // (128 * int(values.get("num_warps") or 1)), 1)
        lines = (
            LineCode(18, (("integer", 6), ("control", 2))),
            LineCode(19, (("integer", 4),)),
            LineCode(20, (("integer", 9 * wide), ("other", 1))),
            LineCode(
                22, (("wide memory", wide), ("integer", 8 * wide)),
                (Access("load", "global", 128, wide),),
            ),
            LineCode(
                23, (("wide memory", wide), ("integer", 2 * wide)),
                (Access("load", "global", 128, wide),),
                spill_bytes=32 if self.spilling else 0,
            ),
            LineCode(
                24, (("floating point", 4 * wide), ("wide memory", wide), ("barrier", 1)),
                (Access("store", "global", 128, wide),), barriers=1,
            ),
        )  # fmt: skip
        total: dict[str, int] = {"other": 12}
        for line in lines:
            for kind, count in line.counts:
                total[kind] = total.get(kind, 0) + count
        return MachineCode(launch, config, target, lines, tuple(total.items()), 11)  # type: ignore[arg-type]

    def _target(self, target: str | None) -> str:
        return target or self.device.target  # type: ignore[attr-defined,no-any-return]

    def _answer_getcode(self, request: messages.GetCode) -> list[messages.Reply]:
        target = self._target(request.target)
        return [messages.Code(self.machine_code(request.launch, request.config, target))]

    def _answer_getpasses(self, request: messages.GetPasses) -> list[messages.Reply]:
        if self.no_passes:
            finding = Finding("error", "compile", self.no_passes)
            return [messages.Finished(findings=(finding,))]
        diff = "--- before\n+++ after\n@@ -4,2 +4,2 @@\n   %pid = tt.get_program_id x : i32\n"
        diff += "-  %a = arith.addi %b, %c : i32\n+  %a = arith.addi %c, %b : i32\n"
        passes = (
            Pass("inliner", "ttir", False, 12),
            Pass("canonicalize", "ttir", True, 11, diff),
            Pass(
                "tritongpu-coalesce", "ttgir", True, 14, diff + "+  %d = arith.constant 1 : i32\n"
            ),
            Pass("tritongpu-prefetch", "ttgir", False, 14),
        )
        target = self._target(request.target)
        return [messages.Passes(request.launch, request.config, target, passes)]

    def _of(self, launch: int, variant: Variant) -> CompileReport:
        return self.report(launch, variant.config, variant.target)  # type: ignore[attr-defined,no-any-return]

    def _answer_comparecompilations(
        self, request: messages.CompareCompilations
    ) -> list[messages.Reply]:
        left = self._of(request.launch, request.left)
        right = self._of(request.launch, request.right)
        codes = [
            {line.line: line.instructions for line in self.machine_code(
                request.launch, side.config, side.target).lines}
            for side in (request.left, request.right)
        ]  # fmt: skip
        changes = [
            Change("Registers a thread", left.registers, right.registers),
            Change("Spilled", left.spill_bytes, right.spill_bytes, "B"),
            Change("Threads a program", left.threads, right.threads),
        ]
        changes += [
            Change("Instructions", codes[0][line], codes[1][line], line=line)
            for line in codes[0]
            if codes[0][line] != codes[1][line]
        ]
        return [
            messages.ComparedCompilations(request.left, request.right, left, right, tuple(changes))
        ]

    def _answer_getstagediff(self, request: messages.GetStageDiff) -> list[messages.Reply]:
        texts = []
        for side in (request.left, request.right):
            asked = messages.GetIr(request.launch, side.config, request.stage, side.target)
            (reply,) = self._answer_getir(asked)  # type: ignore[attr-defined]
            texts.append(reply.text)
        matcher = difflib.SequenceMatcher(None, texts[0].split("\n"), texts[1].split("\n"))
        blocks = tuple(Block(*code) for code in matcher.get_opcodes())
        return [messages.StageDiff(request.stage, texts[0], texts[1], blocks)]

    def _answer_compileall(self, request: messages.CompileAll) -> list[messages.Reply]:
        replies: list[messages.Reply] = []
        fits = []
        for done, target in enumerate(request.targets, 1):
            report = self.report(request.launch, request.config, target)  # type: ignore[attr-defined]
            reason = self.unfit_targets.get(target)
            finding = Finding("error", "resources", reason or "", "fewer stages")
            fit = Fit(target, None, (finding,)) if reason else Fit(target, report)
            fits.append(fit)
            replies.append(messages.Fitted(fit, done, len(request.targets)))
        return [*replies, messages.FittedAll(request.launch, request.config, tuple(fits))]
