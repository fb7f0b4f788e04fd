# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random graphs of kernels with rows once layer by layer and once row by row.

Writes each graph as IR with lowered kernels, plans its memory with and without rows, emits C,
compiles both with a C compiler, and compares the outputs. The memory behind the arena is painted:
a run that writes there fails.

    random_row_groups.py CONVOY_OPT C_COMPILER FOLDER [COUNT]
"""

import pathlib
import random
import subprocess
import sys

PLAIN = "convoy-memory-plan-arena{alignment=4}"
ROWS = "convoy-memory-choose-row-groups{alignment=4},convoy-memory-plan-arena{alignment=4 rows=true}"
REST = (
    "convoy-memory-lower-row-groups,convoy-memory-lower-row-views,func.func(canonicalize,cse),"
    "convoy-codegen-check-source-contract,convoy-codegen-emit-source{{model=net directory={} plain=true}}"
)


class Tensor:
    """A tensor of one image with all channels of a pixel next to each other."""

    def __init__(self, name, channels, rows, columns):
        self.name, self.channels, self.rows, self.columns = name, channels, rows, columns

    @property
    def bytes(self):
        return self.channels * self.rows * self.columns

    @property
    def row(self):
        return self.channels * self.columns

    @property
    def type(self):
        shape = f"1x{self.channels}x{self.rows}x{self.columns}xi8"
        return f"tensor<{shape}, #graph.blocked<c = {self.channels}>>"

    @property
    def memory(self):
        return f"memref<{self.bytes}xi8>"

    @property
    def view(self):
        return f"memref<{self.row}xi8, strided<[1], offset: ?>>"


def kernel_text(name, operands, windows, result):
    """Returns a kernel that adds up bytes of the rows in the windows of all operands."""
    numbers = {0, 1, result.row} | {n for w in windows for n in w}
    numbers |= {o.rows for o in operands} | {o.row for o in operands} | {5}
    lines = [f"    %c{n} = arith.constant {n} : index" for n in sorted(numbers)]
    lines += ["    %zero = arith.constant 3 : i8"]
    lines += ["    scf.for %i = %begin to %end step %c1 {"]
    lines += [
        f"      %out = task.row_view %y[%i] rows {result.rows} : {result.memory} -> {result.view}",
        f"      scf.for %j = %c0 to %c{result.row} step %c1 {{",
        f"        memref.store %zero, %out[%j] : {result.view}",
        "      }",
    ]
    for n, (operand, (size, stride, pad)) in enumerate(zip(operands, windows)):
        view = f"task.row_view %x{n}[%r{n}] rows {operand.rows} : {operand.memory} -> {operand.view}"
        lines += [
            f"      scf.for %k{n} = %c0 to %c{size} step %c1 {{",
            f"        %s{n} = arith.muli %i, %c{stride} : index",
            f"        %t{n} = arith.addi %s{n}, %k{n} : index",
            f"        %r{n} = arith.subi %t{n}, %c{pad} : index",
            f"        %in{n} = arith.cmpi ult, %r{n}, %c{operand.rows} : index",
            f"        scf.if %in{n} {{",
            f"          %v{n} = {view}",
            f"          scf.for %j = %c0 to %c{result.row} step %c1 {{",
            f"            %a = arith.muli %j, %c5 : index",
            f"            %b = arith.addi %a, %k{n} : index",
            f"            %c = arith.remui %b, %c{operand.row} : index",
            f"            %d = memref.load %v{n}[%c] : {operand.view}",
            f"            %e = memref.load %out[%j] : {result.view}",
            f"            %f = arith.muli %e, %d : i8",
            f"            %g = arith.addi %f, %d : i8",
            f"            %h = arith.addi %g, %e : i8",
            f"            memref.store %h, %out[%j] : {result.view}",
            "          }",
            "        }",
            "      }",
        ]
    lines += ["    }", "    task.return"]
    arguments = "".join(f"%x{n}: {o.memory}, " for n, o in enumerate(operands))
    ends = ", ".join(str(i + 1) for i in range(result.rows))
    reads = ", ".join(f"array<i64: {a}, {b}, {c}>" for a, b, c in windows)
    types = ", ".join(o.type for o in operands)
    rows = f"#task.row_steps<outer = 1, inner = 1, ends = [{ends}], reads = [{reads}]>"
    access = "#task.access<read>, " * len(operands) + "#task.access<read_write>"
    return "\n".join(
        [
            f"  task.kernel @{name}({arguments}%y: {result.memory}, %begin: index, %end: index)",
            f"      attributes {{access = [{access}], range = {result.rows} : i64, rows = {rows},",
            f"                  tensors = ({types}) -> {result.type}}} {{",
            *lines,
            "  }",
        ]
    )


def graph_text(seed):
    """Returns a random graph as IR, and the values of the template of its program."""
    pick = random.Random(seed)
    tensors = [Tensor("x", pick.choice([1, 3, 8]), pick.randint(6, 40), pick.randint(2, 12))]
    runs, kernels = [], {}
    for i in range(pick.randint(1, 9)):
        source = tensors[-1]
        size, stride = pick.choice([(1, 1), (3, 1), (3, 2), (3, 1), (1, 1), (2, 2), (5, 1), (1, 2)])
        before, behind = pick.randint(0, size - 1), pick.randint(0, size - 1)
        rows = (source.rows + before + behind - size) // stride + 1
        if source.rows + before + behind < size or rows < 2:
            continue
        channels = pick.choice([source.channels, source.channels, 2, 4, 16])
        result = Tensor(f"v{i}", channels, rows, max(1, source.columns // stride))
        operands, windows = [source], [(size, stride, before)]
        for other in tensors[:-1]:
            if other.rows == rows and pick.random() < 0.4 and len(operands) < 3:
                operands.append(other)
                windows.append((1, 1, 0))
        key = tuple((o.type, w) for o, w in zip(operands, windows)) + (result.type,)
        if key not in kernels:
            name = f"layer_{len(kernels)}"
            kernels[key] = (name, kernel_text(name, operands, windows, result))
        runs.append((result, kernels[key][0], operands))
        tensors.append(result)
    if not runs:
        return graph_text(seed + 100000)
    in_arena = pick.random() < 0.5
    place = "task.in_arena, " if in_arena else ""
    out = tensors[-1]
    lines = [
        "module {",
        f'  func.func @main(%x: {tensors[0].type} {{{place}graph.name = "x"}})',
        f'      -> ({out.type} {{{place}graph.name = "y"}}) {{',
    ]
    for result, name, operands in runs:
        names = ", ".join("%" + o.name for o in operands)
        types = ", ".join(o.type for o in operands)
        lines.append(f"    %{result.name} = task.run @{name}({names}) : ({types}) -> {result.type}")
    lines += [f"    return %{out.name} : {out.type}", "  }"]
    lines += [text for _, text in kernels.values()] + ["}"]
    call = "net_inputs in = {x}; net_outputs out = {y}; if (net_run(&in, &out, arena) != 0) return 2;"
    if in_arena:
        call = (
            "memcpy(arena + NET_INPUT_0_OFFSET, x, sizeof x); if (net_run(arena) != 0) return 2; "
            "memcpy(y, arena + NET_OUTPUT_0_OFFSET, sizeof y);"
        )
    sizes = {"input": tensors[0].bytes, "output": out.bytes, "call": call}
    return "\n".join(lines) + "\n", sizes


MAIN = """
#include "net.h"
#include <stdio.h>
#include <string.h>
enum {{ BYTES = NET_WORKSPACE_BYTES, GUARD = 65536 }};
static _Alignas(64) unsigned char arena[BYTES + GUARD];
static _Alignas(64) unsigned char x[{input}], y[{output}];
int main(void) {{
  memset(arena, 0xA5, sizeof arena);
  unsigned seed = 12345;
  for (int i = 0; i < {input}; ++i) {{
    seed = seed * 1103515245u + 12345u;
    x[i] = (unsigned char)(seed >> 16);
  }}
  {call}
  for (int i = 0; i < {output}; ++i) {{ printf("%02x", y[i]); }}
  for (int i = 0; i < GUARD; ++i) {{
    if (arena[BYTES + i] != 0xA5) {{ printf("overrun"); return 1; }}
  }}
  return 0;
}}
"""


def emit(opt, compiler, folder, passes, text, sizes):
    """Compiles the graph and returns the bytes of its arena, its output and its C source."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "graph.mlir").write_text(text)
    pipeline = f"builtin.module({passes},{REST.format(folder)})"
    planned = subprocess.run(
        [opt, folder / "graph.mlir", f"-pass-pipeline={pipeline}"],
        check=True, capture_output=True, text=True,
    ).stdout
    arena = int(planned.split("memory.arena_bytes = ")[1].split()[0])
    source = (folder / "net.c").read_text()
    (folder / "main.c").write_text(MAIN.format(**sizes))
    subprocess.run(
        [compiler, "-O1", "-std=gnu11", "-fsanitize=undefined", "-fno-sanitize-recover", "-I", folder,
         folder / "main.c", folder / "net.c", "-o", folder / "net", "-lm"],
        check=True,
    )
    run = subprocess.run([folder / "net"], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{folder}: the program failed: {run.stdout[-40:]}{run.stderr[-400:]}")
    return arena, run.stdout, source


def main():
    opt, compiler, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    count = int(sys.argv[4]) if len(sys.argv) > 4 else 12
    smaller = loops = 0
    for seed in range(count):
        text, sizes = graph_text(seed)
        plain, expected, _ = emit(opt, compiler, folder / f"{seed}-plain", PLAIN, text, sizes)
        rows, found, source = emit(opt, compiler, folder / f"{seed}-rows", ROWS, text, sizes)
        if found != expected:
            sys.exit(f"{folder}/{seed}-rows: the output differs from layer by layer")
        if rows > plain:
            sys.exit(f"{folder}/{seed}-rows: {rows} bytes with rows, {plain} bytes without")
        smaller += rows < plain
        main = source.split("uint32_t net_main(")[1].split("\n}\n")[0]
        loops += "for (" in main
    print(f"{count} graphs agree; {smaller} need less memory row by row, {loops} have groups")
    if smaller < count // 2 or loops < count // 3:
        sys.exit("too few graphs need less memory or have groups; the test covers too little")


if __name__ == "__main__":
    main()
