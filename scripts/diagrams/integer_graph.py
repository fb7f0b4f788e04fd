# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws one quantized convolution before and after the quantize stage."""

import re

import compiler_output as ir
import svg

WIDTH, LEFT, RIGHT, TOP = 300, 20, 610, 96
WEIGHTS, WEIGHTS_WIDTH = 340, 230  # the box of the weights beside the left chain
ROUNDINGS = ["half away from zero", "half up", "half to even"]  # graph::ShiftRounding


def constants(ops):
    """The first element of each small constant, as text."""
    values = {}
    for op in ops:
        found = re.match(r"dense<\[*([^,\]>]+)", op.text) if op.name == "graph.constant" else None
        if found:
            values[op.result] = found.group(1)
    return values


def scale(text):
    return f"{float(text):g}"


def details(op, values):
    """What the op computes, one line each."""
    if op.name in ("graph.quantize_linear", "graph.dequantize_linear"):
        zero = values.get(op.operands[2], "0") if len(op.operands) > 2 else "0"
        if "tensor<16xf32>" in op.text:
            return [f"first of 16 scales: {scale(values[op.operands[1]])}", f"zero point {zero}"]
        return [f"scale {scale(values[op.operands[1]])}, zero point {zero}"]
    if op.name == "graph.integer_conv":
        return [f"input zero point {ir.attribute(op, 'inputZeroPoint')[0]}, weight zero point "
                f"{ir.attribute(op, 'weightZeroPoint')[0]}", "exact i32 sums of i8 products"]
    if op.name == "graph.requantize":
        rounding = ROUNDINGS[ir.attribute(op, "rounding")[0]]
        return [f"multiplier {values[op.operands[1]]}, shift {values[op.operands[2]]}", "(channel 0 of 16)",
                f"round {rounding}, clamp to [{ir.attribute(op, 'low')[0]}, {ir.attribute(op, 'high')[0]}]"]
    return []


def draw_chain(d, x, heading, ops):
    values = constants(ops)
    shown = [op for op in ops if op.name != "graph.constant"]
    d.text(x, TOP - 10, heading, bold=True)
    d.box(x, TOP, WIDTH, ["input"], svg.LIGHT)
    y = TOP + 31
    for op in shown:
        is_weight = op.name == "graph.dequantize_linear" and op.operands[0] not in [one.result for one in shown]
        type_text = ir.shape(ir.result_type(op))
        fill = svg.GREEN if type_text.endswith(("i8", "i32")) else svg.ORANGE
        lines = [ir.short_name(op), *details(op, values), "result: " + type_text]
        if is_weight:
            top = y - svg.ROW * 3 - 14
            height = d.box(WEIGHTS, top, WEIGHTS_WIDTH, [lines[0] + " (weights)"] + lines[1:], fill)
            d.line(WEIGHTS + WEIGHTS_WIDTH / 2, top + height, x + WIDTH + 2, y + 46)
            continue
        d.line(x + WIDTH / 2, y, x + WIDTH / 2, y + 21)
        y += 22
        y += d.box(x, y, WIDTH, lines, fill)


def draw(compiler):
    d = svg.Drawing("A quantized convolution: QDQ nodes become integer ops", 930)
    d.text(20, 56, "Orange: the op gives floats. Green: the op gives integers.", size=12)
    draw_chain(d, LEFT, "After stage graph: as the model has it", ir.main_ops(compiler.ir("quantized", "graph")))
    draw_chain(d, RIGHT, "After stage quantize", ir.main_ops(compiler.ir("quantized", "quantize")))
    d.commands(["convoy compile build/diagrams/quantized.onnx --stop-after=graph",
                "convoy compile build/diagrams/quantized.onnx --stop-after=quantize"])
    return d.svg()
