# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests bench/zoo/measure: it records each network once, with the reason of a failure, and the summary
and the page are correct. A script answers in place of convoy, so the test needs neither a build nor the
peer.

  zoo_measure_test.py BENCH
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

BENCH = os.path.abspath(sys.argv.pop(1))
sys.path[:0] = [BENCH, os.path.join(BENCH, "..", "scripts", "diagrams")]

import benchmarks  # noqa: E402
from zoo import page, results  # noqa: E402

# Answers as convoy: counts its calls in COUNT, refuses `refused`, and never ends for `slow...`.
STUB = """#!/usr/bin/env python3
import json, os, sys, time
arguments = sys.argv[1:]
with open(os.environ["COUNT"], "a") as file:
    file.write(arguments[0] + "\\n")
name = os.path.basename(arguments[1])
if name.startswith("slow"):
    time.sleep(600)
if arguments[0] == "compile":
    if name == "refused.onnx":
        print(json.dumps({"exitCode": 2, "problems": [{"kind": "unsupported", "text": "not supported: " + arguments[1]}]}))
        sys.exit(2)
    print(json.dumps({"layers": [{"kernel": "k0", "predicted_ns": 1e6}, {"kernel": "k1", "predicted_ns": 1e6}]}))
    sys.exit(0)
if "--layers" in arguments:
    rows = [{"kernel": "k0", "nodes": "n0", "template": "loops", "ms": 1.0},
            {"kernel": "k1", "nodes": "n1", "template": "matmul", "ms": 3.0}]
else:
    if name == "halted.onnx":
        print("warning: x\\nerror: the output has no size", file=sys.stderr)
        sys.exit(1)
    right = name != "wrong.onnx"
    rows = [{"threads": 1, "convoy_ms": 1.0, "peer_ms": 2.0, "ratio": 0.5, "ratio_low": 0.4, "ratio_high": 0.6, "right": right,
             "relative_error": 1e-6 if right else 0.5, "peak_gflops": 100.0, "peak_spread": 0.1, "gflop": 1.0}]
path = [item for item in arguments if item.startswith("--json=")][0][len("--json="):]
json.dump(rows, open(path, "w"))
"""


