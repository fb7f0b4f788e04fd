# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests bench/zoo/predictions.py: it joins measured and predicted times by kernel, and lists kernels with wrong
predictions and generic loops with their reason.

  zoo_predictions_test.py BENCH
"""

import os
import sys
import unittest

BENCH = os.path.abspath(sys.argv.pop(1))
sys.path.insert(0, BENCH)

from zoo import predictions  # noqa: E402

LAYERS = [{"kernel": "a", "nodes": "'x' (Mul) + 'y' (Add)", "template": "loops", "ms": 2.0},
          {"kernel": "b", "nodes": "'z' (Conv)", "template": "conv_direct", "ms": 3.0},
          {"kernel": "b", "nodes": "'w' (Conv)", "template": "conv_direct", "ms": 5.0}]
KERNELS = [{"kernel": "a", "predicted_ns": 8e6, "refusals": [{"reason": "no pool"}, {"reason": "no lanes"}]},
           {"kernel": "b", "predicted_ns": 2e6, "refusals": [{"reason": "no pool"}]}]


class Predictions(unittest.TestCase):
    def test_calls_of_a_kernel_are_one_row(self):
        rows = predictions.compared(LAYERS, KERNELS)
        self.assertEqual([(row["kernel"], row["calls"], row["us"]) for row in rows], [("b", 2, 8000.0), ("a", 1, 2000.0)])
        self.assertEqual([row["ratio"] for row in rows], [0.5, 4.0])
        self.assertEqual([row["share"] for row in rows], [0.8, 0.2])

    def test_a_network_lists_wrong_predictions_and_generic_loops(self):
        lines = predictions.network_lines("n", predictions.compared(LAYERS, KERNELS), least=0.5)
        self.assertEqual(lines[0], "n: 2 kernels, 10.000 ms, predicted 1.20")
        self.assertEqual(len(lines), 4)  # the kernel below the least share has no line of its own
        self.assertEqual(lines[2:], ["  outside: a (loops Add+Mul), predicted 4.00 of the measured time",
                                     "  generic loops: 20.0 % a: no lanes"])

    def test_reasons_of_ops_without_templates(self):
        def reason(name):
            return predictions.reason_of({"kernel": name, "refusals": [{"reason": "no pool"}]}, {"no pool": 1})

        for name in ("binary_7", "gather_nd_3"):
            self.assertEqual(reason(name), predictions.NO_LOOP)
        self.assertEqual(reason("max_pool_1"), "no pool")

    def test_classes(self):
        lines = predictions.class_lines(predictions.compared(LAYERS, KERNELS))
        self.assertEqual([line.rpartition(": ")[2] for line in lines], ["conv_direct", "loops Add+Mul"])
        self.assertIn("predicted   4.00, geometric mean   4.00, 1 outside", lines[1])

    def test_a_call_that_does_not_run_has_no_prediction(self):
        rows = predictions.compared([*LAYERS, {**LAYERS[1], "ms": 0.0}], KERNELS)
        self.assertEqual([row["ratio"] for row in rows], [0.5, 4.0])

    def test_a_kernel_without_a_measurement_has_no_row(self):
        self.assertEqual(predictions.compared([], KERNELS), [])


if __name__ == "__main__":
    unittest.main()
