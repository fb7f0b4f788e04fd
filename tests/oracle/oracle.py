#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares Convoy's reference and host with ONNX Runtime, which does not share Convoy's importer.

The README describes the classes of cases. The test fails if an output differs and known_differences.json does not
list the case, or if a listed difference does not occur.

    oracle.py --package build/release/python --tool build/release/bin/convoy --classes op [--quick] [--only REGEX]
"""

import argparse
import collections
import dataclasses
import pathlib
import re
import resource
import sys

import answers
import compare
import graph_cases
import known
import network_cases
import node_cases
import numpy as np
import planted_bugs
import suite_cases
import zlib
from oracle_case import TARGETS

DEBIAN = "/usr/share/libonnx-testdata/data/node"
SKIPPED = 77  # the exit code of a skipped test
# Runs of a graph with perturbed inputs, and how many times their deviation an output may have.
PERTURBED_RUNS = 4
ALLOWANCE = 16


@dataclasses.dataclass
class Answer:
    """What a target does with a case: it agrees, differs or refuses."""

    kind: str
    text: str = ""
    ulps: tuple = (0.0, 0.0)


@dataclasses.dataclass
class Result:
    peer: str = ""  # why ONNX Runtime cannot run the case
    answers: dict = dataclasses.field(default_factory=dict)  # by target
    targets: str = ""  # where host differs from the reference, for planted bugs


def spreads(case, outputs):
    """Returns by output the absolute error that rounding of the inputs causes, and where integers depend on rounding."""
    spread, stable = {name: 0.0 for name in outputs}, {}
    for run in range(PERTURBED_RUNS):
        other = graph_cases.perturbed(case, run)
        shaken, _ = answers.ask_peer(other.model, other.inputs)
        for name, array in outputs.items():
            if array.shape != shaken[name].shape:  # rounding decides how many elements there are
                spread[name], stable[name] = np.inf, np.zeros(array.shape, bool)
            elif array.dtype.kind == "f":
                deviation = np.abs(array.astype(np.float64) - shaken[name].astype(np.float64))
                spread[name] = max(spread[name], ALLOWANCE * float(np.nan_to_num(deviation).max(initial=0)))
            else:
                stable[name] = stable.get(name, True) & (array == shaken[name])
    return spread, stable


def differences(case, expected, types, got, spread, stable):
    """Returns where outputs differ, and the largest distances in units in the last place."""
    rule, ulps = compare.rule_of(case.op), (0.0, 0.0)
    texts = []
    for name, array in expected.items():
        if spread.get(name) == np.inf:
            continue
        other = got[name]
        if name in stable and array.shape == other.shape:
            array, other = np.where(stable[name], array, 0), np.where(stable[name], other, 0)
        why = compare.why_different(rule, array, other, types[name], spread.get(name, 0.0))
        texts += [f"output '{name}': {why}"] if why else []
        ulps = tuple(map(max, ulps, compare.largest_ulps(array, other, types[name])))
    return "; ".join(texts), ulps


def ask_target(case, model, target, expected, types, spread, stable):
    """Returns the answer of a target and its outputs."""
    try:
        shapes = answers.open_shapes(model, case.inputs) if case.op == "model" else None
        got = answers.ask_convoy(model, case.inputs, target, case.has_odd_values, shapes)
    except answers.Refused as refusal:
        return Answer("refuses", str(refusal)), None
    except Exception as error:  # a bug in Convoy
        return Answer("differs", f"{type(error).__name__}: {error}".splitlines()[0]), None
    text, ulps = differences(case, expected, types, got, spread, stable)
    return Answer("differs" if text else "agrees", text, ulps), got


def examine(case, begin, bug=None):
    """Runs a case in all programs. With a bug, Convoy reads a changed model."""
    result, targets = Result(), case.targets
    begin("ONNX Runtime")
    try:
        case = case.built()
        expected, types = answers.ask_peer(case.model, case.inputs)
        spread, stable = spreads(case, expected) if case.op in ("graph", "model") else ({}, {})
    except Exception as error:
        result.peer = str(error).splitlines()[0] if str(error) else type(error).__name__
        return result
    model = planted_bugs.with_bug(bug, case.model) if bug else case.model
    model = answers.with_types(model, types)
    outputs = []
    for target in targets:
        begin(target)
        result.answers[target], got = ask_target(case, model, target, expected, types, spread, stable)
        outputs.append(got)
    if bug and None not in outputs:
        result.targets, _ = differences(case, *(outputs[:1]), types, outputs[1], spread, stable)
    return result


def result_of(outcome, case):
    """Turns a crash into a result."""
    if not isinstance(outcome, tuple):
        return outcome
    _, step, how = outcome
    if step in TARGETS:
        return Result(answers={step: Answer("differs", f"the process ended: {how}")})
    return Result(peer=f"the process ended: {how}")


def is_quick(case, share):
    """Returns whether the case is in the part of the cases that the short form runs. The choice depends on names."""
    return zlib.crc32(case.name.encode()) % 1000 < share * 1000


def collect(arguments):
    """Returns the cases of the chosen classes."""
    cases = []
    chosen = arguments.classes.split(",")
    if "data" in chosen:
        for folder in arguments.data:
            found, others = suite_cases.onnx_cases(folder, "debian" if folder == DEBIAN else pathlib.Path(folder).parents[1].name)
            print(f"{folder}: {len(found)} tests; {others} other tests draw random numbers or have values that the oracle does not read")
            cases += found
    if "op" in chosen:
        ops = list(node_cases.listed_ops(arguments.tool))
        found = node_cases.generated_cases(ops)
        suites = suite_cases.conformance_cases()
        missing = node_cases.missing_ops(ops, {case.op for case in [*found, *suites]})
        if missing:
            sys.exit(f"FAILED: no case tests these ops of `convoy ops`: {', '.join(missing)}")
        cases += found + suites
    if "graph" in chosen:
        cases += [graph_cases.graph_case(seed) for seed in range(arguments.graphs)]
    if "model" in chosen:
        cases += suite_cases.model_cases(pathlib.Path(arguments.shared))
    if "network" in chosen:
        cases += network_cases.network_cases()
    if arguments.share < 1:
        cases = [case for case in cases if is_quick(case, arguments.share) or known.is_listed(case)]
    return [case for case in cases if not arguments.only or re.search(arguments.only, case.name)]


class Report:
    """Counts results and prints them."""

    def __init__(self):
        self.counts = collections.defaultdict(collections.Counter)
        self.refusals = collections.defaultdict(list)
        self.peer = collections.Counter()
        self.failures, self.largest = [], {}

    def add(self, case, result):
        group = case.name.split("/")[0]
        self.counts[group]["cases"] += 1
        if result.peer:
            self.counts[group]["ONNX Runtime cannot run it"] += 1
            self.peer[case.op] += 1
            if case.op in ("graph", "model"):
                print(f"  ONNX Runtime cannot run {case.name}: {result.peer}", flush=True)
            return
        for target, answer in result.answers.items():
            kind = answer.kind
            if kind == "refuses":
                self.refusals[(case.op, re.sub(r"[0-9]+", "#", answer.text))].append((case.name, target))
            self.measure(case, answer)
            problem, is_known = known.check(case, target, answer)
            if problem:
                self.failures.append(f"{case.name} on {target}: {problem}")
                print(f"FAILED {self.failures[-1]}", flush=True)
            kind = "differs, listed" if is_known else kind
            self.counts[group][f"{target} {kind}"] += 1

    def measure(self, case, answer):
        if answer.kind != "refuses":
            self.largest[case.op] = tuple(map(max, self.largest.get(case.op, (0.0, 0.0)), answer.ulps))

    def print(self, is_verbose):
        for op, (ulps, sums) in sorted(self.largest.items()) if is_verbose else ():
            if ulps:
                print(f"  {op}: largest distance {ulps:.6g} ulp, {sums:.3g} of the largest element")
        for (op, text), found in sorted(self.refusals.items()):
            targets = "/".join(sorted({target for _, target in found}))
            print(f"  refused on {targets}: {op}, {len(found)}, for example {found[0][0]}: {text}")
        print("  ONNX Runtime cannot run: " + ", ".join(f"{op} {count}" for op, count in sorted(self.peer.items())))
        for group, counts in self.counts.items():
            print(f"{group}: " + ", ".join(f"{count} {kind}" for kind, count in counts.items()))


def seconds():
    own, children = (resource.getrusage(kind) for kind in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def compare_all(arguments, cases):
    report = Report()
    for case, outcome in answers.run_all(cases, examine):
        report.add(case, result_of(outcome, case))
    report.print(arguments.table)
    agreed = sum(counts[f"{target} agrees"] for counts in report.counts.values() for target in TARGETS)
    print(f"{len(cases)} cases, {agreed} answers agree with ONNX Runtime, {len(report.failures)} differences are not explained, "
          f"{seconds():.0f} s of processor time")  # fmt: skip
    if agreed < arguments.min_agree:
        print(f"FAILED: expected at least {arguments.min_agree} answers that agree, got {agreed}")
    return 1 if report.failures or agreed < arguments.min_agree else 0


def find_planted(cases):
    """Checks that the oracle finds each planted bug, and that the comparison of host with the reference does not. A
    listed difference would count as a find."""
    failed, cases = 0, [case for case in cases if not known.is_listed(case)]
    for bug in planted_bugs.BUGS:
        work = lambda case, begin, bug=bug: examine(case, begin, bug)  # noqa: E731
        affected = [case for case in cases if planted_bugs.with_bug(bug, case.model) is not None]
        found, inside = 0, []
        for case, outcome in answers.run_all(affected, work):
            result = result_of(outcome, case)
            found += any(answer.kind == "differs" for answer in result.answers.values())
            inside += [case.name] if result.targets else []
        print(f"{bug.name}: {len(affected)} models have the bug, the oracle finds it in {found}, "
              f"host differs from the reference in {len(inside)}{': ' if inside else ''}{' '.join(inside)}")  # fmt: skip
        failed += found == 0 or bool(inside)
    return 1 if failed else 0


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True, help="convoy")
    parser.add_argument("--package", required=True, help="The folder of the Python package of the build")
    parser.add_argument("--classes", default="op", help="data, op, graph, model and network, separated by commas (default: op)")
    parser.add_argument("--data", nargs="*", default=[DEBIAN], help="Folders of ONNX's node tests (default: Debian's)")
    parser.add_argument("--shared", default="", help="The folder that contains models/")
    parser.add_argument("--graphs", type=int, default=2000, help="Number of generated graphs (default: 2000)")
    parser.add_argument("--share", type=float, default=1.0, help="Run this share of the cases and all listed cases (default: 1)")
    parser.add_argument("--only", help="Run the cases whose name matches")
    parser.add_argument("--min-agree", type=int, default=0, help="Fail if fewer answers agree (default: 0)")
    parser.add_argument("--table", action="store_true", help="Print the largest distances by op")
    parser.add_argument("--planted", action="store_true", help="Plant bugs of an importer and check that the oracle finds them")
    return parser.parse_args()


def main():
    arguments = parse()
    try:
        answers.peer.library()
    except SystemExit as missing:
        print(f"skipped: {missing}")
        return SKIPPED
    sys.path.insert(0, arguments.package)
    np.seterr(all="ignore")
    cases = collect(arguments)
    return find_planted(cases) if arguments.planted else compare_all(arguments, cases)


if __name__ == "__main__":
    sys.exit(main())
