# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the path of models.py's `device` to NVDLA: ops, regions, convcore layers, loadables."""

import os
import re

import compiler_output as ir
import svg

DEVICE = "nvdla-small"
OPS, LAYERS, PROGRAM, TOP = (20, 380), (450, 290), (790, 390), 108
PASSES = "builtin.module(func.func(convoy-accelerators-lower-graph,convoy-accelerators-fuse-layers{device=" + DEVICE + "}))"


def region_functions(text):
    """Each region of the IR after the place stage as a function of its own."""
    pattern = r"graph\.kernel [^{]*\{\n\s*\^bb0\((.*?)\):\n(.*?)graph\.yield (%\w+) : (\S+)\n"
    for arguments, body, value, kind in re.findall(pattern, text, re.DOTALL):
        # The printed IR has no bytes of large constants; a diagram needs only their types.
        body = re.sub(r"dense_resource<\w+>", "dense<1>", body)
        yield f"func.func @region({arguments}) -> {kind} {{\n{body} return {value} : {kind}\n}}\n"


def layer_lines(op):
    lines = [op.name.split(".")[1]]
    kernel = ir.attribute(op, "kernel")
    if lines[0] == "conv":
        kernel = [int(size) for size in re.findall(r"tensor<\d+x\d+x(\d+)x(\d+)xi8>", op.text)[1]]
    if kernel:
        lines[0] += f" {kernel[0]} x {kernel[1]}"
    found = re.search(r"multipliers = \[(\d+).*?shifts = \[(\d+).*?low = (-?\d+), high = (-?\d+)", op.text)
    if found:
        lines.append("requant: multiplier {}, shift {}, ...".format(*found.groups()[:2]))
        lines.append("clamp to [{}, {}]".format(*found.groups()[2:]))
    return lines + ["result: " + ir.shape(ir.result_type(op))]


def convcore_layers(compiler, function):
    text = compiler.run("-", "-pass-pipeline=" + PASSES, tool="convoy-opt", text=function)
    return [op for op in ir.main_ops(text) if op.name.startswith("convcore.")]


def programs(compiler):
    """The operations of each loadable: (engine, what it does)."""
    compiler.run("compile", compiler.model("device"), "--target", DEVICE, "--emit=program", "-o", compiler.models)
    names = sorted(name for name in os.listdir(compiler.models) if re.fullmatch(r"device_\d+\.nvdla", name))
    for name in names:
        tasks = compiler.json("inspect", os.path.join(compiler.models, name))["tasks"]
        yield name, [(op["engine"], op["what"]) for task in tasks for op in task["ops"]]


def wrapped(words, limit):
    lines, line = [], ""
    for word in words.split():
        if line and len(line) + len(word) + 1 > limit:
            lines.append(line)
            line = ""
        line = (line + " " + word).strip()
    return lines + [line]


def draw_ops(d, nodes):
    """Draws the ops in order; returns the vertical range of each region."""
    y, ranges = TOP, {}
    for node in nodes:
        on_device = node["where"] != "cpu"
        lines = [f"{node['op']}  {node['node'].split(' ')[0]}"]
        if not on_device:
            lines += wrapped("CPU: " + node["reason"], 52)
        height = d.box(OPS[0], y, OPS[1], lines, svg.GREEN if on_device else svg.ORANGE)
        if on_device:
            first, _ = ranges.get(node["region"], (y, y))
            ranges[node["region"]] = (first, y + height)
        y += height + 8
    return ranges


def draw_region(d, y, region, layers, program):
    """Draws the layers and the program of one region from `y`; returns the end."""
    name, operations = program
    d.text(LAYERS[0], y + 14, f"region {region}", bold=True)
    d.text(PROGRAM[0], y + 14, name, bold=True)
    left = right = y + 24
    for layer in layers:
        left += d.box(LAYERS[0], left, LAYERS[1], layer_lines(layer), svg.BLUE) + 8
    for engine, what in operations:
        right += d.box(PROGRAM[0], right, PROGRAM[1], [engine, *wrapped(what, 58)], svg.LIGHT, size=12) + 8
    d.line(LAYERS[0] + LAYERS[1] + 4, y + 40, PROGRAM[0] - 4, y + 40)
    return max(left, right)


def draw(compiler):
    flags = ["--target", DEVICE]
    nodes = compiler.json("explain", compiler.model("device"), *flags)["nodes"]
    regions = list(region_functions(compiler.ir("device", "place", *flags)))
    d = svg.Drawing("From ops to the program of an accelerator (NVDLA, configuration nv_small)", 1200)
    d.text(20, 56, "Green: on the device. Orange: on the CPU, with the reason that the place stage records.", size=12)
    for x, words in ((OPS[0], "1. Ops after stage place"), (LAYERS[0], "2. Layers in the convcore dialect"),
                     (PROGRAM[0], "3. Operations of the loadable")):
        d.text(x, TOP - 18, words, bold=True)
    ranges = draw_ops(d, nodes)
    y = TOP
    for region, (function, program) in enumerate(zip(regions, programs(compiler))):
        first, last = ranges[region]
        x = OPS[0] + OPS[1] + 10
        d.line(x, first, x, last, arrow=False, width=3)
        y = max(y, first - 24)
        d.line(x + 4, (first + last) / 2, LAYERS[0] - 4, y + 40)
        y = draw_region(d, y, region, convcore_layers(compiler, function), program) + 12
    d.commands([f"convoy explain build/diagrams/device.onnx --target {DEVICE} --json",
                f"convoy compile build/diagrams/device.onnx --target {DEVICE} --stop-after=place",
                f"convoy-opt -pass-pipeline='{PASSES}'",
                f"convoy compile build/diagrams/device.onnx --target {DEVICE} --emit=program; convoy inspect device_0.nvdla --json"])
    return d.svg()
