# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ctrl-C during a run, a compile, a quantization, a benchmark and a search raises KeyboardInterrupt soon, and Python ends normally.

  interrupt_test.py TABLE_MODEL.so     (tests/python/table_model.c)
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

LIBRARY = sys.argv.pop(1)

# Prints "start" before the call and the seconds since the signal after it.
PROGRAM = """
import os, sys, time
import numpy as np
sys.path.insert(0, {tests!r})
import onnx_models
{imports}
def call():
{call}
print("start", flush=True)
try:
    call()
    print("the call was not interrupted")
except KeyboardInterrupt:
    print("interrupted", time.time(), flush=True)
{after}
"""


class InterruptTest(unittest.TestCase):
    def interrupt(self, imports, call, after="", delay=0.5, limit=1.0):
        program = PROGRAM.format(tests=os.path.dirname(os.path.abspath(__file__)), imports=imports,
                                 call="\n".join("    " + line for line in call.splitlines()), after=after)
        child = subprocess.Popen([sys.executable, "-B", "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(child.stdout.readline(), "start\n", "" if child.poll() is None else child.stderr.read())
        time.sleep(delay)
        sent = time.time()
        child.send_signal(signal.SIGINT)
        output, errors = child.communicate(timeout=100)
        self.assertTrue(output.startswith("interrupted"), output + errors)
        self.assertLess(float(output.split()[1]) - sent, limit)
        self.assertEqual(child.returncode, 0, errors)
        return output

    def test_run(self):
        call = """feed = {"x": np.zeros((2, 3), np.float32), "n": np.array(-8), "bits": np.zeros(3, np.uint16),
        "half": np.zeros(3, np.float16), "flag": np.zeros(3, bool), "narrow": np.zeros(4, np.int8),
        "empty": np.zeros((0, 5), np.float32)}
convoy_runtime.load(%r).run(feed)""" % LIBRARY
        self.interrupt("import convoy_runtime", call)

    def test_reference_run(self):
        call = """x = np.zeros((1, 16, 128, 128), np.float32)
model.run({"x": x})"""
        self.interrupt("import convoy; model = convoy.compile(onnx_models.convolution(size=128, layers=200), target='reference')", call)

    def test_compile(self):
        """The module compiles again after the interruption. The loop ends only by the signal, on fast machines too."""
        after = """
data, expected = onnx_models.gemm()
x = np.ones((2, 3), np.float32)
assert np.allclose(convoy.compile(data).run({"x": x})["y"], expected(x), atol=1e-5)
"""
        self.interrupt("import convoy; data = onnx_models.convolution(layers=150)", "while True:\n    convoy.compile(data)", after)

    def test_bench(self):
        self.interrupt("import convoy", "convoy.bench(onnx_models.convolution(size=64, layers=20), repetitions=10000)", delay=2)

    def test_quantize(self):
        """The next read of a sample fails, so that the process ends soon."""
        call = 'convoy.quantize(model, samples, proof=False, jobs=1, sensitivity_samples=0)'
        imports = """import convoy
model = onnx_models.convolution(size=32, layers=40)
samples = [{"x": np.full((1, 16, 32, 32), i / 3000, np.float32)} for i in range(3000)]"""
        self.interrupt(imports, call, delay=2)

    def test_tune(self):
        with tempfile.TemporaryDirectory() as folder:
            records = os.path.join(folder, "tune.db")
            call = f"for step in convoy.tune(onnx_models.convolution(), {records!r}, time=60, wait=0): pass"
            self.interrupt("import convoy", call, delay=3)


if __name__ == "__main__":
    unittest.main()
