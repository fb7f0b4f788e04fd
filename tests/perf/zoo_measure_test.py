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
from zoo import machine, page, results  # noqa: E402

# Answers as convoy: writes its calls to COUNT, refuses `refused`, and never ends for `slow...`. `good` has generic loops.
STUB = """#!/usr/bin/env python3
import json, os, sys, time
arguments = sys.argv[1:]
name = os.path.basename(arguments[1]).partition(".")[0]
is_library = arguments[1].endswith(".so")
with open(os.environ["COUNT"], "a") as file:
    file.write(arguments[0] + (".so " if is_library else " "))
if name.startswith("slow"):
    time.sleep(600)
if arguments[0] == "compile":
    if name == "refused":
        print(json.dumps({"exitCode": 2, "problems": [{"kind": "unsupported", "text": "not supported: " + arguments[1]}]}))
        sys.exit(2)
    folder = arguments[arguments.index("-o") + 1]
    os.makedirs(folder, exist_ok=True)
    open(os.path.join(folder, name + ".so"), "w").close()
    print(json.dumps({"layers": [{"template": "loops" if name == "good" else "rows", "predicted_ns": 1e5},
                                 {"template": "matmul", "predicted_ns": 4e5}]}))
    sys.exit(0)
if arguments[0] == "explain":
    print(json.dumps({"kernels": [{"kernel": "k0", "predicted_ns": 1e5, "refusals": [{"reason": "no rows"}]},
                                  {"kernel": "k1", "predicted_ns": 4e5}]}))
    sys.exit(0)
if name == "halted":
    print("warning: x\\nerror: the output has no size\\nerror: another", file=sys.stderr)
    sys.exit(1)
if "--layers" in arguments:
    rows = [{"kernel": "k0", "nodes": "n0", "template": "loops", "ms": 1.0},
            {"kernel": "k1", "nodes": "n1", "template": "matmul", "ms": 3.0}]
else:
    assert is_library and os.path.exists(arguments[1]) and os.path.exists(arguments[arguments.index("--baseline-model") + 1])
    right = name != "wrong"
    rows = [{"threads": 1, "convoy_ms": 1.0, "peer_ms": 2.0, "ratio": 0.5, "ratio_low": 0.4, "ratio_high": 0.6, "right": right,
             "relative_error": 1e-6 if right else 0.5, "peak_gflops": 100.0, "peak_spread": 0.1, "cpu_ratio": 0.7,
             "cpu_ratio_low": 0.6, "cpu_ratio_high": 0.8, "convoy_cpu_ms": 0.7, "peer_cpu_ms": 1.0}]
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
            "kernels above 1 % of the time, in 0 networks with measured kernels: 0 generic loops; 0 predicted at less than 0.5 or more "
            "than 2 times the measured time"])

    def test_kernels(self):
        kernels = [{"kernel": "a", "nodes": "n", "template": "loops", "share": 0.6, "us": 600, "ratio": 1 / 3, "reason": "r"},
                   {"kernel": "b", "nodes": "n", "template": "conv", "share": 0.395, "us": 395, "ratio": 1.0, "reason": "s"},
                   {"kernel": "c", "nodes": "n", "template": "loops", "share": 0.005, "us": 5, "ratio": 20.0, "reason": "t"}]
        facts = results.kernel_facts(kernels)
        self.assertAlmostEqual(facts["measured_loops_share"], 0.605)
        self.assertAlmostEqual(facts["executed_predicted_ms"], 0.001 * (600 / 3 + 395 + 100))
        self.assertEqual([row["kernel"] for row in facts["loops"]], ["a"])  # c takes less than 1 %
        self.assertEqual([row["kernel"] for row in facts["mispredicted"]], ["a"])
        self.assertEqual(results.kernel_lines([record("m", "A", [], **facts)]),
                         ["m: 60.0 % a: generic loops: n: r", "m: 60.0 % a (loops): predicted 0.33 of the measured time"])

    def test_newest_record_of_one_cpu(self):
        older, newer = record("m", "A", [0.5]), record("m", "A", [0.7])
        other = {**record("m", "A", [0.9]), "cpu": "AVX-512"}
        self.assertEqual(results.newest([older, newer, other], lambda one: one["cpu"] == "AVX2"), [newer])

    def test_kernels_that_do_not_run_are_not_predicted(self):
        row = record("m", "A", [0.5], predicted_ms=8.0)
        row["threads"]["1"]["convoy_ms"] = 4.0
        self.assertEqual(results.predicted_over_measured(row), 2.0)
        self.assertEqual(results.predicted_over_measured({**row, "executed_predicted_ms": 3.0}), 0.75)


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


class Compiler(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root, machine.ROOT = machine.ROOT, folder.name
        self.addCleanup(setattr, machine, "ROOT", root)

    def change(self, path, text):
        path = os.path.join(machine.ROOT, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        machine.git("add", "--all")

    def test_only_sources_of_the_compiler_change_its_hash(self):
        self.assertEqual(machine.compiler_hash(), "unknown")  # no repository
        machine.git("init")
        for path in ("compiler/Fusion/Fuse.cpp", "compiler/Fusion/README.md", "compiler/Fusion/test/fuse.mlir", "docs/a.md"):
            self.change(path, "first")
        machine.git("-c", "user.name=n", "-c", "user.email=n@example.org", "commit", "-m", "first")
        before = machine.compiler_hash()
        for path in ("compiler/Fusion/README.md", "compiler/Fusion/test/fuse.mlir", "docs/a.md"):
            self.change(path, "second")
        self.assertEqual(machine.compiler_hash(), before)
        self.change("compiler/Fusion/Fuse.cpp", "second")
        self.assertNotEqual(machine.compiler_hash(), before)


class Page(unittest.TestCase):
    MEASURED = {"date": "2026-01-01", "machine": "M", "cores": 2, "peer": "P", "command": "bench/zoo/measure", "commit": "c",
                "cpu": "AVX2", "rows": RECORDS}

    def test_every_network_is_on_the_page(self):
        text = page.text(self.MEASURED)
        self.assertIn("| A | a2 | 1.5 | agrees, 1e-06 | 2.00 (1.90 to 2.10) | 1.60 (1.50 to 1.70) |  |  |\n", text)
        self.assertIn("| C | wrong | 1.5 | WRONG RESULT, 1e-06 | 0.10 (0.00 to 0.20) |  |  |  |\n", text)
        self.assertIn("| D | d | unsupported | text of unsupported |\n", text)
        self.assertIn("at commit c on M (AVX2), 2 cores, with `bench/zoo/measure`. The baseline is P. The load of the machine before "
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

    def measure(self, *arguments, threads="1"):
        command = [sys.executable, os.path.join(BENCH, "zoo", "measure"), "--folder", self.folder, "--convoy", self.convoy,
                   "--threads", threads]
        done = subprocess.run([*command, *arguments], capture_output=True, text=True,
                              env={**os.environ, "COUNT": self.count})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, {record["model"]: record for record in results.read(os.path.join(self.folder, "results.jsonl"))}

    def networks(self, *names):
        for name in names:
            with open(os.path.join(self.folder, name + ".onnx"), "w", encoding="utf-8") as file:
                file.write(name)

    def calls(self):
        """The calls of convoy since the last call of this function."""
        calls = read(self.count).decode().split() if os.path.exists(self.count) else []
        open(self.count, "w", encoding="utf-8").close()
        return calls

    def test_each_failure_has_its_reason(self):
        self.networks("good", "halted", "refused", "wrong")
        out, records = self.measure()
        facts = {name: (one["failure"], one["reason"]) for name, one in records.items()}
        self.assertEqual(facts, {"good": (None, None), "halted": ("not measured", "exit code 1: the output has no size"),
                                 "refused": ("unsupported", "not supported: refused"),
                                 "wrong": ("wrong result", "relative L2 distance 0.5")})
        self.assertAlmostEqual(records["good"]["loops_share"], 0.2)
        self.assertAlmostEqual(results.loops_share(records["good"]), 0.25)
        self.assertAlmostEqual(results.predicted_over_measured(records["good"]), 0.5)
        self.assertAlmostEqual(records["wrong"]["loops_share"], 0)
        self.assertEqual(records["good"]["threads"]["1"]["ratio"], 0.5)
        self.assertIn("4 networks in 4 families; 3 compile without flags\n", out)
        self.assertIn("geometric mean over families, 1 thread: 0.500\n", out)

    def test_a_second_run_measures_only_what_is_new(self):
        self.networks("good")
        whole = ["compile", "bench", "explain", "bench.so"]
        self.measure()
        self.assertEqual(self.calls(), whole)
        self.networks("other")
        self.measure()
        self.assertEqual(self.calls(), ["compile", "bench.so"])  # no generic loops
        with open(os.path.join(self.folder, "good.onnx"), "a", encoding="utf-8") as file:
            file.write("changed")
        self.measure()
        self.assertEqual(self.calls(), whole)
        self.assertIn("\ngood: 25.0 % k0: generic loops: n0: no rows\n", self.measure("--summary", "--kernels")[0])
        self.assertEqual(self.calls(), [])
        self.measure("--again", "good")
        self.assertEqual(self.calls(), ["bench.so"])
        self.measure("--commit", "another", "good")  # the sources of the compiler did not change
        self.assertEqual(self.calls(), [])
        self.measure("--compiler", "another", "good")
        self.assertEqual(self.calls(), whole)

    def test_prepared_takes_libraries_of_an_earlier_compiler(self):
        self.networks("good", "other")
        self.measure("--prepare", "--commit", "early", "--compiler", "one", "good")
        self.calls()
        saved = os.path.join(self.folder, "zoo.json")
        out, records = self.measure("--prepared", "--commit", "late", "--compiler", "two", "--save", saved)
        self.assertEqual(self.calls(), ["bench.so"])
        self.assertEqual((list(records), records["good"]["commit"], records["good"]["compiler"]), (["good"], "early", "one"))
        self.assertIn("1 networks in 1 families; 1 compile", out)
        self.assertIn(" at commit late on ", page.text(json.loads(read(saved))))
        self.assertIn(" The libraries were compiled at commit early.\n", page.text(json.loads(read(saved))))
        self.measure("--prepared", "--commit", "late", "--compiler", "two")
        self.assertEqual(self.calls(), [])
        self.assertIn("0 networks in 0 families", self.measure("--summary", "--compiler", "two")[0])

    def test_short_networks_are_first(self):
        self.networks("a_long", "good")
        with open(os.path.join(self.folder, "a_long.onnx"), "a", encoding="utf-8") as file:
            file.write("a larger file")
        out = self.measure("--prepare")[0]
        self.assertLess(out.index("good: compiled"), out.index("a_long: compiled"))
        facts = os.path.join(self.folder, "compiled", "a_long.1", "facts.json")
        with open(facts, "r+", encoding="utf-8") as file:
            changed = json.load(file)
            file.seek(0)
            json.dump({**changed, "predicted_ms": 0.1}, file)
            file.truncate()
        out = self.measure()[0]
        self.assertLess(out.index("a_long ..."), out.index("good ..."))

    def test_prepared_networks_are_measured_without_a_compile(self):
        self.networks("good", "refused")
        self.assertEqual(self.measure("--prepare", "--quick")[1], {})
        self.assertEqual(self.calls(), ["compile", "compile"])
        self.networks("other")
        self.assertEqual(sorted(self.measure("--prepared")[1]), ["good", "refused"])
        self.assertEqual(self.calls(), ["bench.so"])
        self.assertEqual(self.measure("--prepared", "--seconds", "0", "--again")[1]["good"]["failure"], None)
        self.assertEqual(self.calls(), [])

    def test_a_busy_machine_compares_cpu_times(self):
        self.networks("other")
        saved = os.path.join(self.folder, "zoo.json")
        row = self.measure("--busy", "--save", saved)[1]["other"]["threads"]["1"]
        self.assertEqual((row["clock"], row["ratio"], row["ratio_high"], row["convoy_ms"]), ("cpu", 0.7, 0.8, 0.7))
        self.assertIn("the ratios on one thread are ratios of CPU times", page.text(json.loads(read(saved))))

    def test_a_later_run_adds_threads(self):
        self.networks("other")
        self.measure("--prepare", threads="1,2")
        self.assertEqual(self.calls(), ["compile", "compile"])
        self.assertEqual(list(self.measure("--prepared")[1]["other"]["threads"]), ["1"])
        self.assertEqual(list(self.measure("--prepared", threads="2")[1]["other"]["threads"]), ["1", "2"])
        self.assertEqual(self.calls(), ["bench.so", "bench.so"])

    def test_a_library_that_is_not_compiled_is_left_out(self):
        self.networks("other")
        self.measure("--prepare")
        self.calls()
        for _ in range(2):
            self.assertEqual(list(self.measure("--prepared", threads="1,2")[1]["other"]["threads"]), ["1"])
        self.assertEqual(self.calls(), ["bench.so"])

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
        self.assertIn(" | agrees, 1e-06 | 0.50 (0.40 to 0.60) | 25 % | 0.50 |", text)
        self.assertIn("| refused | refused | unsupported | not supported: refused |", text)
        self.assertIn("- 1 kernels in generic loops take more than 1 % of the measured time", text)
        self.assertIn("| good | 25.0 % | n0 | no rows |", text)


if __name__ == "__main__":
    unittest.main()
