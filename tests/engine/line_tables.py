"""A second reading of a cubin: its ELF sections and DWARF line tables, apart from our own code.

The format is DWARF 2 with one extended opcode of NVIDIA's, 0x90: two numbers, the row (from 1) of
the table that the following rows were inlined at, and a function's name.
"""

from __future__ import annotations

import re
import struct

INLINED_CALL = 0x90


def sections(elf):
    """Return the contents of a 64-bit ELF file's sections by name."""
    (start,) = struct.unpack_from("<Q", elf, 0x28)
    size, count, names = struct.unpack_from("<3H", elf, 0x3A)
    heads = [struct.unpack_from("<IIQQQQ", elf, start + at * size) for at in range(count)]
    texts = elf[heads[names][4] :]
    return {
        texts[name : texts.index(b"\0", name)].decode(): elf[offset : offset + length]
        for name, _, _, _, offset, length in heads
    }


def functions(elf):
    """Return where each function begins and ends, by name, from the symbol table."""
    held = sections(elf)
    names, found = held[".strtab"], {}
    for at in range(0, len(held[".symtab"]), 24):
        name, info, _, _, value, size = struct.unpack_from("<IBBHQQ", held[".symtab"], at)
        if info & 0xF == 2:  # STT_FUNC
            found[names[name : names.index(b"\0", name)].decode()] = (value, value + size)
    return found


class Reader:
    """Reads numbers and names off bytes, first to last."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def leb(self, *, signed=False):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        return value - (1 << shift) if signed and byte & 0x40 else value

    def name(self):
        end = self.data.index(0, self.at)
        text = self.data[self.at : end].decode()
        self.at = end + 1
        return text

    def fixed(self, form):
        (value,) = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return value


def chains(table):
    """Return [(address, chain)], by address: the places from there on, innermost first."""
    read = Reader(table)
    end = read.fixed("<I") + 4
    version = read.fixed("<H")
    assert version in (2, 4)
    program = read.fixed("<I") + read.at
    step = read.byte()
    if version == 4:
        assert read.byte() == 1  # operations an instruction
    _, base, span, first = (read.fixed(form) for form in ("<B", "<b", "<B", "<B"))
    operands = [read.byte() for _ in range(first - 1)]
    folders = []
    while folder := read.name():
        folders.append(folder)
    files = [""]
    while name := read.name():
        folder, _, _ = read.leb(), read.leb(), read.leb()
        files.append(f"{folders[folder - 1]}/{name}" if folder else name)
    read.at = program
    rows = []
    address, file, line, context = 0, 1, 1, 0

    def emit():
        rows.append((address, (files[file], line), context))

    while read.at < end:
        code = read.byte()
        if code >= first:
            address += (code - first) // span * step
            line += base + (code - first) % span
            emit()
        elif code == 0:
            length = read.leb()
            after = read.at + length
            kind = read.byte()
            if kind == INLINED_CALL:
                context = read.leb()
            elif kind == 2:
                address = read.fixed("<Q")
            elif kind == 1:
                rows.append((address, None, 0))
                break
            read.at = after
        elif code == 1:
            emit()
        elif code == 2:
            address += read.leb() * step
        elif code == 3:
            line += read.leb(signed=True)
        elif code == 4:
            file = read.leb()
        elif code == 8:
            address += (255 - first) // span * step
        elif code == 9:
            address += read.fixed("<H")
        else:
            for _ in range(operands[code - 1]):
                read.leb()

    def chain(row):
        places = []
        while row is not None:
            _, place, inlined_at = row
            places.append(place)
            row = rows[inlined_at - 1] if inlined_at else None
        return tuple(places)

    # Of rows at one address the last one counts; the others are the calls it was inlined through.
    return sorted({row[0]: chain(row) for row in rows if row[1]}.items())


def chain_at(table, address):
    """Return the chain of the last row at or before an address."""
    found = ()
    for start, places in table:
        if start > address:
            break
        found = places
    return found


def true_chains(cubin, ptx, addresses):
    """Return the chain of each address: its place by the line table, its calls by the PTX.

    The table leaves a row out where only the calls differ, so they are those of the line of PTX
    that the cubin's other table names, as long as that is about the same place. Where that is
    inside an inline assembly, whose lines LLVM counts as the source's, it is the place before.
    """
    held = sections(cubin)
    table, rows = chains(held[".debug_line"]), chains(held[".nv_debug_line_sass"])
    files = dict(re.findall(r'\.file\t(\d+) "([^"]*)"', ptx))
    placed, by_row = {}, []
    written = true = ()
    inside = False
    for line in ptx.splitlines():
        inside = (inside and "end inline asm" not in line) or "begin inline asm" in line
        if found := re.match(r"\t\.loc\t(\d+) (\d+) (\d+)(.*)", line):
            here = found.groups()[:3]
            written = ((files[here[0]], int(here[1])),)
            if caller := re.search(r"inlined_at (\d+) (\d+) (\d+)", found[4]):
                written += placed[caller.groups()]
            for name, number in re.findall(r"@\[ (\S+):(\d+):\d+", found[4]):
                written += ((next(file for file in files.values() if file.endswith(f"/{name}")),
                             int(number)),)  # fmt: skip
            if not inside:
                placed[here] = true = written
        by_row.append((written[:1], true))
    answer = []
    for address in addresses:
        place, row = chain_at(table, address), chain_at(rows, address)
        told, known = by_row[row[0][1] - 1] if row else ((), ())
        answer.append(known if told == place[:1] else place)
    return answer


def untold(cubin, ptx, addresses):
    """Tell of each address whether its line of PTX is no `wgmma`: tables leave products out."""
    rows = chains(sections(cubin)[".nv_debug_line_sass"])
    lines = ["", *ptx.splitlines()]
    found = [chain_at(rows, address) for address in addresses]
    return ["wgmma" not in lines[row[0][1] if row else 0] for row in found]
