# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the attention ops of com.microsoft become one kernel of the attention template, and that products with
packed weights become one kernel that reads them packed.

  templates.py CONVOY SCRATCH
"""

import json
import pathlib
import subprocess
import sys

import numpy as np
import onnx
from case import Case, Packed, Random, build
from onnx import TensorProto, helper, numpy_helper


def grouped(r, past, sequence, **options):
    heads, key_heads, size = 8, 2, 64
    inputs = [r.floats(1, sequence, count * size) for count in (heads, key_heads, key_heads)]
    inputs += [r.floats(1, key_heads, past, size) for _ in range(2)] if past else [None, None]
    inputs += [np.array([past + sequence - 1], np.int32), np.array(past + sequence, np.int32)]
    inputs += [r.floats(512, size // 2) for _ in range(2)]
    attributes = {"num_heads": heads, "kv_num_heads": key_heads, "do_rotary": 1, **options}
    return Case("", "GroupQueryAttention", inputs, attributes, constants=(6, 7, 8))


def cases():
    r = Random(2000)
    yield grouped(r, 0, 128)
    yield grouped(r, 127, 1)
    yield grouped(r, 0, 128, local_window_size=32, softcap=30.0)
    x, ones = r.floats(1, 128, 256), np.ones((1, 128), np.int32)
    yield Case("", "MultiHeadAttention", [x, x, x, None, ones], {"num_heads": 4})
    yield Case("", "MultiHeadAttention", [x, x, x], {"num_heads": 4, "unidirectional": 1})
    weights = r.floats(256, 768), r.floats(768)
    yield Case("", "Attention", [x, *weights, ones], {"num_heads": 4}, constants=(1, 2))


def packed(r, rows, bits, **options):
    depth, columns, block = 1024, 768, 32
    inputs = [r.floats(rows, depth), r.bytes(columns, depth // block, block * bits // 8), r.positive(columns, depth // block)]
    attributes = {"K": depth, "N": columns, "bits": bits, "block_size": block, **options}
    return Case("", "MatMulNBits", inputs, attributes, constants=(1, 2))


def packed_cases():
    r = Random(2050)
    for bits in (2, 4, 8):
        yield packed(r, 1, bits)
        yield packed(r, 40, bits, accuracy_level=4)
    for zeros in (r.floats(768, 1024 // 32), np.full((768, 1024 // 32), 7, np.float32)):  # no integers, and integers
        case = packed(r, 1, 4)
        case.inputs.append(zeros)
        case.constants = (1, 2, 3)
        yield case


def transposed_models():
    """Products with a matrix that is stored as N x K and transposed after its DequantizeLinear, or by Gemm."""
    r = Random(2090)
    depth, columns, block = 1024, 768, 32
    constants = [Packed(r.integers(-8, 8, columns, depth), True).tensor("w"),
                 numpy_helper.from_array(r.positive(columns, depth // block), "s"),
                 Packed(r.integers(-8, 8, columns, depth // block), True).tensor("z")]
    unpack = helper.make_node("DequantizeLinear", ["w", "s", "z"], ["d"], axis=-1, block_size=block)
    for nodes in ([helper.make_node("Transpose", ["d"], ["t"], perm=[1, 0]), helper.make_node("MatMul", ["x", "t"], ["y"])],
                  [helper.make_node("Gemm", ["x", "d"], ["y"], transB=1)]):  # fmt: skip
        x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, size]) for name, size in (("x", depth), ("y", columns)))
        graph = helper.make_graph([unpack, *nodes], "transposed", [x], [y], constants)
        yield helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def packed_table():
    r = Random(2070)
    inputs = [r.bytes(8192, 32), np.array([3, 70]), r.positive(8192, 2)]
    return Case("", "GatherBlockQuantized", inputs, {"bits": 4, "block_size": 32, "gather_axis": 0, "quantize_axis": 1},
                constants=(0, 2))


def constant_bytes(case):
    """Returns the bytes of constant inputs."""
    return sum(case.inputs[k].nbytes for k in case.constants)


def check_size(convoy, path, constant_bytes):
    """Checks that a library is not much larger than the constants of the model: a byte per element would double it."""
    library = path.with_suffix(".so")
    subprocess.run([convoy, "compile", str(path), "-o", str(library), "--quiet"], check=True)
    most = constant_bytes * 1.3 + 60000
    if library.stat().st_size > most:
        print(f"{path}: expected a library of at most {most:.0f} bytes, got {library.stat().st_size}")
        return 1
    return 0


def templates(convoy, path):
    done = subprocess.run([convoy, "explain", str(path), "--json", "--quiet"], check=True, stdout=subprocess.PIPE)
    return [kernel["template"] for kernel in json.loads(done.stdout)["kernels"]]


def main():
    convoy, scratch = sys.argv[1], pathlib.Path(sys.argv[2])
    scratch.mkdir(parents=True, exist_ok=True)
    failures = 0
    wanted = [("attention", case) for case in cases()] + [("product_bits", case) for case in packed_cases()]
    for k, (template, case) in enumerate([*wanted, (None, packed_table())]):
        path = scratch / f"{case.op}_{k}.onnx"
        onnx.save(build(case, [np.zeros(1, np.float32)])[0], str(path))
        found = templates(convoy, path) if template else []
        if template and found.count(template) != 1:
            print(f"{path}: expected one kernel of template {template}, got {found}")
            failures += 1
        if template != "attention":
            failures += check_size(convoy, path, constant_bytes(case))
    for k, model in enumerate(transposed_models()):
        path = scratch / f"transposed_{k}.onnx"
        onnx.save(model, str(path))
        if templates(convoy, path).count("product_bits") != 1:
            print(f"{path}: expected one kernel of template product_bits, got {templates(convoy, path)}")
            failures += 1
        failures += check_size(convoy, path, sum(len(constant.raw_data) for constant in model.graph.initializer))
        failures += subprocess.run([convoy, "check", str(path), "--quiet"], check=False).returncode != 0
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
