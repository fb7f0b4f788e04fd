#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests convoy.backend, and the decoding and the CSV of convoy.scoreboard, on small models."""

import tempfile
import unittest

import convoy
import numpy as np
import onnx
from convoy import backend, scoreboard
from convoy._onnx_data import decode_bits, difference, to_array
from onnx import TensorProto, helper, numpy_helper

F, I, S = TensorProto.FLOAT, TensorProto.INT64, TensorProto.STRING
value = helper.make_tensor_value_info


def model_of(nodes, inputs, outputs, initializers=(), opset=13):
    graph = helper.make_graph(nodes, "g", inputs, outputs, initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def relu(shape=(3,)):
    return model_of([helper.make_node("Relu", ["x"], ["y"])], [value("x", F, shape)], [value("y", F, shape)])


class Interface(unittest.TestCase):
    x = np.array([-1, 0, 2], np.float32)

    def test_model_bytes_and_path_are_equal(self):
        with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
            onnx.save(relu(), file.name)
            for model in (relu(), relu().SerializeToString(), file.name):
                np.testing.assert_array_equal(backend.run_model(model, [self.x])[0], [0, 0, 2])

    def test_outputs_have_an_index_and_a_name(self):
        outputs = backend.prepare(relu()).run([self.x])
        np.testing.assert_array_equal(outputs["y"], outputs[0])

    def test_inputs_by_name_and_as_an_array(self):
        prepared = backend.prepare(relu())
        for inputs in ({"x": self.x}, self.x, (self.x,)):
            np.testing.assert_array_equal(prepared.run(inputs)[0], [0, 0, 2])

    def test_each_combination_of_shapes_is_compiled_once(self):
        prepared = backend.prepare(relu(("n",)))
        for size in (3, 5, 3):
            self.assertEqual(prepared.run([np.ones(size, np.float32)])[0].shape, (size,))
        self.assertEqual(len(prepared._models), 2)

    def test_a_value_that_determines_a_shape_is_bound(self):
        model = model_of([helper.make_node("Reshape", ["x", "shape"], ["y"])],
                         [value("x", F, [6]), value("shape", I, [2])], [value("y", F, None)])
        prepared = backend.prepare(model)
        x = np.arange(6, dtype=np.float32)
        for shape in ([2, 3], [3, 2], [2, 3]):
            self.assertEqual(prepared.run([x, np.array(shape)])[0].shape, tuple(shape))
        self.assertEqual(len(prepared._models), 2)

    def test_an_initializer_keeps_its_value(self):
        weight = numpy_helper.from_array(np.array([10, 20, 30], np.float32), "w")
        model = model_of([helper.make_node("Add", ["x", "w"], ["y"])], [value("x", F, [3]), value("w", F, [3])],
                         [value("y", F, [3])], [weight])
        np.testing.assert_array_equal(backend.run_model(model, [self.x])[0], [9, 20, 32])

    def test_run_node(self):
        node = helper.make_node("Add", ["a", "b"], ["c"])
        info = [(np.dtype(np.float32), (3,))]
        for outputs_info in (None, info):
            result = backend.run_node(node, [self.x, self.x], outputs_info=outputs_info, opset_version=13)
            np.testing.assert_array_equal(result[0], [-2, 0, 4])

    def test_devices(self):
        self.assertTrue(backend.supports_device("CPU"))
        self.assertTrue(backend.supports_device("CPU:0"))
        self.assertFalse(backend.supports_device("CUDA"))
        with self.assertRaisesRegex(convoy.UnsupportedError, "^not supported: device 'CUDA'; use 'CPU'"):
            backend.prepare(relu(), "CUDA")

    def test_an_unknown_operator_is_not_compatible(self):
        unknown = model_of([helper.make_node("NoSuchOp", ["x"], ["y"])], [value("x", F, [3])], [value("y", F, [3])])
        self.assertFalse(backend.is_compatible(unknown))
        self.assertTrue(backend.is_compatible(relu()))
        self.assertFalse(backend.is_compatible(relu(), "CUDA"))

    def test_wrong_inputs(self):
        prepared = backend.prepare(relu())
        with self.assertRaisesRegex(convoy.ArgumentNameError, "inputs: the model has 1 inputs, got 2"):
            prepared.run([self.x, self.x])
        with self.assertRaisesRegex(convoy.ArgumentTypeError, "inputs: expected a list or a dictionary, got int"):
            prepared.run(3)

    def test_sequences_optionals_and_strings_on_the_reference(self):
        nodes = [helper.make_node("SequenceConstruct", ["x", "x"], ["q"])]
        model = model_of(nodes, [value("x", F, [3])], [helper.make_tensor_sequence_value_info("q", F, None)])
        result = backend.run_model(model, [self.x], target="reference")[0]
        self.assertIsInstance(result, list)
        np.testing.assert_array_equal(result, [self.x, self.x])
        model = model_of([helper.make_node("StringNormalizer", ["x"], ["y"], case_change_action="UPPER")],
                         [value("x", S, [2])], [value("y", S, [2])])
        result = backend.run_model(model, [np.array(["a", "bc"], object)], target="reference")[0]
        self.assertEqual(result.dtype, object)
        self.assertEqual(result.tolist(), ["A", "BC"])

    def test_sequences_and_optionals_on_the_host(self):
        inputs = [helper.make_tensor_sequence_value_info("s", F, None), value("x", F, ["n"])]
        model = model_of([helper.make_node("SequenceInsert", ["s", "x"], ["q"])], inputs,
                         [helper.make_tensor_sequence_value_info("q", F, None)])
        prepared = backend.prepare(model)
        for given in ([], [self.x], [self.x, np.ones((2, 2), np.float32)]):
            result = prepared.run([given, self.x * 2])[0]
            self.assertEqual(len(result), len(given) + 1)
            for actual, expected in zip(result, [*given, self.x * 2]):
                np.testing.assert_array_equal(actual, expected)
        optional = helper.make_optional_type_proto(helper.make_tensor_type_proto(F, [3]))
        nodes = [helper.make_node("OptionalHasElement", ["o"], ["y"])]
        model = model_of(nodes, [helper.make_value_info("o", optional)], [value("y", TensorProto.BOOL, [])], opset=15)
        prepared = backend.prepare(model)
        self.assertEqual([bool(prepared.run([held])[0]) for held in (self.x, None)], [True, False])


class Decoding(unittest.TestCase):
    def test_narrow_integers(self):
        tensor = TensorProto(data_type=22, dims=[3], raw_data=bytes([0xF1, 0x07]))  # int4: 1, -1, 7
        np.testing.assert_array_equal(to_array(tensor), np.array([1, -1, 7], np.int8))
        tensor = TensorProto(data_type=25, dims=[5], raw_data=bytes([0b11100100, 0b10]))  # uint2
        np.testing.assert_array_equal(to_array(tensor), [0, 1, 2, 3, 2])

    def test_bits_in_numbers(self):
        tensor = TensorProto(data_type=TensorProto.FLOAT16, dims=[1], int32_data=[0x3C00])
        self.assertEqual(to_array(tensor)[0], 1)
        tensor = TensorProto(data_type=TensorProto.COMPLEX64, dims=[1], float_data=[1, 2])
        self.assertEqual(to_array(tensor)[0], 1 + 2j)

    def test_float_types_without_a_numpy_type(self):
        bf16 = np.array([0x3F80, 0xC000, 0x7F80, 0x7FC0], np.uint16)
        np.testing.assert_array_equal(decode_bits(bf16, 16), [1, -2, np.inf, np.nan])
        e4m3 = np.array([0x38, 0x7E, 0x7F, 0x01], np.uint8)
        np.testing.assert_array_equal(decode_bits(e4m3, 17), [1, 448, np.nan, 2 ** -9])
        np.testing.assert_array_equal(decode_bits(np.array([0x40, 0x80], np.uint8), 18), [1, np.nan])
        np.testing.assert_array_equal(decode_bits(np.array([0x3C, 0x7C], np.uint8), 19), [1, np.inf])
        np.testing.assert_array_equal(decode_bits(np.array([2, 7, 15], np.uint8), 23), [1, 6, -6])
        np.testing.assert_array_equal(decode_bits(np.array([127, 128, 255], np.uint8), 24), [1, 2, np.nan])

    def test_differences(self):
        def text(actual, expected):
            return difference(actual, expected, None, 1e-3, 1e-7)

        one = np.ones(2, np.float32)
        self.assertEqual(text(one, one * np.float32(1.0005)), "")
        self.assertEqual(text(one, one.astype(np.float64)), "has type float32, expected float64")
        self.assertEqual(text(one, np.ones(3, np.float32)), "has shape [2], expected [3]")
        self.assertRegex(text(one, np.array([1, 2], np.float32)), r"^is 1.0 at \[1\], expected 2.0 \(1 of 2 elements differ\)$")
        self.assertEqual(text([one], [one, one]), "has 1 elements, expected 2")
        self.assertEqual(text([one], [one * 2]).split(" is ")[0], "element 0")
        self.assertEqual(text(None, one), "is absent, expected the opposite")
        self.assertEqual(text(None, None), "")


class Scoreboard(unittest.TestCase):
    def test_csv(self):
        files = scoreboard.csv_files({"Relu": True, "Loop": False}, {"m": (1, 2, True)})
        self.assertEqual(files["nodes.csv"], "Op,Convoy\nLoop,Failed!\nRelu,Passed!\nSummary,1/2 node tests passed\n")
        self.assertEqual(files["models.csv"], "Model,Convoy\nm,1/2 nodes covered: Passed!\nSummary,1/1 model tests passed\n")
        self.assertRegex(files["metadata.csv"], r"^Latest Update,\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\n$")


if __name__ == "__main__":
    unittest.main()
