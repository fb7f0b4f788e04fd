# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the stages of the compiler, from `convoy --help-stages`."""

import svg

LEFT, WIDTH = 170, 620
MIDDLE = LEFT + WIDTH / 2

def stages(compiler):
    """(name, description, whether the reference interpreter executes the result) of each stage."""
    rows = compiler.run("--help-stages", "--markdown").splitlines()[2:]
    return [tuple(cell.strip() for cell in row.strip("|").split("|")) for row in rows if row.startswith("|")]


def draw(compiler):
    d = svg.Drawing("From an ONNX model to code: the stages of the compiler", 980)
    d.box(MIDDLE - 80, 56, 160, ["model.onnx"], svg.GREY)
    y = 87
    first = last = y + 20
    imported = ("import", "Translate ONNX nodes to ops of the graph dialect", "yes")
    for name, description, is_reference in [imported] + stages(compiler):
        d.line(MIDDLE, y, MIDDLE, y + 19)
        d.rect(LEFT, y + 20, WIDTH, 31, svg.BLUE if is_reference == "yes" else svg.GREEN)
        d.text(LEFT + 12, y + 40, name, bold=True)
        d.text(LEFT + 106, y + 40, description)
        if name == "device":
            d.line(LEFT, y + 35, 133, y + 35)
            d.box(12, y + 11, 120, ["program", "of a device"], svg.GREY)
        y += 51
        if is_reference == "yes":
            last = y
    d.line(LEFT + WIDTH + 20, first, LEFT + WIDTH + 20, last, arrow=False)
    for row, words in enumerate(["the reference", "interpreter", "executes the", "IR after each", "of these stages"]):
        d.text(LEFT + WIDTH + 32, (first + last) / 2 - 34 + row * svg.LINE, words)
    outputs = [("native code", "shared library, or in memory"), ("C11 source", "with the same C interface")]
    for index, lines in enumerate(outputs):
        x = LEFT + index * 330
        d.line(MIDDLE, y, x + 145, y + 33)
        d.box(x, y + 34, 290, lines, svg.GREY)
    d.commands(["convoy --help-stages --markdown"])
    return d.svg()
