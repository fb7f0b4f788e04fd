# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/reference/tested-models.md: which models and ONNX tests Convoy passes.

The sources are the registrations of the tests (tests/conformance, tests/models), the generated
list of ops, the stored measurements (docs/benchmarks/*.json) and the families of bench/zoo.
scripts/generate-docs.sh writes the page; tests/docs/generated_test.py fails if it differs.
"""

import json
import os
import re
import sys

import doc_facts

PAGE = "docs/reference/tested-models.md"
CONFORMANCE = "tests/conformance/CMakeLists.txt"
MODELS = "tests/models/CMakeLists.txt"
SUITES = ("fp32", "int8", "transformers")
MICRO = "docs/benchmarks/micro.md"
DOMAINS = {"ai.onnx": "ONNX", "ai.onnx.ml": "ONNX for machine learning", "com.microsoft": "ONNX Runtime's contrib ops"}


def conformance(root):
    """(suite, target, least number of passed tests) of each run in CI."""
    text = doc_facts.read(root, CONFORMANCE)
    found = [("ONNX of Debian's `libonnx-testdata`", target, least) for target, least in
             re.findall(r"--suite /usr/share/libonnx-testdata/data/node --target (\w+)\s+--min-passed (\d+)", text)]
    release = re.search(r"onnx-(\d+\.\d+)\.\d+-backend-test-data", text)[1]
    # Only CI's runs: the page states what every commit passes.
    return found + [(f"ONNX {release}", *run) for run in re.findall(r'"(\w+) (\d+) fast \d+"', text)]


def golden_models(root):
    """The models that a test compares with the outputs of another runtime, on the host."""
    return re.search(r"set\(models\n(.*?)\)", doc_facts.read(root, MODELS), re.DOTALL)[1].split()


def other_targets(root):
    """(models, targets) of the tests of native targets beside the host."""
    text = doc_facts.read(root, MODELS)
    models = re.search(r"set\(small_models (.*?)\)", text, re.DOTALL)[1].split()
    targets = re.search(r"foreach\(target (x86-64-v2 .*?)\)", text)[1].split()
    return models, targets


def measured(root, suite):
    """The networks of a stored measurement."""
    rows = json.loads(doc_facts.read(root, f"docs/benchmarks/{suite}.json"))["rows"]
    return list(dict.fromkeys(row["model"] for row in rows))


def micro(root):
    """The networks and targets that were measured on microcontrollers."""
    rows = doc_facts.rows(root, MICRO, "| network | M55 gcc |")
    return [row[0] for row in rows]


def families(root):
    sys.path.insert(0, os.path.join(root, "bench"))
    from zoo import torchvision_models
    return torchvision_models.FAMILIES


def table(heads, rows):
    return "\n".join(["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads), *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def code(names):
    return ", ".join(f"`{name}`" for name in names)


def op_counts(root):
    rows = []
    for domain, name in DOMAINS.items():
        hosts = [host for each, _, host in doc_facts.ops(root) if each == domain]
        rows.append((f"{name} (`{domain}`)", str(len(hosts)), str(hosts.count("yes")), str(len(hosts) - hosts.count("yes") - hosts.count("no"))))
    return rows


def page(root):
    models, targets = other_targets(root)
    return "\n".join([
        "# Tested models and conformance\n",
        "The lists follow from the registered tests and the stored measurements.\n",
        "## Conformance\n",
        "A test of ONNX is one node or one small model with inputs and expected outputs. The test of Convoy fails if fewer tests pass.\n",
        table(("tests", "target", "passed, at least"), conformance(root)),
        "[Use Convoy as an ONNX backend](../howto/python.md#use-convoy-as-an-onnx-backend) lists the tests that do not pass, with reasons,\n"
        "and the command that prints the scoreboard.\n",
        table(("ops", "imported", "compiled for CPUs", "compiled with limits"), op_counts(root)),
        "[Supported ops](supported-ops.md) lists each op with its limits.\n",
        "## Networks compared with golden outputs of another runtime\n",
        f"Each test runs all recorded inputs of the network on `host`: {code(golden_models(root))}.\n",
        f"On {code(targets)}: {code(models)}.\n",
        "## Networks compared with ONNX Runtime\n",
        "The measurement of speed compares the outputs first.\n",
        table(("page", "networks"), [(f"[{suite}](../benchmarks/{suite}.md)", code(measured(root, suite))) for suite in SUITES]),
        "## Networks on microcontrollers\n",
        f"Equal bytes to the reference on each target of [the page](../benchmarks/micro.md) in whose memory they fit: {', '.join(micro(root))}.\n",
        "## Families of torchvision\n",
        "`bench/zoo/export_torchvision.py` exports these networks, and `bench/zoo/measure` compiles and compares them\n"
        "([results](../benchmarks/zoo.md)).\n",
        table(("family", "networks"), [(family, code(names)) for family, _, names in families(root)])])
