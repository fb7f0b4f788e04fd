# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests convoy_runtime without the compiler: loading, descriptions, outputs, threads.

  runtime_test.py TABLE_MODEL.so EXTENTS.so     (tests/python/table_model.c)
"""

import os
import pathlib
import sys
import tempfile
import threading
import unittest

import convoy_runtime
import numpy as np

EXTENTS = sys.argv.pop(2)
LIBRARY = sys.argv.pop(1)


def feed(n=5):
    return {"x": np.arange(6, dtype=np.float32).reshape(2, 3), "n": np.array(n), "bits": np.zeros(3, np.uint16),
            "half": np.zeros(3, np.float16), "flag": np.zeros(3, bool), "narrow": np.zeros(4, np.int8),
            "empty": np.zeros((0, 5), np.float32)}


class LoadTest(unittest.TestCase):
    def test_description(self):
        model = convoy_runtime.load(pathlib.Path(LIBRARY))
        self.assertEqual((model.name, model.target, model.hash, model.threads), ("table_model", "test", "0123", 1))
        self.assertEqual([tensor.name for tensor in model.inputs], ["x", "n", "bits", "half", "flag", "narrow", "empty"])
        self.assertEqual([tensor.dtype for tensor in model.inputs],
                         [np.float32, np.int64, np.uint16, np.float16, bool, np.int8, np.float32])
        self.assertEqual([tensor.type for tensor in model.inputs[:3]], ["tensor(float)", "tensor(int64)", "tensor(bfloat16)"])
        self.assertEqual(model.inputs[0].shape, (2, 3))
        self.assertEqual((model.inputs[5].scales, model.inputs[5].zero_points, model.inputs[5].scale_axis), ((0.5,), (3,), None))
        self.assertIsNone(model.inputs[0].scales)
        self.assertIn("x: float32[2, 3]", repr(model))

    def test_wrong_files(self):
        with tempfile.TemporaryDirectory() as folder:
            text = os.path.join(folder, "text.so")
            pathlib.Path(text).write_text("no library")
            for path in (text, os.path.join(folder, "missing.so"), folder):
                with self.subTest(path), self.assertRaises(convoy_runtime.Error) as caught:
                    convoy_runtime.load(path)
                self.assertIn(path, str(caught.exception))
        for wrong in (None, 5, b"\xff.so"):
            with self.subTest(wrong), self.assertRaises((TypeError, convoy_runtime.Error)):
                convoy_runtime.load(wrong)

    def test_hash(self):
        self.assertEqual(convoy_runtime.load(LIBRARY, hash="0123").hash, "0123")
        with self.assertRaisesRegex(convoy_runtime.Error, "has hash 0123, and the program was compiled for hash 4567"):
            convoy_runtime.load(LIBRARY, hash="4567")

    def test_verify(self):
        """The library of the test has no SHA-256; tests/trust/verify_files.py loads libraries of the compiler."""
        with self.assertRaisesRegex(convoy_runtime.Error, "has no SHA-256 at its end"):
            convoy_runtime.load(LIBRARY, verify=True)

    def test_object_without_init(self):
        """pybind11 would read uninitialized memory."""
        model = convoy_runtime.Model.__new__(convoy_runtime.Model)
        sentence = "this object has no model, because __init__ did not run; use convoy_runtime.load"
        for use in (lambda: model.run({}), lambda: model.name, lambda: model.inputs, lambda: model.outputs, lambda: model.workspace_bytes,
                    lambda: repr(model)):
            with self.assertRaisesRegex(convoy_runtime.Error, sentence):
                use()
        with self.assertRaisesRegex(TypeError, "expected a Model, got int"):
            convoy_runtime.Model.run(5, {})

    def test_library_without_a_model(self):
        with self.assertRaises(convoy_runtime.Error):
            convoy_runtime.load("libm.so.6")

    def test_sizes_that_depend_on_data(self):
        model = convoy_runtime.load(EXTENTS)
        for columns in (0, 1, 2, 3):
            y = model.run(feed(columns))["y"]
            self.assertEqual(y.shape, (2, columns))
            self.assertEqual(y.ravel().tolist(), [2.0 * i for i in range(2 * columns)])
        out = np.zeros((2, 3), np.float32)
        self.assertTrue(np.shares_memory(model.run(feed(1), out={"y": out})["y"], out))

    def test_save_copies_the_library(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = convoy_runtime.load(LIBRARY).save(os.path.join(folder, "new"))
            self.assertEqual(convoy_runtime.load(copy).run(feed())["z"], 5)
            with self.assertRaisesRegex(convoy_runtime.Error, "cannot save the model"):
                convoy_runtime.load(LIBRARY).save("/proc/no/such/folder")

    def test_a_model_that_loses_its_file_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            model = convoy_runtime.load(convoy_runtime.load(LIBRARY).save(folder))
        self.assertEqual(model.run(feed())["z"], 5)


class RunTest(unittest.TestCase):
    def setUp(self):
        self.model = convoy_runtime.load(LIBRARY)

    def test_outputs_are_new_and_aligned(self):
        first, second = self.model.run(feed()), self.model.run(feed())
        for name in ("y", "z"):
            self.assertEqual(first[name].ctypes.data % 64, 0)
            self.assertNotEqual(first[name].ctypes.data, second[name].ctypes.data)
            self.assertTrue(first[name].flags.writeable)
        self.assertEqual(list(first), ["y", "z"])
        first["y"][:] = 7
        self.assertEqual(second["y"][0, 1], 2)

    def test_outputs_outlive_the_model(self):
        y = self.model.run(feed())["y"]
        del self.model
        self.assertEqual(y[1, 2], 10)

    def test_out(self):
        y = np.zeros((2, 3), np.float32)
        outputs = self.model.run(feed(), out={"y": y})
        self.assertIs(outputs["y"], y)
        self.assertEqual(y[1, 2], 10)
        self.assertEqual(outputs["z"], 5)

    def test_wrong_out(self):
        y, x = np.zeros((2, 3), np.float32), feed()["x"]
        read_only = y.copy()
        read_only.flags.writeable = False
        wanted = "output 'y': out: expected a writable array of float32 [2, 3] in row-major order, got "
        for out, error_class, sentence in [
                ({"y": y.astype(np.float64)}, TypeError, wanted + "float64 [2, 3]"),
                ({"y": y[:1]}, ValueError, wanted + "float32 [1, 3]"),
                ({"y": np.asfortranarray(y)}, ValueError, wanted + "float32 [2, 3], in another order"),
                ({"y": read_only}, ValueError, wanted + "float32 [2, 3], read-only"),
                ({"y": [1]}, TypeError, wanted + "list"),
                ({"y": None}, TypeError, wanted + "NoneType"),
                ({"q": y}, KeyError, "out: 1 names are no outputs; the outputs are 'y', 'z'"),
                ({"y": x}, ValueError, "out: the array of output 'y' overlaps the array of input 'x'"),
                ([y], TypeError, "out: expected a dictionary {name: array}, got list")]:
            with self.subTest(sentence), self.assertRaises(error_class) as caught:
                self.model.run({**feed(), "x": x}, out=out)
            self.assertIn(sentence, str(caught.exception))

    def test_error_of_a_run(self):
        with self.assertRaisesRegex(convoy_runtime.Error, "the device failed"):
            self.model.run(feed(-7))
        self.assertEqual(self.model.run(feed())["z"], 5)

    def test_dlpack_of_outputs(self):
        y = self.model.run(feed())["y"]
        np.testing.assert_array_equal(np.from_dlpack(y), y)
        self.assertEqual(np.from_dlpack(y).ctypes.data, y.ctypes.data)

    def test_bits_and_narrow_types(self):
        values = {**feed(), "bits": np.array([1, 2, 3], np.uint16), "narrow": np.array([-1, 0, 0, 0], np.int8),
                  "flag": np.array([True, False, True]), "half": np.array([0, 0, 0], np.float16)}
        self.assertEqual(self.model.run(values)["z"], 5 + 6 + 255 + 2)

    def test_the_lock_is_released(self):
        """Another thread runs Python code while a run of 3 s waits."""
        done, count = threading.Event(), 0
        thread = threading.Thread(target=lambda: (self.model.run(feed(-8)), done.set()))
        thread.start()
        while not done.wait(0.01):
            count += 1
        thread.join()
        self.assertGreater(count, 20)


if __name__ == "__main__":
    unittest.main()
