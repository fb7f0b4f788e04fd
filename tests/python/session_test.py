# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests that InferenceSession runs programs written for ONNX Runtime after a change of the import.

  session_test.py EXAMPLE.onnx     (the model of examples/make_model.py)
"""

import json
import os
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
        self.assertEqual(session.get_inputs()[0].shape, ["N", 3])
        self.assertEqual(session.get_outputs()[0].shape, ["N", 4])
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
        self.assertEqual(onnxruntime.get_available_providers(), ["ConvoyExecutionProvider", "CPUExecutionProvider"])
        self.assertEqual(onnxruntime.get_all_providers(), onnxruntime.get_available_providers())
        self.assertEqual(onnxruntime.get_device(), "CPU")
        onnxruntime.set_default_logger_severity(3)


class MetadataTest(unittest.TestCase):
    def test_fields(self):
        meta = onnxruntime.InferenceSession(onnx_models.described()).get_modelmeta()
        self.assertEqual((meta.producer_name, meta.graph_name, meta.domain, meta.version), ("onnx_models", "test", "org.test", 7))
        self.assertEqual((meta.description, meta.graph_description), ("A small model.", "One layer."))
        self.assertEqual(meta.custom_metadata_map, {"a": "1", "b": "2"})

    def test_missing_fields(self):
        meta = onnxruntime.InferenceSession(onnx_models.gemm()[0]).get_modelmeta()
        self.assertEqual((meta.producer_name, meta.domain, meta.version, meta.custom_metadata_map), ("", "", 2 ** 63 - 1, {}))

    def test_library(self):
        with tempfile.TemporaryDirectory() as folder:
            library = onnxruntime.compile(onnx_models.gemm()[0]).save(folder, name="small")
            meta = onnxruntime.InferenceSession(library).get_modelmeta()
        self.assertEqual((meta.graph_name, meta.producer_name), ("small", ""))

    def test_names_of_dimensions(self):
        session = onnxruntime.InferenceSession(onnx_models.gemm(batch="N")[0], dim={"N": 5})
        self.assertEqual(session.get_inputs()[0].shape, [5, 3])
        session = onnxruntime.InferenceSession(onnx_models.gemm(batch=None)[0])
        self.assertEqual(session.get_inputs()[0].shape, [None, 3])


class OptionsTest(unittest.TestCase):
    def test_defaults_have_the_names_of_onnxruntime(self):
        options = onnxruntime.SessionOptions()
        self.assertEqual(options.execution_mode, onnxruntime.ExecutionMode.ORT_SEQUENTIAL)
        self.assertEqual(options.execution_order, onnxruntime.ExecutionOrder.DEFAULT)
        self.assertEqual(options.profile_file_prefix, "onnxruntime_profile_")
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self.assertEqual(options.get_session_config_entry("session.intra_op.allow_spinning"), "0")
        with self.assertRaisesRegex(RuntimeError, "the session options have no entry 'no'"):
            options.get_session_config_entry("no")

    def test_free_dimension(self):
        options = onnxruntime.SessionOptions()
        options.add_free_dimension_override_by_name("N", 2)
        session = onnxruntime.InferenceSession(onnx_models.gemm(batch="N")[0], options)
        self.assertEqual(session.get_inputs()[0].shape, [2, 3])
        self.assertIs(session.get_session_options(), options)

    def test_values_without_a_meaning_raise(self):
        options = onnxruntime.SessionOptions()
        for call, sentence in [(lambda: options.add_free_dimension_override_by_denotation("BATCH", 1), "give the name of the dimension"),
                               (lambda: options.add_initializer("w", None), "pass const={name: array}"),
                               (lambda: options.register_custom_ops_library("ops.so"), 'pass custom_ops="ops.json"')]:
            with self.assertRaisesRegex(onnxruntime.UnsupportedError, "not supported: ") as caught:
                call()
            self.assertIn(sentence, str(caught.exception))
        options.optimized_model_filepath = "optimized.onnx"
        with self.assertRaisesRegex(onnxruntime.UnsupportedError, r"write a library with convoy.compile\(model\).save\(folder\)"):
            onnxruntime.InferenceSession(EXAMPLE, options)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = -1
        with self.assertRaisesRegex(ValueError, "intra_op_num_threads: expected at least 0, got -1"):
            onnxruntime.InferenceSession(EXAMPLE, options)

    def test_providers(self):
        with self.assertWarnsRegex(UserWarning, "providers: 'CUDAExecutionProvider' not available; available are 'Convoy") as caught:
            session = onnxruntime.InferenceSession(EXAMPLE, providers=["CUDAExecutionProvider", "CPUExecutionProvider"])
        self.assertEqual(caught.filename, __file__)
        self.assertEqual(session.get_providers(), ["CPUExecutionProvider"])
        self.assertEqual(session.get_provider_options(), {"CPUExecutionProvider": {}})
        session.set_providers(["ConvoyExecutionProvider"])
        self.assertEqual(session.get_providers(), ["ConvoyExecutionProvider"])

    def test_run_options(self):
        session = onnxruntime.InferenceSession(onnx_models.gemm()[0])
        options, feed = onnxruntime.RunOptions(), {"x": np.ones((2, 3), np.float32)}
        options.log_severity_level = 4
        self.assertEqual(len(session.run(None, feed, options)), 1)
        options.training_mode = True
        with self.assertRaisesRegex(onnxruntime.UnsupportedError, "training_mode; Convoy runs inference, set it to False"):
            session.run(None, feed, options)
        options.training_mode, options.terminate = False, True
        with self.assertRaisesRegex(onnxruntime.Error, "the run did not start: run_options.terminate is set"):
            session.run(None, feed, options)
        with self.assertRaisesRegex(TypeError, "run_options: expected RunOptions, got dict"):
            session.run(None, feed, {})


class OrtValueTest(unittest.TestCase):
    def test_tensor(self):
        array = np.arange(6, dtype=np.float32).reshape(2, 3)
        value = onnxruntime.OrtValue.ortvalue_from_numpy(array)
        self.assertEqual((value.shape(), value.element_type(), value.data_type(), value.device_name()), ([2, 3], 1, "tensor(float)", "cpu"))
        self.assertEqual(value.data_ptr(), array.ctypes.data)
        self.assertTrue(value.has_value() and value.is_tensor() and not value.is_sparse_tensor() and not value.is_tensor_sequence())
        value.update_inplace(array + 1)
        self.assertEqual(array[0, 0], 1)
        self.assertIsNot(value.numpy(), array)
        with self.assertRaisesRegex(ValueError, r"np_arr: expected float32 \[2, 3\], got float32 \[3\]"):
            value.update_inplace(np.zeros(3, np.float32))

    def test_types(self):
        for dtype, name in ((np.int64, "tensor(int64)"), (np.float64, "tensor(double)"), (bool, "tensor(bool)"), (np.float16, "tensor(float16)")):
            self.assertEqual(onnxruntime.OrtValue.ortvalue_from_shape_and_type([2], dtype).data_type(), name)
        half = onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(np.zeros(2, np.uint16), 16)
        self.assertEqual((half.data_type(), half.element_type()), ("tensor(bfloat16)", 16))
        with self.assertRaisesRegex(TypeError, "data: expected elements of 2 bytes for ONNX type 16, got float32"):
            onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(np.zeros(2, np.float32), 16)
        with self.assertRaisesRegex(ValueError, "device_type: expected 'cpu' with device_id 0, got 'cuda' with 0"):
            onnxruntime.OrtValue.ortvalue_from_numpy(np.zeros(2), "cuda", 0)

    def test_run_with_ort_values(self):
        data, expected = onnx_models.gemm()
        x = np.ones((2, 3), np.float32)
        outputs = onnxruntime.InferenceSession(data).run_with_ort_values(["y"], {"x": onnxruntime.OrtValue.ortvalue_from_numpy(x)})
        np.testing.assert_allclose(outputs[0].numpy(), expected(x), atol=1e-5)


class BindingTest(unittest.TestCase):
    def test_memory_of_the_program(self):
        for target in ("host", "reference"):
            data, expected = onnx_models.gemm()
            session = onnxruntime.InferenceSession(data, target=target)
            x, y = np.ones((2, 3), np.float32), np.zeros((2, 4), np.float32)
            binding = session.io_binding()
            binding.bind_input("x", "cpu", 0, np.float32, x.shape, x.ctypes.data)
            binding.bind_output("y", "cpu", 0, np.float32, y.shape, y.ctypes.data)
            binding.synchronize_inputs()
            session.run_with_iobinding(binding)
            binding.synchronize_outputs()
            np.testing.assert_allclose(y, expected(x), atol=1e-5)
            self.assertEqual(binding.get_outputs()[0].data_ptr(), y.ctypes.data)
            x[:] = 2
            session.run_with_iobinding(binding)
            np.testing.assert_allclose(y, expected(x), atol=1e-5)

    def test_open_dimensions(self):
        data, expected = onnx_models.gemm(batch="N")
        session = onnxruntime.InferenceSession(data)
        binding = session.io_binding()
        for batch in (1, 4):
            x = np.ones((batch, 3), np.float32)
            binding.bind_ortvalue_input("x", onnxruntime.OrtValue.ortvalue_from_numpy(x))
            binding.bind_output("y")
            session.run_with_iobinding(binding)
            np.testing.assert_allclose(binding.copy_outputs_to_cpu()[0], expected(x), atol=1e-5)
        binding.clear_binding_outputs()
        self.assertEqual(binding.get_outputs(), [])
        binding.clear_binding_inputs()
        with self.assertRaises(onnxruntime.Error):
            session.run_with_iobinding(binding)

    def test_wrong_bindings(self):
        binding = onnxruntime.InferenceSession(onnx_models.gemm()[0]).io_binding()
        with self.assertRaisesRegex(KeyError, "the model has no input 'q'; its inputs are 'x'"):
            binding.bind_cpu_input("q", np.zeros(3))
        with self.assertRaisesRegex(KeyError, "the model has no output 'x'; its outputs are 'y'"):
            binding.bind_output("x")
        with self.assertRaisesRegex(ValueError, "device_type: expected 'cpu'"):
            binding.bind_output("y", "cuda")
        with self.assertRaisesRegex(ValueError, "buffer_ptr: expected also element_type and shape of the memory"):
            binding.bind_output("y", buffer_ptr=1)


class ProfileTest(unittest.TestCase):
    def profile(self, source, feed, **build):
        """Returns the events of a session with two runs."""
        with tempfile.TemporaryDirectory() as folder:
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = 1
            options.enable_profiling, options.profile_file_prefix = True, os.path.join(folder, "profile")
            session = onnxruntime.InferenceSession(source, options, **build)
            self.assertGreater(session.get_profiling_start_time_ns(), 0)
            for _ in range(2):
                session.run(None, feed)
            path = session.end_profiling()
            self.assertRegex(os.path.basename(path), r"^profile_\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d\.json$")
            with open(path, encoding="utf-8") as file:
                return json.load(file)

    def test_events(self):
        events = self.profile(EXAMPLE, {"image": np.zeros((1, 1, 16, 16), np.float32)})
        self.assertTrue(all({"cat", "ts", "dur", "name", "ph", "pid", "tid"} <= event.keys() for event in events))
        self.assertEqual([event["name"] for event in events if event["cat"] == "Session"],
                         ["session_initialization", "model_run", "model_run"])
        kernels = [event for event in events if event["cat"] == "kernel"]
        self.assertTrue(kernels)
        self.assertIn("template", kernels[0]["args"])

    def test_models_without_kernels(self):
        feed = {"x": np.ones((2, 3), np.float32)}
        with tempfile.TemporaryDirectory() as folder:
            library = onnxruntime.compile(onnx_models.gemm()[0]).save(folder)
            for source, build in ((library, {}), (onnx_models.gemm()[0], {"target": "reference"})):
                events = self.profile(source, feed, **build)
                self.assertEqual([event["name"] for event in events if event["ph"] == "X"],
                                 ["session_initialization", "model_run", "model_run"])

    def test_without_a_profile(self):
        session = onnxruntime.InferenceSession(onnx_models.gemm()[0])
        self.assertEqual(session.get_profiling_start_time_ns(), 0)
        with self.assertRaisesRegex(onnxruntime.Error, "set sess_options.enable_profiling = True before the session is created"):
            session.end_profiling()


if __name__ == "__main__":
    unittest.main()