def read(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


def record(model, family, ratios, failure=None, **more):
    """A record with (ratio on one thread, ratio on two threads); ONNX Runtime takes 8 ms and 4 ms."""
    threads = {str(count + 1): {"ratio": ratio, "ratio_low": ratio - 0.1, "ratio_high": ratio + 0.1, "peer_ms": 8 / (count + 1),
                                "right": failure != results.WRONG, "relative_error": 1e-6}
               for count, ratio in enumerate(ratios)}
    return {"model": model, "family": family, "commit": "c", "cpu": "AVX2", "file": "f", "failure": failure,
            "reason": failure and f"text of {failure}", "compile_cpu_s": 1.5, "load": 0.5, "date": "2026-01-01",
            "threads": threads, **more}


RECORDS = [record("a1", "A", [0.5, 0.4]), record("a2", "A", [2.0, 1.6]), record("b", "B", [0.25, 0.2]),
           record("wrong", "C", [0.1], results.WRONG), record("d", "D", [], "unsupported")]


class Summary(unittest.TestCase):
    def test_a_large_family_counts_once(self):
        self.assertAlmostEqual(results.family_means(RECORDS)[1]["A"], 1.0)
        self.assertAlmostEqual(results.overall_means(RECORDS)[1], 0.5)  # of 1.0 and 0.25
        self.assertAlmostEqual(results.overall_means(RECORDS)[2], 0.4)  # of 0.8 and 0.2

    def test_a_wrong_result_does_not_count(self):
        self.assertNotIn("C", results.family_means(RECORDS)[1])
        self.assertEqual(results.failures(RECORDS), {"unsupported": 1, "wrong result": 1})

    def test_a_peer_that_slows_down_on_more_threads_does_not_count(self):
        slow = record("e", "E", [0.5, 0.1])
        slow["threads"]["2"]["peer_ms"] = 9.0
        self.assertNotIn("E", results.family_means([*RECORDS, slow])[2])
        self.assertIn("E", results.family_means([*RECORDS, slow])[1])

    def test_slower_networks_are_listed(self):
        self.assertEqual([(row["model"], row["threads"]) for row in results.slower(RECORDS)], [("a2", 1), ("a2", 2)])

    def test_lines(self):
        self.assertEqual(results.summary(RECORDS), [
            "5 networks in 4 families; 4 compile without flags", "unsupported: 1", "wrong result: 1",
            "geometric mean over families, 1 thread: 0.500", "geometric mean over families, 2 threads: 0.400",
            "above 1.0, 1 thread: a2 2.00 (1.90 to 2.10)", "above 1.0, 2 threads: a2 1.60 (1.50 to 1.70)",
            "kernels above 1 % of the measured time of their network: 0 generic loops; 0 predicted at less than 0.5 or more "
            "than 2 times the measured time"])

    def test_kernels(self):
        layers = [{"kernel": "a", "nodes": "n", "template": "loops", "ms": 6.0},
                  {"kernel": "b", "nodes": "n", "template": "conv", "ms": 3.95},
                  {"kernel": "c", "nodes": "n", "template": "loops", "ms": 0.05}]
        facts = results.kernel_facts(layers, {"a": 2e6, "b": 4e6, "c": 1e6})
        self.assertAlmostEqual(facts["loops_share"], 0.605)
        self.assertEqual([row["kernel"] for row in facts["loops"]], ["a"])  # c takes less than 1 %
        self.assertAlmostEqual(facts["predicted_over_measured"], 0.7)
        self.assertEqual([row["kernel"] for row in facts["mispredicted"]], ["a"])
        self.assertEqual(results.kernel_lines([record("m", "A", [], **facts)]),
                         ["m: 60.0 % a: generic loops: n", "m: 60.0 % a (loops): predicted 0.33 of the measured time"])

    def test_newest_record_of_one_commit_and_cpu(self):
        older, newer = record("m", "A", [0.5]), record("m", "A", [0.7])
        other = {**record("m", "A", [0.9]), "cpu": "AVX-512"}
        self.assertEqual(results.newest([older, newer, other], "c", "AVX2"), [newer])


class Records(unittest.TestCase):
    def test_an_incomplete_line_is_dropped(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.jsonl")
            results.append(path, {"a": 1})
            with open(path, "a", encoding="utf-8") as file:
                file.write('{"b": ')
            self.assertEqual(results.read(path), [{"a": 1}])
            results.append(path, {"c": 3})
            self.assertEqual(results.read(path), [{"a": 1}, {"c": 3}])


    def test_floats_are_rounded(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.jsonl")
            results.append(path, {"a": [{"b": 0.123456789}], "c": 123456789, "d": None})
            self.assertEqual(results.read(path), [{"a": [{"b": 0.12346}], "c": 123456789, "d": None}])


class Page(unittest.TestCase):
    MEASURED = {"date": "2026-01-01", "machine": "M", "cores": 2, "peer": "P", "command": "bench/zoo/measure", "commit": "c",
                "cpu": "AVX2", "rows": RECORDS}

    def test_every_network_is_on_the_page(self):
        text = page.text(self.MEASURED)
        self.assertIn("| A | a2 | 1.5 | agrees, 1e-06 | 2.00 (1.90 to 2.10) | 1.60 (1.50 to 1.70) |  |  |\n", text)
        self.assertIn("| C | wrong | 1.5 | WRONG RESULT, 1e-06 | 0.10 (0.00 to 0.20) |  |  |  |\n", text)
        self.assertIn("| D | d | unsupported | text of unsupported |\n", text)
        self.assertIn("at commit c on M (AVX2), 2 cores, with `bench/zoo/measure`. The peer is P. The load of the machine before "
                      "a network was 0.5 to 0.5.\n", text)

    def test_a_page_without_a_measurement_says_so(self):
        with tempfile.TemporaryDirectory() as root:
            marked = "<!-- table: zoo.json -->\n<!-- end of table -->\n"
            self.assertIn("No measurement is stored.\n", benchmarks.fill(root, marked))
            os.makedirs(os.path.join(root, benchmarks.FOLDER))
            with open(os.path.join(root, benchmarks.FOLDER, "zoo.json"), "w", encoding="utf-8") as file:
                json.dump(self.MEASURED, file)
            self.assertIn("| B | b |", benchmarks.fill(root, marked))


class Measure(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.convoy, self.count = os.path.join(self.folder, "convoy"), os.path.join(self.folder, "count")
        with open(self.convoy, "w", encoding="utf-8") as file:
            file.write(STUB)
        os.chmod(self.convoy, 0o755)

    def measure(self, *arguments):
        command = [sys.executable, os.path.join(BENCH, "zoo", "measure"), "--folder", self.folder, "--convoy", self.convoy]
        done = subprocess.run([*command, *arguments], capture_output=True, text=True,
                              env={**os.environ, "COUNT": self.count})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, {record["model"]: record for record in results.read(os.path.join(self.folder, "results.jsonl"))}

    def networks(self, *names):
        for name in names:
            with open(os.path.join(self.folder, name + ".onnx"), "w", encoding="utf-8") as file:
                file.write(name)

    def calls(self):
        return read(self.count).decode().split()

    def test_each_failure_has_its_reason(self):
        self.networks("good", "halted", "refused", "wrong")
        out, records = self.measure()
        facts = {name: (one["failure"], one["reason"]) for name, one in records.items()}
        self.assertEqual(facts, {"good": (None, None), "halted": ("not measured", "exit code 1: the output has no size"),
                                 "refused": ("unsupported", "not supported: refused"),
                                 "wrong": ("wrong result", "relative L2 distance 0.5")})
        self.assertAlmostEqual(records["good"]["loops_share"], 0.25)
        self.assertAlmostEqual(records["halted"]["predicted_over_measured"], 0.5)
        self.assertEqual(records["good"]["threads"]["1"]["ratio"], 0.5)
        self.assertIn("4 networks in 4 families; 3 compile without flags\n", out)
        self.assertIn("geometric mean over families, 1 thread: 0.500\n", out)

    def test_a_second_run_measures_only_what_is_new(self):
        self.networks("good")
        self.measure()
        self.assertEqual(self.calls(), ["compile", "bench", "bench"])
        self.networks("other")
        self.measure()
        self.assertEqual(len(self.calls()), 6)
        with open(os.path.join(self.folder, "good.onnx"), "a", encoding="utf-8") as file:
            file.write("changed")
        self.measure()
        self.assertEqual(len(self.calls()), 9)
        self.assertIn("\ngood: 25.0 % k0: generic loops: n0\n", self.measure("--summary", "--kernels")[0])
        self.measure("--again", "good")
        self.assertEqual(len(self.calls()), 12)
        self.measure("--commit", "another", "good")
        self.assertEqual(len(self.calls()), 15)

    def test_a_network_that_takes_too_long_is_ended(self):
        self.networks("slow", "slow_too")
        records = self.measure("--timeout", "1")[1]
        for name in ("slow", "slow_too"):
            self.assertEqual((records[name]["failure"], records[name]["reason"]),
                             ("compile timeout", "`convoy compile` took too long"))

    def test_a_saved_measurement_has_a_page(self):
        self.networks("good", "refused")
        saved = os.path.join(self.folder, "zoo.json")
        self.measure("--save", saved, "--note", "The machine was idle.")
        text = page.text(json.loads(read(saved)))
        self.assertIn(" The machine was idle.\n", text)
        self.assertIn("| good | good |", text)
        self.assertIn("| refused | refused | unsupported | not supported: refused |", text)


if __name__ == "__main__":
    unittest.main()
