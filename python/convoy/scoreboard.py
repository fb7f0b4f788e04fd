# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs ONNX's backend tests through `convoy.backend` and prints the CSV of ONNX's backend scoreboard.

    python3 -m convoy.scoreboard /usr/share/libonnx-testdata/data --csv DIR

The CSV is on stdout, the tests that did not pass and the counts are on stderr. Each test runs in a
process of a pool, so that a crash or a hang ends one test. The installed package onnx may be older
than the tests: this program decodes the data files itself and does not call ONNX's checker.
"""

import argparse
import csv
import datetime
import io
import multiprocessing
import os
import queue
import re
import sys
import threading

import numpy
import onnx
from convoy_runtime import Error

from . import backend
from ._onnx_data import difference, read_value

# The tolerance of ONNX's own runner.
_RELATIVE, _ABSOLUTE = 1e-3, 1e-7
_GROUPS = ("light", "node", "pytorch-converted", "pytorch-operator", "simple")


def _numbered(prefix):
    """Returns prefix0.pb, prefix1.pb, ... as far as the files exist."""
    found = []
    while os.path.exists(f"{prefix}{len(found)}.pb"):
        found.append(f"{prefix}{len(found)}.pb")
    return found


def _tests_in(folder):
    """Returns (group, name, model, data sets) of each test; a data set is (inputs, outputs)."""
    found = []
    group = os.path.basename(os.path.normpath(folder))
    for entry in sorted(os.listdir(folder)):
        path = os.path.join(folder, entry)
        model = os.path.join(path, "model.onnx")
        if os.path.exists(model):
            sets = sorted(name for name in os.listdir(path) if name.startswith("test_data_set_"))
            found.append((group, entry, model, [(_numbered(os.path.join(path, each, "input_")),
                                                 _numbered(os.path.join(path, each, "output_"))) for each in sets]))
        elif entry.endswith(".onnx") and _numbered(path[:-len(".onnx")] + "_output_"):
            found.append((group, entry[:-len(".onnx")], path, [([], _numbered(path[:-len(".onnx")] + "_output_"))]))
    return found


def find_tests(folder):
    """Returns the tests of a folder, or of the groups in it."""
    found = _tests_in(folder)
    for group in _GROUPS if not found else ():
        if os.path.isdir(os.path.join(folder, group)):
            found += _tests_in(os.path.join(folder, group))
    return found


def _ramp(value):
    """Returns the input of ONNX's light models: ascending numbers."""
    shape = [dim.dim_value or 1 for dim in value.type.tensor_type.shape.dim]
    count = int(numpy.prod(shape))
    return (numpy.arange(count, dtype=numpy.float32) / numpy.float32(count)).reshape(shape)


def run_test(test, build):
    """Runs a test. Returns the reason of a failure, or an empty text."""
    _, _, path, sets = test
    with open(path, "rb") as file:
        data = file.read()
    graph = onnx.ModelProto.FromString(data).graph
    initialized = {tensor.name for tensor in graph.initializer}
    if not sets:
        return "the test has no data"
    try:
        prepared = backend.prepare(data, **build)
        for inputs, outputs in sets:
            feed = {value.name: read_value(file, value.type) for value, file in zip(graph.input, inputs)}
            if not inputs:
                feed = {value.name: _ramp(value) for value in graph.input if value.name not in initialized}
            results = prepared.run(feed)
            for value, result, file in zip(graph.output, results, outputs):
                text = difference(result, read_value(file, value.type), value.type, _RELATIVE, _ABSOLUTE)
                if text:
                    return f"wrong result: output '{value.name}' {text}"
    except (Error, ValueError) as error:
        return str(error).splitlines()[0]
    return ""


def _serve(connection, build):
    """Runs tests until the parent sends None or ends."""
    try:
        while True:
            test = connection.recv()
            if test is None:
                return
            connection.send(run_test(test, build))
    except EOFError:
        pass


class _Worker:
    """A process that runs one test after another. After a crash or a hang, a new process replaces it."""

    # A forked process would inherit the pipes of the other workers and hide the end of a process.
    _context = multiprocessing.get_context("spawn")

    def __init__(self, build, seconds):
        self._build, self._seconds = build, seconds
        self._start()

    def _start(self):
        self._pipe, other = self._context.Pipe()
        self._process = self._context.Process(target=_serve, args=(other, self._build), daemon=True)
        self._process.start()
        other.close()

    def run(self, test):
        """Returns the reason of a failure, or an empty text."""
        self._pipe.send(test)
        try:
            if self._pipe.poll(self._seconds):
                return self._pipe.recv()
            problem = f"hang: no result after {self._seconds:g} s"
        except (EOFError, ConnectionResetError):
            self._process.join()
            problem = f"crash: the process ended with code {self._process.exitcode}"
        self._process.kill()
        self._process.join()
        self._start()
        return problem

    def close(self):
        self._pipe.send(None)
        self._process.join()


