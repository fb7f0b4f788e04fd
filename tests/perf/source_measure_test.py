# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests bench/source/measure: it measures each network once, compares the outputs, and the table names the
networks above the limits. A script answers in place of convoy with models of a few lines, so the test
needs no build.

  source_measure_test.py BENCH
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

BENCH = os.path.abspath(sys.argv.pop(1))
sys.path.insert(0, BENCH)

from source import networks, page  # noqa: E402
from zoo import make_kinds, results  # noqa: E402

# A model y = x + 1 with a table. The C of `wrong` adds 2, and the C of `broken` does not compile.
MODEL = """#include "convoy/table.h"
#include <stddef.h>
static const int64_t shape[] = {4};
static const convoy_tensor tensors[] = {{"x", 1, 1, shape, NULL, 16, NULL, NULL, 0, -1, -1, 0}};
static int32_t run(const void *const *inputs, void *const *outputs, void *workspace) {
  for (int i = 0; i < 4; ++i) {
    ((float *)outputs[0])[i] = ((const float *)inputs[0])[i] + ADDED;
  }
  return workspace == NULL;
}
static const char *text(int32_t code) { return code ? "null" : "none"; }
static const convoy_model table = {.inputs = tensors, .outputs = tensors, .input_count = 1, .output_count = 1,
                                   .run = run, .error_text = text};
const convoy_model *convoy_library_model(void);
const convoy_model *convoy_library_model(void) { return &table; }
"""
STUB = """#!/usr/bin/env python3
import json, os, subprocess, sys
arguments = sys.argv[1:]
with open(os.environ["COUNT"], "a") as file:
    file.write(" ".join(arguments) + "\\n")
name = os.path.splitext(os.path.basename(arguments[1]))[0]
folder = arguments[arguments.index("-o") + 1]
os.makedirs(folder)
path = os.path.join(folder, "net.c")
is_source = "--emit=c" in arguments
added = 2 if name == "wrong" and is_source else 1
with open(path, "w") as file:
    file.write("#error broken\\n" if name == "broken" and is_source else MODEL.replace("ADDED", str(added)))
flags = ["-O1", "-I" + RUNTIME]
if is_source:
    print(json.dumps({"source_compiler": ["cc", *flags]}))
else:
    library = os.path.join(folder, "net.so")
    subprocess.run(["cc", *flags, "-fPIC", "-shared", path, "-o", library], check=True)
    print(json.dumps({"library": library}))
"""


class Measure(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.convoy, self.count = os.path.join(self.folder, "convoy"), os.path.join(self.folder, "count")
        runtime = os.path.join(BENCH, "..", "runtime", "include")
        with open(self.convoy, "w", encoding="utf-8") as file:
            file.write(STUB.replace("\nimport", f"\nMODEL, RUNTIME = {MODEL!r}, {runtime!r}\nimport", 1))
        os.chmod(self.convoy, 0o755)

    def networks(self, *names):
        for name in names:
            with open(os.path.join(self.folder, name + ".onnx"), "w", encoding="utf-8") as file:
                file.write(name)

    def measure(self, *arguments):
        stored = os.path.join(self.folder, "results.jsonl")
        command = [sys.executable, os.path.join(BENCH, "source", "measure"), "--folder", self.folder, "--convoy", self.convoy,
                   "--results", stored, "--compilers=cc", "--samples=3", "--milliseconds=0.1", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "COUNT": self.count})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, {record["model"]: record for record in results.read(stored)}

    def calls(self):
        with open(self.count, encoding="utf-8") as file:
            return file.read().splitlines()

    def test_outputs_are_compared_and_a_failure_has_its_reason(self):
        self.networks("good", "wrong", "broken")
        out, records = self.measure("good", "wrong", "broken")
        self.assertEqual(records["good"]["compilers"]["cc"]["distance"], 0)
        self.assertGreater(records["wrong"]["compilers"]["cc"]["distance"], 0.1)
        self.assertIn("`cc` ended with code 1", records["broken"]["reason"])
        self.assertGreater(records["good"]["compilers"]["cc"]["ratio"], 0)
        wrong = [line for line in out.splitlines() if line.startswith("| wrong")]
        self.assertIn("DIFFERS", wrong[0])
        self.assertTrue(any("--loops" not in call and "--emit=c" in call for call in self.calls()))

    def test_a_second_run_measures_only_what_is_new(self):
        self.networks("good")
        self.measure("good")
        self.assertEqual(len(self.calls()), 2)
        self.measure("good")
        self.assertEqual(len(self.calls()), 2)
        self.measure("good", "--loops=plain")
        self.assertIn("--loops=plain", self.calls()[3])
        records = self.measure("good", "--flags", f"-O0 -I{os.path.join(BENCH, '..', 'runtime', 'include')}")[1]
        self.assertEqual(len(self.calls()), 6)
        self.assertTrue(records["good"]["compiler_flags"].startswith("-O0"))
        self.measure("good", "--again")
        self.assertEqual(len(self.calls()), 8)

    def test_a_saved_measurement_has_a_page(self):
        self.networks("good")
        saved = os.path.join(self.folder, "source.json")
        self.measure("good", "--save", saved, "--note", "The machine was idle.")
        with open(saved, encoding="utf-8") as file:
            text = page.text(json.load(file))
        self.assertIn(" The machine was idle.\n", text)
        self.assertIn("| good | good |", text)


class Page(unittest.TestCase):
    def test_the_networks_above_a_limit_are_listed(self):
        def row(ratio):
            return {"ms": 1, "ratio": ratio, "ratio_low": ratio, "ratio_high": ratio, "distance": 0, "compile_cpu_s": 1}
        records = [{"model": f"m{i}", "compilers": {"clang-19": row(clang), "gcc": row(gcc)}}
                   for i, (clang, gcc) in enumerate([(1.5, 2.1), (1.6, 2.0), (3.0, 1.0)])]
        self.assertEqual(page.misses(records)[1:], [
            "- clang-19: 1 of 3 networks take at most 1.5 times the time of the library. Above the limit: m2 (3.00), m1 (1.60).",
            "- gcc: 2 of 3 networks take at most 2 times the time of the library. Above the limit: m0 (2.10)."])

    def test_the_list_has_twenty_classes(self):
        self.assertEqual((len(networks.CLASSES), len(set(networks.CLASSES.values()))), (20, 20))
        self.assertGreater(len(set(networks.CLASSES) & set(make_kinds.KINDS)), 10)


if __name__ == "__main__":
    unittest.main()
