# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes facts of the tree into sentences of pages.

A page has `<!-- fact: NAME -->text<!-- end -->` inside a line, and this file has the
function that computes the text from the target descriptions, the generated pages
or the measured pages. scripts/generate-docs.sh writes the text; tests/docs/generated_test.py
fails if a page differs.
"""

import glob
import json
import os
import re

FACT = re.compile(r"(<!-- fact: (\S+) -->).*?(<!-- end -->)")


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def rows(root, path, heading):
    """The cells of the rows of the first table whose heading line starts with `heading`."""
    lines = iter(read(root, path).splitlines())
    for line in lines:
        if line.startswith(heading):
            break
    found = []
    for line in lines:
        if not line.startswith("|"):
            break
        found.append([cell.strip() for cell in line.strip("|").split("|")])
    if len(found) < 2:
        raise ValueError(f"{path}: expected a table with the heading '{heading}'")
    return found[1:]


def ops(root):
    """(domain, op, host) of each supported op."""
    return [(row[0], row[1], row[4]) for row in rows(root, "docs/reference/supported-ops.md", "| domain | op |")]


def compiled_ops(root):
    onnx = [host for domain, _, host in ops(root) if domain == "ai.onnx"]
    return f"{onnx.count('yes')} of {len(onnx)}"


def contrib_ops(root):
    return str(sum(domain == "com.microsoft" and host != "no" for domain, _, host in ops(root)))


def emulated_microcontrollers(root):
    """The number of targets with a toolchain that `convoy run` executes on an emulator."""
    targets = [json.loads(read(root, path)) for path in glob.glob(os.path.join(root, "compiler/Targets/*.json"))]
    return str(sum("emulator" in target.get("toolchain", {}) for target in targets))


def microcontroller_ratios(root):
    ratios = [float(row[4]) for row in rows(root, "docs/benchmarks/micro.md", "| network | target | million instructions |")]
    return f"{min(ratios):.2f} to {max(ratios):.2f}"


def build_time(root):
    return rows(root, "docs/benchmarks/first-result.md", "| step | command | result |")[0][2].replace("min", "minutes")


FACTS = {"build-time": build_time, "compiled-ops": compiled_ops, "contrib-ops": contrib_ops,
         "emulated-microcontrollers": emulated_microcontrollers,
         "microcontroller-ratios": microcontroller_ratios}


def fill(root, text):
    """Returns the text of a page with every fact as the tree has it now."""
    return FACT.sub(lambda found: found[1] + FACTS[found[2]](root) + found[3], text)
