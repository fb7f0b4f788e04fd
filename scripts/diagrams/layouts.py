# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the layouts that the layout stage chose for models.py's `branches`."""

import re

import compiler_output as ir
import svg

WIDTH, COLUMN, TOP, ROW = 330, 400, 96, 118
IGNORED = ("graph.constant", "arith.constant")


def weights_layout(op):
    """`weights: conv_weights<o = 16, i = 3>` of a kernel with packed weights."""
    found = re.search(r"#kernel\.(\w+_weights<[^>]*>)", op.text)
    return ["weights: " + found.group(1).replace(", transposed = false", "")] if found else []


def title(op):
    if op.name != "graph.kernel":
        return op.name.split(".", 1)[1]
    inner = [one for one in op.inner if one.name not in IGNORED]
    kernel = ir.attribute(inner[0], "kernel")
    if inner[0].name == "graph.conv":
        kernel = [int(size) for size in re.findall(r"tensor<\d+x\d+x(\d+)x(\d+)xf32, #kernel", inner[0].text)[0]]
    window = f" {kernel[0]} x {kernel[1]}" if kernel else ""
    return " + ".join([ir.short_name(inner[0]) + window] + [ir.short_name(one) for one in inner[1:]])


def template(op):
    found = re.search(r"config = #kernel\.(\w+)<", op.text)
    if op.name == "graph.concat":
        return ["the branches write their parts in place"]
    if op.name != "graph.kernel":
        return ["view: both types have the same bytes"]
    if is_reorder(op):
        return ["copies the data"]
    return ["template: " + found.group(1)] if found else ["generic loops"]


def is_reorder(op):
    return op.name == "graph.reorder" or any(one.name == "graph.reorder" for one in op.inner)


def layout(type_text):
    found = re.search(r"#graph\.blocked<c = (\d+)>", type_text)
    return f"blocks of {found.group(1)} channels" if found else "planar"


def levels(ops):
    """The longest distance of each value from the model's input."""
    level = {"%arg0": 0}
    for op in ops:
        level[op.result] = 1 + max((level[one] for one in op.operands if one in level), default=0)
    return level


def draw(compiler):
    text = compiler.ir("branches", "layout", "--target", "x86-64-v3")
    ops = [op for op in ir.main_ops(text) if op.name not in IGNORED]
    type_of = {op.result: ir.result_type(op) for op in ops}
    type_of["%arg0"] = re.search(r"%arg0: (tensor<[^>]*>)", text).group(1)
    level = levels(ops)
    d = svg.Drawing("Layouts that the layout stage chose, and the reorders that it inserted", 820)
    d.text(20, 56, "Blue: blocks of channels. White: planar (NCHW). Orange: a reorder.", size=12)
    place = {"%arg0": (20 + COLUMN / 2, TOP)}
    d.box(*place["%arg0"], WIDTH, ["input", ir.shape(type_of["%arg0"]) + ", planar"], svg.LIGHT)
    count = {number: sum(1 for op in ops if level[op.result] == number) for number in level.values()}
    seen = {}
    for op in ops:
        number = level[op.result]
        column = seen.get(number, 0)
        seen[number] = column + 1
        x = 20 + COLUMN * column if count[number] > 1 else 20 + COLUMN / 2
        y = TOP + ROW * number
        place[op.result] = (x, y)
        kind = layout(type_of[op.result])
        fill = svg.ORANGE if is_reorder(op) else svg.PLAIN if kind == "planar" else svg.BLUE
        lines = [title(op), ", ".join(template(op)), *weights_layout(op), f"result: {ir.shape(type_of[op.result])}, {kind}"]
        d.box(x, y, WIDTH, lines, fill)
    for op in ops:
        for operand in (one for one in op.operands if one in place):
            (x1, y1), (x2, y2) = place[operand], place[op.result]
            lines = 2 if operand == "%arg0" else 3 + len(weights_layout(next(o for o in ops if o.result == operand)))
            d.line(x1 + WIDTH / 2, y1 + lines * svg.ROW + 14, x2 + WIDTH / 2, y2 - 1)
    d.commands(["python3 scripts/diagrams/models.py build/diagrams",
                "convoy compile build/diagrams/branches.onnx --target x86-64-v3 --stop-after=layout"])
    return d.svg()