def run_tests(tests, build, jobs=0, seconds=300, done=None):
    """Returns the reason of each test in order. Calls done(test, reason) when a test has ended."""
    waiting = queue.SimpleQueue()
    for index in range(len(tests)):
        waiting.put(index)
    reasons = [""] * len(tests)
    workers = [_Worker(build, seconds) for _ in range(jobs or os.cpu_count() or 1)]

    def work(worker):
        while True:
            try:
                index = waiting.get_nowait()
            except queue.Empty:
                return
            reasons[index] = worker.run(tests[index])
            if done:
                done(tests[index], reasons[index])

    threads = [threading.Thread(target=work, args=(worker,)) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for worker in workers:
        worker.close()
    return reasons


def _op_of(node):
    """Returns the name of an operator of ONNX's own domain, else None; the scoreboard lists no other domain."""
    return node.op_type if node.domain in ("", "ai.onnx") else None


def coverage(tests, reasons):
    """Returns ({operator: whether a test with it passed}, {model: (covered, operators, whether it passed)}).

    The operators are those of the installed package onnx and those of the tests. As on the scoreboard,
    an operator passes if one test that contains it passes.
    """
    ops = {schema.name: False for schema in onnx.defs.get_all_schemas() if schema.domain in ("", "ai.onnx")}
    graphs = []
    for (group, _, path, _), reason in zip(tests, reasons):
        model = onnx.load(path, load_external_data=False)
        used = sorted({op for op in map(_op_of, model.graph.node) if op})
        for op in used:
            ops[op] = ops.get(op, False) or not reason
        if group != "node":
            graphs.append((model.graph.name, used, not reason))
    models = {}
    for name, used, passed in graphs:
        before = models.get(name, (0, 0, False))
        models[name] = (sum(ops[op] for op in used), len(used), passed or before[2])
    return ops, models


def _experimental():
    return {schema.name for schema in onnx.defs.get_all_schemas()
            if schema.support_level == onnx.defs.OpSchema.SupportType.EXPERIMENTAL}


def csv_files(ops, models, column="Convoy"):
    """Returns {file name: text} of the scoreboard's files."""
    def text(rows):
        file = io.StringIO()
        csv.writer(file, lineterminator="\n").writerows(rows)
        return file.getvalue()

    experimental = _experimental()
    verdict = {True: "Passed!", False: "Failed!"}
    nodes = [["Op", column]]
    nodes += [[op + (" (Experimental)" if op in experimental else ""), verdict[ops[op]]] for op in sorted(ops)]
    nodes.append(["Summary", f"{sum(ops.values())}/{len(ops)} node tests passed"])
    rows = [["Model", column]]
    rows += [[name, f"{covered}/{used} nodes covered: {verdict[passed]}"]
             for name, (covered, used, passed) in sorted(models.items())]
    rows.append(["Summary", f"{sum(entry[2] for entry in models.values())}/{len(models)} model tests passed"])
    now = datetime.datetime.now().isoformat(" ", "seconds")
    return {"nodes.csv": text(nodes), "models.csv": text(rows), "metadata.csv": text([["Latest Update", now]])}


def _report(tests, reasons):
    """Prints the counts per group. Returns the number of passed tests."""
    for group in sorted({test[0] for test in tests}):
        of_group = [reason for test, reason in zip(tests, reasons) if test[0] == group]
        print(f"group {group}: {of_group.count('')} of {len(of_group)} passed", file=sys.stderr)
    passed = reasons.count("")
    print(f"{passed} of {len(tests)} passed", file=sys.stderr)
    return passed


def _arguments(arguments):
    parser = argparse.ArgumentParser(prog="python3 -m convoy.scoreboard", description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="folder of tests, or of the groups node, simple, ...")
    parser.add_argument("--csv", metavar="DIR", help="also write nodes.csv, models.csv and metadata.csv to a folder")
    parser.add_argument("--target", default="host", help="target of convoy.compile (default: host)")
    parser.add_argument("--filter", default="", metavar="REGEX", help="run only the tests whose group/name matches")
    parser.add_argument("--jobs", type=int, default=0, help="number of processes (default: one per core)")
    parser.add_argument("--time-limit", type=float, default=300, metavar="S", help="seconds of one test (default: 300)")
    parser.add_argument("--min-passed", type=int, default=0, help="end with exit code 1 if fewer tests pass")
    return parser.parse_args(arguments)


def main(arguments=None):
    args = _arguments(arguments)
    tests = [test for test in find_tests(args.folder) if re.search(args.filter, f"{test[0]}/{test[1]}")]
    if not tests:
        print(f"error: no tests in '{args.folder}'", file=sys.stderr)
        return 1

    def done(test, reason):
        if reason:
            print(f"not passed {test[0]}/{test[1]}: {reason}", file=sys.stderr)

    reasons = run_tests(tests, {"target": args.target}, args.jobs, args.time_limit, done)
    files = csv_files(*coverage(tests, reasons))
    print(files["nodes.csv"], end="")
    if args.csv:
        os.makedirs(args.csv, exist_ok=True)
        for name, text in files.items():
            with open(os.path.join(args.csv, name), "w", encoding="utf-8") as file:
                file.write(text)
    passed = _report(tests, reasons)
    if passed < args.min_passed:
        print(f"error: only {passed} passed, expected at least {args.min_passed}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
