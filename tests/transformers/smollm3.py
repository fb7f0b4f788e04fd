# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the graphs of SmolLM3 with ONNX Runtime: all layers of the exported graphs, with smaller
dimensions and generated weights. One case is a prompt, one is a step with keys and values of the
steps before it. If ONNX Runtime is not installed, the test is skipped.

  smollm3.py TOOL MODELS SCRATCH
"""

import pathlib
import shutil
import subprocess
import sys

import numpy as np
import onnx
from onnx import numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "conformance"))

import peer  # noqa: E402

SKIPPED = 77
# The sizes of the hidden state, keys and values, multilayer perceptron, vocabulary, rotary caches.
SMALLER = {2048: 256, 512: 64, 11008: 96, 128256: 160, 65536: 64, 64: 8}
HEAD_SIZE = 16
# Relative and absolute error. Dynamic quantization turns a rounding error into a whole step.
GRAPHS = {"graph_smollm3_3b_genai_fp32": ("1e-3", "1e-4"), "graph_smollm3_3b_dynint8": ("1e-2", "1e-1")}


def weights(tensor, zero_points, rng):
    """Returns weights with mean 0 that keep the hidden state bounded."""
    shape = [SMALLER.get(size, size) for size in tensor.dims]
    dtype = np.dtype(onnx.mapping.TENSOR_TYPE_TO_NP_TYPE[tensor.data_type])
    if dtype.kind in "iu":
        middle = zero_points[tensor.name.replace("_transposed", "").replace("_quantized", "_zero_point")]
        return np.clip(rng.integers(middle - 64, middle + 65, shape), 0, 255).astype(dtype)
    if tensor.name.endswith("layernorm.weight") or "norm" in tensor.name:
        return rng.uniform(0.8, 1.2, shape).astype(dtype)
    if "cache" in tensor.name:
        angles = np.arange(shape[0])[:, None] * 2.0 ** -np.arange(shape[1])
        return (np.cos(angles) if "cos" in tensor.name else np.sin(angles)).astype(dtype)
    return (rng.standard_normal(shape) / np.sqrt(max(shape[0], 1) if shape else 1)).astype(dtype)


def shrink(model):
    rng = np.random.default_rng(36)
    zero_points = {tensor.name: int(numpy_helper.to_array(tensor)) for tensor in model.graph.initializer
                   if tensor.name.endswith("_zero_point")}  # fmt: skip
    for tensor in model.graph.initializer:
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            values = weights(tensor, zero_points, rng)
            tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))
    for value in [*model.graph.input, *model.graph.output, *model.graph.value_info]:
        for dim in value.type.tensor_type.shape.dim:
            if dim.dim_value == 128:
                dim.dim_value = HEAD_SIZE
            elif dim.dim_value in SMALLER:
                dim.dim_value = SMALLER[dim.dim_value]


def inputs_of(model, past, sequence):
    rng = np.random.default_rng(past)
    arrays = []
    for value in model.graph.input:
        if value.name == "input_ids":
            arrays.append(rng.integers(0, 160, (1, sequence)))
        elif value.name == "attention_mask":
            arrays.append(np.ones((1, past + sequence), np.int64))
        elif value.name == "position_ids":
            arrays.append(np.arange(past, past + sequence).reshape(1, -1))
        else:
            arrays.append(rng.uniform(-1, 1, (1, 4, past, HEAD_SIZE)).astype(np.float32))
    return arrays


def write_case(model, folder, past, sequence):
    data = folder / f"past_{past}" / "test_data_set_0"
    data.mkdir(parents=True)
    path = data.parent / "model.onnx"
    onnx.save(model, str(path))
    inputs = inputs_of(model, past, sequence)
    names = [[value.name for value in values] for values in (model.graph.input, model.graph.output)]
    for prefix, arrays in (("input", inputs), ("output", peer.Model(path, *names)(inputs))):
        for k, array in enumerate(arrays):
            (data / f"{prefix}_{k}.pb").write_bytes(numpy_helper.from_array(array).SerializeToString())


def main():
    tool, models, scratch = sys.argv[1:]
    try:
        peer.library()
    except SystemExit as missing:
        print(f"skipped: {missing}")
        return SKIPPED
    failures = 0
    for name, tolerance in GRAPHS.items():
        folder = pathlib.Path(scratch) / name
        shutil.rmtree(folder, ignore_errors=True)
        model = onnx.load(str(pathlib.Path(models) / "transformers" / f"{name}.onnx"), load_external_data=False)
        shrink(model)
        for past, sequence in ((0, 5), (6, 1)):
            write_case(model, folder, past, sequence)
        for target in ("reference", "host"):
            print(f"{name} on {target}", flush=True)
            done = subprocess.run([tool, "--suite", str(folder), "--target", target, "--tolerance", *tolerance, "0",
                                   "--time-limit", "600", "--min-passed", "2"], check=False)  # fmt: skip
            failures += done.returncode != 0
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
