# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""InferenceSession: programs written for ONNX Runtime run with another import.

  session_test.py EXAMPLE.onnx     (the model of examples/make_model.py)
"""

import sys
import tempfile
import unittest

import convoy as onnxruntime
import numpy as np
import onnx_models

EXAMPLE = sys.argv.pop(1)


class SessionTest(unittest.TestCase):
    def test_classification(self):
        """The usual program: open a session, ask for names, run, take the best class."""
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        session = onnxruntime.InferenceSession(EXAMPLE, options, providers=["CPUExecutionProvider"])
        image = np.tile((np.arange(16) // 2 % 2).astype(np.float32), (1, 1, 16, 1))
        input_name, label_name = session.get_inputs()[0].name, session.get_outputs()[0].name
        scores = session.run([label_name], {input_name: image})[0]
        self.assertEqual(int(np.argmax(scores)), 1)
        self.assertEqual(session.get_inputs()[0], ("image", [1, 1, 16, 16], "tensor(float)"))
        self.assertEqual(session.get_inputs()[0].shape, [1, 1, 16, 16])
        self.assertEqual(session.get_outputs()[0].type, "tensor(float)")
        self.assertEqual(session.get_providers(), ["CPUExecutionProvider"])

    def test_sources(self):
        data, expected = onnx_models.gemm()
        x = np.ones((2, 3), np.float32)
        with tempfile.TemporaryDirectory() as folder:
            library = onnxruntime.compile(data).save(folder)
            for source in (data, library):
                session = onnxruntime.InferenceSession(source, None, [("CPUExecutionProvider", {})], [{}])
                np.testing.assert_allclose(session.run(None, {"x": x})[0], expected(x), atol=1e-5)

    def test_output_names(self):
        session = onnxruntime.InferenceSession(onnx_models.two_inputs())
        feed = {"a": np.ones(4, np.float32), "b": np.ones(4, np.float32), "unused": np.ones(2, np.float32)}
        self.assertEqual(len(session.run([], feed)), 2)
        difference, total = session.run(["difference", "sum"], feed)
        self.assertEqual((difference.tolist(), total.tolist()), ([0] * 4, [2] * 4))
        with self.assertRaisesRegex(KeyError, "the model has no output 'q'; its outputs are 'sum', 'difference'"):
            session.run(["q"], feed)

    def test_open_dimensions(self):
        data, expected = onnx_models.gemm(batch="N")
        session = onnxruntime.InferenceSession(data)
        self.assertEqual(session.get_inputs()[0].shape, [None, 3])
        for batch in (1, 4, 1, 7):
            x = np.ones((batch, 3), np.float32)
            np.testing.assert_allclose(session.run(None, {"x": x})[0], expected(x), atol=1e-5)
        with self.assertRaises(onnxruntime.Error):
            session.run(None, {})
        with self.assertRaisesRegex(TypeError, "input_feed: expected a dictionary, got int"):
            session.run(None, 5)

    def test_errors(self):
        session = onnxruntime.InferenceSession(EXAMPLE)
        with self.assertRaisesRegex(ValueError, "expected shape"):
            session.run(None, {"image": np.zeros((1, 1, 8, 8), np.float32)})
        with self.assertRaisesRegex(RuntimeError, "/no/such.onnx"):
            onnxruntime.InferenceSession("/no/such.onnx")
        with self.assertRaises(TypeError):
            onnxruntime.InferenceSession(None)

    def test_module_functions(self):
        self.assertIn("CPUExecutionProvider", onnxruntime.get_available_providers())
        self.assertEqual(onnxruntime.get_device(), "CPU")


if __name__ == "__main__":
    unittest.main()
