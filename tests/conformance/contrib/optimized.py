#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares models that ONNX Runtime's optimizer wrote, at its extended level, with ONNX Runtime.

The models are a generated transformer encoder and networks of ../shared. If the peer is not
installed, the test is skipped.

    optimized.py --tool build/release/bin/convoy-conformance --models ../shared/models [--target host]
"""

import argparse
import pathlib
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

import peer  # noqa: E402
import peer_suite  # noqa: E402

EXTENDED = 2  # the level of the optimizations that fuse ops but keep the layout
# Without these ops, the optimizer fused nothing and the test would prove nothing.
ENCODER_OPS = {"FusedMatMul", "Gelu", "SkipLayerNormalization"}

# The sizes of open dimensions, and the name of the group with one tolerance.
MODELS = {
    "onnx/mlperf_tiny_ad_autoencoder_fp32": ({}, "floats"),
    "onnx/mlperf_tiny_ic_resnet8_fp32": ({}, "floats"),
    "onnx/mlperf_tiny_kws_dscnn_fp32": ({}, "floats"),
    "onnx/universal_sentence_encoder_lite_L16": ({}, "floats"),
    "onnx/ppocrv4_rec": ({"p2o.DynamicDimension.0": 1, "p2o.DynamicDimension.1": 64}, "floats"),
    "transformers/stories260K_kv": ({"seq": 3, "past": 4, "total": 7}, "floats"),
    "onnx/moonshine_tiny_encoder_dynint8": ({"batch_size": 1, "num_samples": 4000}, "dynamic"),
    "onnx/mlperf_tiny_ad_autoencoder_int8_qdq": ({}, "bytes"),
    "onnx/mlperf_tiny_ic_resnet8_int8_qdq": ({}, "bytes"),
    "onnx/mlperf_tiny_kws_dscnn_int8_qdq": ({}, "bytes"),
    "onnx/mlperf_tiny_vww_mobilenetv1_int8_qdq": ({}, "bytes"),
}

# Relative and absolute error of floats, and difference of integers. The peer rounds 8-bit ops in
# tables, and later layers amplify a difference of one step.
TOLERANCES = {"floats": ("1e-3", "1e-4", "0"), "dynamic": ("1e-2", "5e-2", "0"), "bytes": ("0", "0", "2")}


class Encoder:
    """A transformer encoder of primitive ops, as exporters write it."""

    def __init__(self):
        self.rng = np.random.default_rng(7)
        self.nodes, self.weights = [], []

    def weight(self, values):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def op(self, kind, *inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name, **attributes))
        return name

    def dense(self, x, rows, columns):
        matrix = self.rng.standard_normal((rows, columns)).astype(np.float32) / np.float32(rows**0.5)
        bias = self.rng.uniform(-0.1, 0.1, columns).astype(np.float32)
        return self.op("Add", self.op("MatMul", x, self.weight(matrix)), self.weight(bias))

    def normalized(self, x, size):
        scale, bias = (self.weight(self.rng.uniform(0.5, 1, size).astype(np.float32)) for _ in range(2))
        return self.op("LayerNormalization", x, scale, bias, axis=-1, epsilon=1e-5)

    def gelu(self, x):
        half, one, root = (self.weight(np.float32(value)) for value in (0.5, 1, 2**0.5))
        erf = self.op("Add", self.op("Erf", self.op("Div", x, root)), one)
        return self.op("Mul", self.op("Mul", x, erf), half)

    def layer(self, x, sequence, heads, size):
        hidden = heads * size
        split = self.weight(np.array([1, sequence, heads, size], np.int64))
        parts = [self.op("Reshape", self.dense(x, hidden, hidden), split) for _ in range(3)]
        query, value = (self.op("Transpose", parts[i], perm=[0, 2, 1, 3]) for i in (0, 2))
        key = self.op("Transpose", parts[1], perm=[0, 2, 3, 1])
        scores = self.op("Div", self.op("MatMul", query, key), self.weight(np.float32(size**0.5)))
        joined = self.op("MatMul", self.op("Softmax", scores, axis=-1), value)
        joined = self.op("Transpose", joined, perm=[0, 2, 1, 3])
        joined = self.op("Reshape", joined, self.weight(np.array([1, sequence, hidden], np.int64)))
        x = self.normalized(self.op("Add", self.dense(joined, hidden, hidden), x), hidden)
        inner = self.gelu(self.dense(x, hidden, 4 * hidden))
        return self.normalized(self.op("Add", self.dense(inner, 4 * hidden, hidden), x), hidden)

    def model(self, sequence=12, heads=4, size=16):
        x = "x"
        for _ in range(2):
            x = self.layer(x, sequence, heads, size)
        shape = [1, sequence, heads * size]
        infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in ("x", x)]
        graph = helper.make_graph(self.nodes, "encoder", infos[:1], infos[1:], self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def inputs_of(model, sizes):
    rng = np.random.default_rng(11)
    constants = {tensor.name for tensor in model.graph.initializer}
    arrays = {}
    for value in model.graph.input:
        if value.name in constants:
            continue
        tensor = value.type.tensor_type
        shape = [sizes[dim.dim_param] if dim.dim_param else dim.dim_value for dim in tensor.shape.dim]
        dtype = peer.NUMPY[tensor.elem_type]
        if np.dtype(dtype).kind == "f":
            arrays[value.name] = rng.uniform(0, 1, shape).astype(dtype)
        else:
            arrays[value.name] = rng.integers(1, 100, shape).astype(dtype)
        if value.name == "attention_mask":
            arrays[value.name] = np.ones(shape, dtype)
    return arrays


def write_case(source, name, group, sizes, folder):
    data = folder / group / name / "test_data_set_0"
    data.mkdir(parents=True)
    path = data.parent / "model.onnx"
    peer.Optimizer(source, path, EXTENDED)
    model = onnx.load(str(path))
    inputs = inputs_of(model, sizes)
    outputs = [value.name for value in model.graph.output]
    results = peer.Model(path, list(inputs), outputs)(list(inputs.values()))
    peer_suite.write_data(data, inputs.values(), results)
    return {node.op_type for node in model.graph.node if node.domain == "com.microsoft"}


def write_suite(models, folder):
    """Returns the contrib ops of the encoder and prints those of all networks."""
    encoder = folder / "encoder.onnx"
    onnx.save(Encoder().model(), str(encoder))
    own = write_case(encoder, "encoder", "floats", {}, folder)
    ops = set(own)
    for name, (sizes, group) in MODELS.items():
        path = models / f"{name}.onnx"
        if path.exists():
            ops |= write_case(path, path.stem, group, sizes, folder)
        else:
            print(f"left out: {name}.onnx does not exist")
    print("ops of the optimizer:", ", ".join(sorted(ops)), flush=True)
    return own


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True, help="convoy-conformance")
    parser.add_argument("--models", required=True, help="The folder models of ../shared; it may be absent")
    parser.add_argument("--target", default="host")
    arguments = parser.parse_args()
    if peer_suite.is_missing():
        return peer_suite.SKIPPED
    wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        ops = write_suite(pathlib.Path(arguments.models), folder)
        for group, tolerance in TOLERANCES.items():
            if (folder / group).exists():
                wrong += peer_suite.run_group(arguments, folder / group, tolerance, "--time-limit", "600")[1]
    if not ENCODER_OPS <= ops:
        print(f"the optimizer wrote {sorted(ops)} for the encoder, expected {sorted(ENCODER_OPS)}")
        wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
