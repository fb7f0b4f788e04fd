# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests convoy.compile, Model.save, convoy.load and the exceptions of the compiler.

  compile_test.py EXAMPLE.onnx     (the model of examples/make_model.py)
"""

import json
import os
import pathlib
import sys
import tempfile
import threading
import unittest

import convoy
import numpy as np
import onnx
import onnx_models

EXAMPLE = sys.argv.pop(1)
# Fails if an element of x is negative.
ECHO = r"""
#include <convoy/custom_op.h>
#include <math.h>
int32_t echo(const convoy_custom_tensor *in, const convoy_custom_tensor *out, const convoy_custom_attribute *a) {
  double *values = out[0].data;
  values[0] = a[0].f;
  values[1] = (double)a[1].i;
  values[2] = a[2].s[1];
  values[3] = (double)a[3].count;
  values[4] = (double)a[3].ints[1];
  values[5] = (double)a[4].count;
  values[6] = a[4].floats[1];
  values[7] = (double)out[2].shape[0];
  values[8] = out[0].element_type;
  for (int64_t row = 0; row < in[0].shape[0]; ++row) {
    float sum = (float)*(const int64_t *)in[1].data;
    for (int64_t i = 0; i < in[0].shape[1]; ++i) {
      float x = ((const float *)in[0].data)[row * in[0].shape[1] + i];
      if (x < 0) {
        return 5;
      }
      sum += x;
    }
    ((float *)out[1].data)[row] = sqrtf(sum) + 0 * expf(sum * 0);
  }
  for (int64_t i = 0; i < out[2].shape[0]; ++i) {
    ((uint8_t *)out[2].data)[i] = 1;
  }
  return in[1].rank;
}
"""


class CompileTest(unittest.TestCase):
    def test_four_lines(self):
        model = convoy.compile(EXAMPLE)
        outputs = model.run({"image": np.zeros((1, 1, 16, 16), np.float32)})
        np.testing.assert_allclose(outputs["scores"], [[0.5, 0.5]], atol=1e-6)
        self.assertEqual((model.name, model.target), ("stripes", "host"))
        self.assertEqual(model.warnings, [])
        self.assertEqual(model.summary["hash"], model.hash)

    def test_sources(self):
        data, expected = onnx_models.gemm()
        x = np.ones((2, 3), np.float32)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "gemm.onnx")
            path.write_bytes(data)
            for source in (str(path), path, data, bytearray(data), memoryview(data), onnx.load_from_string(data)):
                with self.subTest(type(source)):
                    np.testing.assert_allclose(convoy.compile(source).run({"x": x})["y"], expected(x), atol=1e-5)

    def test_targets(self):
        data, expected = onnx_models.gemm()
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        for target in ("host", "x86-64-v2", "c", "c-plain", "reference"):
            with self.subTest(target):
                model = convoy.compile(data, target=target, threads=1)
                np.testing.assert_allclose(model.run({"x": x})["y"], expected(x), atol=1e-5)
                # The code of emitted C is for this machine.
                self.assertEqual(model.target, "host" if target.startswith("c") else target)
                self.assertEqual([(tensor.name, tensor.shape) for tensor in model.inputs], [("x", (2, 3))])
                self.assertEqual([tensor.name for tensor in model.outputs], ["y"])

    def test_wrong_arguments_of_the_reference(self):
        model = convoy.compile(onnx_models.gemm()[0], target="reference")
        for feed, error_class, sentence in [
                ({}, KeyError, "input 'x' is missing"), ({"x": None}, TypeError, "input 'x': expected an array, got NoneType"),
                ({"x": np.zeros((2, 3))}, TypeError, "input 'x': expected float32, got float64"),
                ({"x": np.zeros((2, 3), np.float32), "q": 1}, KeyError, "the model has no input 'q'; its inputs are 'x'"),
                (5, TypeError, "feed: expected a dictionary"), ({"x": np.zeros((3, 3), np.float32)}, convoy.Error, "x")]:
            with self.subTest(sentence), self.assertRaises(error_class) as caught:
                model.run(feed)
            self.assertIn(sentence, str(caught.exception))

    def test_grain(self):
        # A kernel whose parts would be shorter than the grain stays whole.
        parts, whole = (convoy.compile(EXAMPLE, target="x86-64-v2", threads=2, grain=grain).hash for grain in (1, 1e9))
        self.assertNotEqual(parts, whole)
        with self.assertRaisesRegex(ValueError, "grain: expected a number of more than 0, got 0"):
            convoy.compile(EXAMPLE, grain=0)

    def test_open_dimensions(self):
        data, expected = onnx_models.gemm(batch="N")
        x = np.ones((5, 3), np.float32)
        for arguments in ({"input_shape": {"x": (5, 3)}}, {"input_shape": {"x": [5, None]}}, {"dim": {"N": 5}},
                          {"input_shape": {"x": np.array([5, 3])}}):
            with self.subTest(arguments):
                np.testing.assert_allclose(convoy.compile(data, **arguments).run({"x": x})["y"], expected(x), atol=1e-5)
        # A lone open batch is 1; any other open dimension is an error.
        lone = convoy.compile(data)
        self.assertEqual(lone.inputs[0].shape, (1, 3))
        self.assertIn("'x' has an open batch, which is compiled as 1", "\n".join(map(str, lone.warnings)))
        np.testing.assert_allclose(lone.run({"x": x[:1]})["y"], expected(x[:1]), atol=1e-5)
        with self.assertRaisesRegex(convoy.Error, "input 'x'"):
            convoy.compile(onnx_models.open_relu())

    def test_constants(self):
        model = convoy.compile(onnx_models.two_inputs(), const={"b": np.ones(4, np.float32)})
        self.assertEqual(model.run({"a": np.zeros(4, np.float32), "unused": np.zeros(2, np.float32)})["sum"].tolist(), [1] * 4)

    def test_custom_ops(self):
        """A function sees all inputs, shapes and attributes, on every target."""
        declaration = {"domain": "test", "name": "Echo", "source": "echo.c", "function": "echo",
                       "inputs": [{"name": "x"}, {"name": "shift", "types": ["int64"]}],
                       "attributes": [{"name": "scale", "type": "float", "default": 1.5}, {"name": "count", "type": "int"},
                                      {"name": "word", "type": "string"}, {"name": "pads", "type": "ints", "default": []},
                                      {"name": "taps", "type": "floats", "default": [1, 2.5]}],
                       "outputs": [{"type": "double", "shape": [9]}, {"type": "x", "shape": ["x[0]", 1]},
                                   {"type": "bool", "shape": ["count * x[-1]"]}]}
        data = onnx_models.custom_op(count=4, word="ab", pads=[7, -8])
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "ops.json").write_text(json.dumps({"ops": [declaration]}))
            pathlib.Path(folder, "echo.c").write_text(ECHO)
            for target in ("host", "x86-64-v2", "c", "c-plain", "reference"):
                with self.subTest(target):
                    model = convoy.compile(data, target=target, custom_ops=[pathlib.Path(folder, "ops.json")])
                    outputs = model.run({"x": x})
                    self.assertEqual(outputs["values"].tolist(), [1.5, 4, 98, 2, -8, 2, 2.5, 12, 11])
                    np.testing.assert_allclose(outputs["sums"], np.sqrt(x.sum(1, keepdims=True) + 3), rtol=1e-6)
                    with self.assertRaisesRegex(convoy.Error, "the function"):
                        model.run({"x": -x})
        with self.assertRaisesRegex(TypeError, "custom_ops: expected a path or a list of paths, got int"):
            convoy.compile(data, custom_ops=5)
        with self.assertRaisesRegex(convoy.UnsupportedError, "test.Echo.*as a custom op .custom_ops"):
            convoy.compile(data)

    def test_unused_inputs_are_accepted(self):
        feed = {"a": np.ones(4, np.float32), "b": np.ones(4, np.float32), "unused": np.zeros(2, np.float32)}
        outputs = convoy.compile(onnx_models.two_inputs()).run(feed)
        self.assertEqual((outputs["sum"].tolist(), outputs["difference"].tolist()), ([2] * 4, [0] * 4))

    def test_calibrate(self):
        data = onnx_models.convolution(layers=2, size=8)
        rng = np.random.default_rng(3)
        samples = [{"x": rng.standard_normal((1, 16, 8, 8)).astype(np.float32)} for _ in range(4)]
        exact = convoy.compile(data).run(samples[0])["r1"]
        quantized = convoy.compile(data, calibrate=samples).run(samples[0])["r1"]
        self.assertFalse(np.array_equal(exact, quantized))
        self.assertLess(np.abs(exact - quantized).max(), 0.1 * np.abs(exact).max())
        for wrong, sentence in [([], "calibrate: expected at least one sample"), (5, "calibrate: expected a folder"),
                                ([{"q": 1}], "the model has no input 'q'"), ([5], "calibrate: expected a dictionary, got int"),
                                ("/no/such/folder", "/no/such/folder")]:
            with self.subTest(sentence), self.assertRaises(convoy.Error) as caught:
                convoy.compile(data, calibrate=wrong)
            self.assertIn(sentence, str(caught.exception))

    def test_sequences(self):
        model = convoy.compile(onnx_models.sequence(), target="reference")
        outputs = model.run({"list": [np.array([1, 2, 3], np.float32), np.zeros(3, np.float32)]})
        self.assertEqual((outputs["first"].tolist(), outputs["length"].tolist()), ([1, 2, 3], 2))
        with self.assertRaisesRegex(TypeError, "input 'list': expected a list, got ndarray"):
            model.run({"list": np.zeros(3, np.float32)})

    def test_texts(self):
        outputs = convoy.compile(onnx_models.texts(), target="reference").run({"x": np.array(["a", "b", "c"])})
        self.assertEqual(outputs["y"].tolist(), ["A", "C"])

    def test_progress(self):
        steps = []
        convoy.compile(onnx_models.gemm()[0], progress=lambda *step: steps.append(step))
        self.assertEqual(steps[0][:2], ("import", 1))
        self.assertEqual([step[1] for step in steps], list(range(1, steps[0][2] + 1)))

        def fail(name, number, total):
            raise LookupError(name)

        with self.assertRaisesRegex(LookupError, "import"):
            convoy.compile(onnx_models.gemm()[0], progress=fail)

    def test_threads_may_compile(self):
        data, expected = onnx_models.gemm()
        x, results = np.ones((2, 3), np.float32), []

        def work(index):
            with tempfile.TemporaryDirectory() as folder:
                model = convoy.load(convoy.compile(data, name=f"model{index}").save(folder))
                results.append((model.name, model.run({"x": x})["y"]))

        threads = [threading.Thread(target=work, args=(index,)) for index in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(name for name, _ in results), [f"model{index}" for index in range(4)])
        for _, result in results:
            np.testing.assert_allclose(result, expected(x), atol=1e-5)


class SaveTest(unittest.TestCase):
    def test_save_and_load(self):
        data, expected = onnx_models.gemm()
        x = np.ones((2, 3), np.float32)
        with tempfile.TemporaryDirectory() as folder:
            model = convoy.compile(data, name="product")
            path = model.save(pathlib.Path(folder, "a"))
            self.assertEqual(sorted(os.listdir(os.path.dirname(path))), ["product.h", "product.so"])
            loaded = convoy.load(path)
            np.testing.assert_array_equal(loaded.run({"x": x})["y"], model.run({"x": x})["y"])
            self.assertEqual((loaded.name, loaded.hash), ("product", model.hash))
            mapped = convoy.load(model.save(os.path.join(folder, "b"), name="other", weights="file"))
            np.testing.assert_allclose(mapped.run({"x": x})["y"], expected(x), atol=1e-5)
            again = convoy.load(mapped.save(os.path.join(folder, "c")))
            np.testing.assert_allclose(again.run({"x": x})["y"], expected(x), atol=1e-5)
            source = model.save(os.path.join(folder, "d"), emit="c")
            self.assertIn("product_run", pathlib.Path(source).read_text())

    def test_wrong_arguments(self):
        model = convoy.compile(onnx_models.gemm()[0])
        for arguments, sentence in [({"weights": "no"}, "weights: expected 'linked' or 'file', got 'no'"),
                                    ({"emit": 3}, "emit: expected 'library' or 'c' or 'program', got 3"),
                                    ({"loops": "plain"}, 'loops: expected also emit="c"'),
                                    ({"with_test": True}, 'with_test: expected also emit="c"'),
                                    ({"emit": "c", "input": {}}, "input: expected also with_test=True"),
                                    ({"max_ram": "many"}, "max_ram: expected bytes or a size such as '512K'"),
                                    ({"max_ram": "1K"}, "max_ram and max_flash expect a microcontroller as target, got"),
                                    ({"name": 3}, "name: expected a text or a path, got int")]:
            with self.subTest(sentence), self.assertRaises(convoy.Error) as caught:
                model.save("/nowhere", **arguments)
            self.assertIn(sentence, str(caught.exception))
        with self.assertRaisesRegex(convoy.Error, "/proc/nowhere"):
            model.save("/proc/nowhere")


    def test_c_source_with_a_test_bench(self):
        model = convoy.compile(onnx_models.gemm()[0], name="small")
        with tempfile.TemporaryDirectory() as folder:
            source = model.save(folder, emit="c", loops="plain", io="workspace", with_test=True, input={"x": np.ones((2, 3), np.float32)})
            self.assertTrue(source.endswith("small.c"))
            self.assertTrue([name for name in os.listdir(folder) if "test" in name], os.listdir(folder))

    def test_program_of_a_device(self):
        model = convoy.compile(EXAMPLE, target="nvdla-full")
        with tempfile.TemporaryDirectory() as folder:
            self.assertTrue(os.path.getsize(model.save(folder, emit="program")) > 0)

    def test_report(self):
        self.assertIn("<html", convoy.compile(EXAMPLE, threads=2).report())
        with self.assertRaisesRegex(convoy.Error, "report draws the schedule of several threads, got one; add threads=N"):
            convoy.compile(EXAMPLE, threads=1).report()


class ErrorsTest(unittest.TestCase):
    def test_every_reason_is_listed(self):
        with self.assertRaises(convoy.Error) as caught:
            convoy.compile(onnx_models.broken())
        problems = caught.exception.problems
        self.assertEqual([problem.node for problem in problems], ["first", "second"])
        self.assertEqual([problem.op for problem in problems], ["NoSuchOp", "NorThis"])
        self.assertEqual(str(caught.exception), "\n".join(map(str, problems)))

    def test_problems_have_a_remedy(self):
        with self.assertRaises(convoy.Error) as caught:
            convoy.compile("/no/such.onnx", target="nothing")
        self.assertGreaterEqual(len(caught.exception.problems), 2)
        self.assertIn("/no/such.onnx", str(caught.exception))
        self.assertIn("nothing", str(caught.exception))

    def test_wrong_arguments(self):
        data = onnx_models.gemm()[0]
        for arguments, error_class, sentence in [
                ({"model": 5}, TypeError, "model: expected a path, bytes or an onnx.ModelProto, got int"),
                ({"model": None}, TypeError, "got NoneType"),
                ({"model": b""}, convoy.Error, ""),
                ({"model": b"\0\1\2 no model"}, convoy.Error, ""),
                ({"target": None}, TypeError, "target: expected a text or a path, got NoneType"),
                ({"target": "no-such-target"}, convoy.Error, "no-such-target"),
                ({"threads": -1}, ValueError, "threads: expected at least 0, got -1"),
                ({"threads": "two"}, TypeError, "threads: expected an integer, got str"),
                ({"threads": 2 ** 70}, ValueError, "threads: expected at most 1024"),
                ({"threads": 10 ** 9}, ValueError, "threads: expected at most 1024, got 1000000000"),
                ({"input_shape": {"q": [1]}}, convoy.Error, "the model has no input 'q'; it has 'x'"),
                ({"input_shape": {"x": 5}}, TypeError, "input_shape: 'x': expected a sequence of integers, got int"),
                ({"input_shape": {"x": "ab"}}, TypeError, "input_shape: 'x': expected a sequence of integers, got str"),
                ({"input_shape": {"x": [1.5]}}, TypeError, "input_shape: 'x': expected an integer, got float"),
                ({"input_shape": {"x": [2, -5]}}, ValueError, "input_shape: 'x': expected at least -1, got -5"),
                ({"input_shape": {"x": [7, 3]}}, convoy.Error, "x"),
                ({"input_shape": {"x": [2, 3, 4]}}, convoy.Error, "x"),
                ({"input_shape": [1]}, TypeError, "input_shape: expected a dictionary, got list"),
                ({"input_shape": {3: [1]}}, TypeError, "input_shape: expected names of inputs as keys, got int"),
                ({"dim": {"N": 1}}, convoy.Error, "dim: no input has a dimension 'N'; named dimensions are none"),
                ({"const": {"q": 1}}, KeyError, "the model has no input 'q'"),
                ({"const": {"x": np.zeros((2, 3))}}, TypeError, "input 'x': expected float32, got float64"),
                ({"math": "slow"}, ValueError, "math: expected 'fast' or 'strict', got 'slow'"),
                ({"place": "some"}, ValueError, "place: expected 'all' or 'fastest', got 'some'"),
                ({"records": "/no/such.db"}, convoy.Error, "/no/such.db"),
                ({"records": 5}, TypeError, "records: expected a text or a path, got int"),
                ({"cpu": "no-such-cpu"}, convoy.Error, ""),
                ({"name": "not a name!"}, convoy.Error, ""),
                ({"unknown": 1}, TypeError, "unknown")]:
            with self.subTest(str(arguments)), self.assertRaises(error_class) as caught:
                convoy.compile(**{"model": data, **arguments})
            self.assertIn(sentence, str(caught.exception))
            self.assertTrue(str(caught.exception))


if __name__ == "__main__":
    unittest.main()
