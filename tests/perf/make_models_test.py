# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that bench/make_models.py builds the networks it names: the published sizes, the same
bytes each time, and shapes that ONNX's own inference confirms.

  make_models_test.py MAKE_MODELS
"""

import collections
import importlib.util
import math
import os
import subprocess
import sys
import tempfile
import unittest

import onnx

SCRIPT = os.path.abspath(sys.argv.pop(1))

# Published GFLOP of one inference, with two operations per multiply-add.
GFLOP = {
    "resnet50_v15": 8.178, "resnet50_v2": 8.178, "vgg19": 39.264, "resnet18": 3.628, "mobilenet_v1": 1.137,
    "mobilenet_v2": 0.602, "squeezenet": 0.698, "inception_v1": 2.863, "densenet121": 5.668, "bvlc_alexnet": 1.309,
    "mnist_cnn": 0.0016, "alexnet": 1.449, "caffenet": 1.449, "resnext50": 8.46, "unet": 24.142,
    "efficientnet_b0": 0.7716, "mobilenet_v3": 0.4332, "minilm_s128": 2.869, "minilm_s16": 0.342,
    "bert_base_s128": 22.347, "vit_b16": 35.128, "whisper_tiny_encoder": 36.938, "lstm_256x2": 0.2097,
    "gru_256x2": 0.1573,
}

# Published numbers of trained parameters, without the mean and variance of normalizations and
# without scalars. The encoder of BERT has no embeddings but a normalization of its input; the
# encoder of Whisper has its positions.
TRAINED = {"resnext50": 25028904, "unet": 7763041, "efficientnet_b0": 5288548, "mobilenet_v3": 5483032,
           "bert_base_s128": 85056000, "vit_b16": 86567656, "whisper_tiny_encoder": 8208384,
           "lstm_256x2": 1052672, "gru_256x2": 789504}


def load():
    spec = importlib.util.spec_from_file_location("make_models", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def make(folder, *names):
    return subprocess.run([sys.executable, SCRIPT, folder, *names], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True)


def read(folder, name):
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()


class MakeModels(unittest.TestCase):
    def test_sizes(self):
        built = {builder.__name__: builder()[0] for builder in load().NETWORKS}
        self.assertEqual(list(built), list(GFLOP))
        for name, net in built.items():
            self.assertEqual(net.name, name)
            self.assertAlmostEqual(2e-9 * net.macs / GFLOP[name], 1, delta=0.02 if name == "mnist_cnn" else 0.001)

    def test_trained_parameters(self):
        for builder in load().NETWORKS:
            net, _ = builder()
            if net.name not in TRAINED:
                continue
            statistics = {name for node in net.nodes if node.op_type == "BatchNormalization" for name in node.input[3:]}
            trained = sum(math.prod(weight.shape) for weight in net.weights
                          if weight.shape and weight.deviation and weight.name not in statistics)
            self.assertEqual(trained, TRAINED[net.name], net.name)

    def test_bytes_are_the_same_each_time(self):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
            # Builds the second network after another one: no network depends on an earlier one.
            self.assertEqual(make(one, "mnist_cnn").returncode, 0)
            self.assertEqual(make(two, "squeezenet", "mnist_cnn").returncode, 0)
            self.assertEqual(read(one, "mnist_cnn.onnx"), read(two, "mnist_cnn.onnx"))

    def test_onnx_infers_the_same_output(self):
        with tempfile.TemporaryDirectory() as folder:
            names = ["squeezenet", "mobilenet_v2", "inception_v1", "densenet121", "minilm_s16", "resnext50", "unet",
                     "efficientnet_b0", "mobilenet_v3", "whisper_tiny_encoder", "lstm_256x2", "gru_256x2"]
            self.assertEqual(make(folder, *names).returncode, 0)
            for name in names:
                model = onnx.load(os.path.join(folder, name + ".onnx"))
                # Removes the output shape that the file declares.
                said = [dim.dim_value for dim in model.graph.output[0].type.tensor_type.shape.dim]
                model.graph.output[0].type.tensor_type.ClearField("shape")
                output = onnx.shape_inference.infer_shapes(model, strict_mode=True).graph.output[0]
                self.assertEqual([dim.dim_value for dim in output.type.tensor_type.shape.dim], said, name)

    def test_dynamic_quantization_keeps_the_shapes(self):
        module = load()
        net, output = module.encoder("small", 8, 2, 16, 2, 32)
        model = module.quantize_dynamic(net.model(output))
        onnx.checker.check_model(model)
        model.graph.output[0].type.tensor_type.ClearField("shape")
        shapes = onnx.shape_inference.infer_shapes(model, strict_mode=True).graph.output[0].type.tensor_type.shape
        self.assertEqual([dim.dim_value for dim in shapes.dim], [1, 8, 16])
        count = collections.Counter(node.op_type for node in model.graph.node)
        # In each layer, query, key and value share the quantization of their operand.
        self.assertEqual((count["DynamicQuantizeLinear"], count["MatMulInteger"], count["MatMul"]), (8, 12, 4))
        matrices = [tensor for tensor in model.graph.initializer if len(tensor.dims) == 2]
        self.assertEqual({tensor.data_type for tensor in matrices}, {onnx.TensorProto.UINT8})

    def test_unknown_names_are_told(self):
        done = make("none", "resnet51")
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stderr.startswith("make_models: unknown network 'resnet51'; expected one of resnet50_v15, "))
        self.assertFalse(os.path.exists("none"))


if __name__ == "__main__":
    unittest.main()
