# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs convoy and convoy-opt on the models of the diagrams and reads the IR that they print."""

import json
import os
import re
import subprocess
import sys
from collections import namedtuple

Op = namedtuple("Op", "result name operands text inner")
SHAPE = re.compile(r"tensor<((?:\d+x)*)([a-z]+\d+)")


class Compiler:
    def __init__(self, build, models):
        self.bin = os.path.join(build, "bin")
        self.models = models

    def run(self, *arguments, tool="convoy", text=None):
        command = [os.path.join(self.bin, tool)] + list(arguments)
        done = subprocess.run(command, input=text and text.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode != 0:
            sys.exit(f"diagrams: {' '.join(command)} failed:\n{done.stderr.decode()}")
        return done.stdout.decode()

    def model(self, name):
        return os.path.join(self.models, name + ".onnx")

    def ir(self, name, stage, *flags):
        return self.run("compile", self.model(name), "--stop-after=" + stage, *flags)

    def json(self, *arguments):
        return with_snake_keys(json.loads(self.run(*arguments, "--json")))


def with_snake_keys(value):
    """The same JSON with snake_case keys: versions before 0.2.0 print camelCase."""
    if isinstance(value, list):
        return [with_snake_keys(one) for one in value]
    if isinstance(value, dict):
        return {re.sub(r"(?<=[a-z0-9])([A-Z])", lambda m: "_" + m.group(1).lower(), key): with_snake_keys(one)
                for key, one in value.items()}
    return value


def main_ops(ir):
    """The ops of the first function in order. `inner` holds the ops of a kernel's region."""
    ops, inner, opening = [], None, None
    for line in ir.splitlines():
        found = re.match(r"\s*(%\w+)(?:, %\w+)* = (\S+) (.*)", line)
        if found:
            result, name, text = found.groups()
            operands = re.findall(r"%\w+", text.split("{")[0].split(" : ")[0])
            if name == "graph.kernel":
                opening, inner = (result, name, operands), []
            elif inner is not None:
                inner.append(Op(result, name, operands, text, []))
            else:
                ops.append(Op(result, name, operands, text, []))
        elif inner is not None and line.strip().startswith("}"):
            ops.append(Op(*opening, line, inner))
            inner = None
        elif line.strip().startswith("return"):
            break
    return ops


def result_type(op):
    return op.text.rsplit("-> ", 1)[-1]


def shape(type_text):
    """`1x32x6x6 f32` of a tensor type."""
    found = SHAPE.search(type_text)
    return f"{found.group(1)[:-1]} {found.group(2)}".strip()


def attribute(op, name):
    """The integers of an attribute, `[3, 3]` for `kernel = array<i64: 3, 3>`."""
    found = re.search(rf"\b{name} = (?:array<i64: ([^>]*)>|(-?\d+))", op.text)
    return [int(part) for part in re.findall(r"-?\d+", found.group(1) or found.group(2))] if found else []


def short_name(op):
    """`conv`, `relu` or `reduce mean`: the name of a graph op as the diagrams show it."""
    kind = re.match(r"(?:unary|binary|activation) (\w+)|(reduce \w+)", f"{op.name.split('.', 1)[1]} {op.text}")
    return (kind.group(1) or kind.group(2)) if kind else op.name.split(".", 1)[1]
