# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes facts of the tree into sentences of pages.

A page has `<!-- fact: NAME -->text<!-- end -->` inside a line, and this file has the
function that computes the text from the target descriptions, the generated pages
or the measured pages. scripts/generate-docs.sh writes the text; tests/docs/generated_test.py
fails if a page differs.
"""

import glob
import json
import math
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


def targets(root):
    """The descriptions of all targets, by name."""
    found = [json.loads(read(root, path)) for path in glob.glob(os.path.join(root, "compiler/Targets/*.json"))]
    return sorted(found, key=lambda target: target["name"])


def names(found):
    return ", ".join(f"`{target['name']}`" for target in found)


def emulated_microcontrollers(root):
    """The number of targets with a toolchain that `convoy run` executes on an emulator."""
    return str(sum("emulator" in target.get("toolchain", {}) for target in targets(root)))


def microcontrollers(root):
    return names(target for target in targets(root) if "toolchain" in target)


def native_targets(root, machine):
    """The targets of a machine for which Convoy writes libraries."""
    return names(target for target in targets(root) if target["triple"].startswith(machine) and "toolchain" not in target)


def source_targets(root):
    """The targets that are not microcontrollers and get C only."""
    return names(target for target in targets(root) if target["summary"].endswith("emitted as C"))


def accelerators(root):
    """The targets of devices, without the device that only explains the interface."""
    found = re.findall(r"^## (\S+)$", read(root, "docs/reference/devices.md"), re.MULTILINE)
    return ", ".join(f"`{name}`" for name in found if name != "example")


def measured(root, suite, key):
    """The values of a column of a suite on one thread."""
    rows = json.loads(read(root, f"docs/benchmarks/{suite}.json"))["rows"]
    return [row[key] for row in rows if row["threads"] == 1]


def mean_ratio(root, suite):
    """The geometric mean of the times divided by the times of the baseline, on one thread."""
    ratios = measured(root, suite, "ratio")
    return f"{math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}"


def load_times(root):
    """The least and the largest time to load a network, in milliseconds."""
    times = measured(root, "fp32", "load_ms")
    return f"{min(times):.1f} to {max(times):.1f}"


def memory_shares(root):
    """The least and the largest share of the peak memory of the baseline."""
    shares = [100 * ours / peer for ours, peer in zip(measured(root, "fp32", "rss_mb"), measured(root, "fp32", "peer_rss_mb"))]
    return f"{min(shares):.0f} to {max(shares):.0f} %"


def int8_networks(root):
    """The rows of the networks whose weights and activations have 8 bits."""
    return [row for row in rows(root, "docs/benchmarks/quantize.md", "| model | plan | samples |") if row[1] == "w8a8"]


def lost_accuracy(root):
    """The largest drop of top-1 accuracy of a network in 8 bits, in percentage points."""
    return f"{max(float(row[5]) for row in int8_networks(root)):.2f}"


def onnx_tests(root):
    """The least number of tests of ONNX's newest suite that compiled code passes in CI."""
    least = re.search(r'"host (\d+) ', read(root, "tests/conformance/CMakeLists.txt"))[1]
    return f"{int(least):,}"


def microcontroller_ratios(root):
    ratios = [float(row[4]) for row in rows(root, "docs/benchmarks/micro.md", "| network | target | million instructions |")]
    return f"{min(ratios):.2f} to {max(ratios):.2f}"


def build_time(root):
    return rows(root, "docs/benchmarks/first-result.md", "| step | command | result |")[0][2].replace("min", "minutes")


def abi_version(root):
    return re.search(r"#define CONVOY_ABI_VERSION (\d+)", read(root, "runtime/include/convoy/convoy.h"))[1]


FACTS = {
    "abi-version": abi_version,
    "accelerators": accelerators,
    "arm-targets": lambda root: native_targets(root, "aarch64"),
    "build-time": build_time,
    "compiled-ops": compiled_ops,
    "contrib-ops": contrib_ops,
    "emulated-microcontrollers": emulated_microcontrollers,
    "fp32-networks": lambda root: str(len(measured(root, "fp32", "model"))),
    "fp32-ratio": lambda root: mean_ratio(root, "fp32"),
    "int8-ratio": lambda root: mean_ratio(root, "int8"),
    "load-times": load_times,
    "lost-accuracy": lost_accuracy,
    "memory-shares": memory_shares,
    "microcontroller-ratios": microcontroller_ratios,
    "microcontrollers": microcontrollers,
    "onnx-tests": onnx_tests,
    "quantized-networks": lambda root: str(len(int8_networks(root))),
    "source-targets": source_targets,
    "transformers-ratio": lambda root: mean_ratio(root, "transformers"),
    "x86-targets": lambda root: native_targets(root, "x86_64"),
}


def fill(root, text):
    """Returns the text of a page with every fact as the tree has it now."""
    return FACT.sub(lambda found: found[1] + FACTS[found[2]](root) + found[3], text)
