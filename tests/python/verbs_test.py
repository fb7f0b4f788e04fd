# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check, explain, inspect, bench and tune return what the command line prints with --json.

  verbs_test.py CONVOY EXAMPLE.onnx
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

import convoy
import numpy as np
import onnx_models

EXAMPLE = sys.argv.pop(2)
CONVOY = sys.argv.pop(1)


def command_line(verb, *flags):
    done = subprocess.run([CONVOY, verb, EXAMPLE, *flags, "--json"], stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout)


class VerbsTest(unittest.TestCase):
    def test_inspect(self):
        self.assertEqual(convoy.inspect(EXAMPLE), command_line("inspect"))
        self.assertEqual(convoy.inspect(onnx_models.gemm()[0])["nodes_by_op"], {"Gemm": 1, "Relu": 1})
        with tempfile.TemporaryDirectory() as folder:
            library = convoy.compile(EXAMPLE).save(folder)
            self.assertIn("image", json.dumps(convoy.inspect(library)))
        with self.assertRaisesRegex(convoy.Error, "/no/such.onnx"):
            convoy.inspect("/no/such.onnx")

    def test_explain(self):
        self.assertEqual(convoy.explain(EXAMPLE), command_line("explain"))
        device = convoy.explain(EXAMPLE, target="nvdla-full")
        self.assertEqual(device, command_line("explain", "--target", "nvdla-full"))
        self.assertIn("nodes", device)

    def test_sweep(self):
        with tempfile.TemporaryDirectory() as folder:
            np.save(f"{folder}/one.npy", np.ones((1, 1, 16, 16), np.float32))
            page = f"{folder}.html"
            self.addCleanup(lambda: os.path.exists(page) and os.remove(page))
            swept = convoy.sweep(EXAMPLE, "abstract", pes=[64, 128], memory="512K", devices="abstract:pes=32", calibrate=folder,
                                 report=page)
            self.assertEqual(swept, command_line("sweep", "--target", "abstract", "--pes", "64,128", "--memory", "512K", "--devices",
                                                 "abstract:pes=32", "--calibrate", folder))
            with open(page, encoding="utf-8") as file:
                self.assertIn("<svg", file.read())
        self.assertEqual([point["multipliers"] for point in swept["points"]], [64, 128, 32])
        self.assertGreater(swept["points"][0]["cycles"], 0)
        self.assertEqual(convoy.sweep(EXAMPLE, "nvdla-full", optimize="memory"),
                         command_line("sweep", "--target", "nvdla-full", "--optimize", "memory"))
        for arguments, sentence in [({"target": "host"}, "expects a device"), ({"target": "abstract", "pes": 0}, "pes: "),
                                    ({"target": "abstract", "pes": 1.5}, "pes: expected a value or a list of values"),
                                    ({"target": "abstract", "pes": [None]}, "pes: expected numbers or texts"),
                                    ({"target": "nvdla-full", "pes": 64}, "pes: the device 'nvdla-full' has no parameter pes; compare it "
                                     "with other devices by devices instead"),
                                    ({"target": "abstract", "threads": 2}, "unexpected keyword argument 'threads'"),
                                    ({"target": "abstract", "optimize": "size"}, "optimize: expected 'latency' or 'memory'")]:
            with self.subTest(sentence), self.assertRaises(convoy.Error) as caught:
                convoy.sweep(EXAMPLE, **arguments)
            self.assertIn(sentence, str(caught.exception))

    def test_check(self):
        self.assertEqual(convoy.check(EXAMPLE), command_line("check"))
        image = np.ones((1, 1, 16, 16), np.float32)
        result = convoy.check(EXAMPLE, ["host", "c"], input={"image": image})
        self.assertTrue(result["passed"])
        self.assertEqual([(output["target"], output["case"]) for output in result["outputs"]], [("host", "given"), ("c", "given")])
        for arguments, sentence in [({"target": []}, "target: expected at least one target"),
                                    ({"target": "no-such-target"}, "no-such-target"),
                                    ({"golden": "/no/such/folder"}, "golden: "),
                                    ({"input": {"q": 1}}, "the model has no input 'q'")]:
            with self.subTest(sentence), self.assertRaises(convoy.Error) as caught:
                convoy.check(EXAMPLE, **arguments)
            self.assertIn(sentence, str(caught.exception))

    def test_bench(self):
        rows = convoy.bench(EXAMPLE, [1, 2], repetitions=3)
        self.assertEqual([row["threads"] for row in rows], [1, 2])
        self.assertTrue(all(row["convoy_ms"] > 0 for row in rows))
        layers = convoy.bench(EXAMPLE, repetitions=3, layers=True)
        self.assertEqual([row["layer"] for row in layers], list(range(1, len(layers) + 1)))
        self.assertTrue(layers)
        with self.assertRaisesRegex(convoy.Error, "/no/such.onnx"):
            convoy.bench("/no/such.onnx")
        with self.assertRaisesRegex(ValueError, "repetitions: expected at least 1, got 0"):
            convoy.bench(EXAMPLE, repetitions=0)

    def test_tune(self):
        with tempfile.TemporaryDirectory() as folder:
            records = os.path.join(folder, "tune.db")
            tuning = convoy.tune(EXAMPLE, records, trials=4, batch=2, wait=0)
            steps = list(tuning)
            self.assertGreater(len(steps), 0)
            self.assertEqual(tuning.result["records"], records)
            self.assertGreaterEqual(tuning.result["trials"], steps[-1].trials)
            self.assertEqual(list(tuning), [])
            convoy.compile(EXAMPLE, records=records)
            canceled = convoy.tune(EXAMPLE, records, time="60s", wait=0)
            canceled.cancel()
            self.assertTrue(canceled.run()["interrupted"])
        with self.assertRaisesRegex(TypeError, "records: expected a text or a path, got NoneType"):
            convoy.tune(EXAMPLE, None)
        with self.assertRaisesRegex(convoy.Error, "/no/such.onnx"):
            convoy.tune("/no/such.onnx", "tune.db")


if __name__ == "__main__":
    unittest.main()
