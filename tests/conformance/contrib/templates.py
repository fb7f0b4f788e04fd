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
from case import Case, Random, build


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


def packed_table():
    r = Random(2070)
    inputs = [r.bytes(8192, 32), np.array([3, 70]), r.positive(8192, 2)]
    return Case("", "GatherBlockQuantized", inputs, {"bits": 4, "block_size": 32, "gather_axis": 0, "quantize_axis": 1},
                constants=(0, 2))


def constant_bytes(case):
    """Returns the bytes of constant inputs."""
    return sum(case.inputs[k].nbytes for k in case.constants)


def check_size(convoy, path, case):
    """Checks that a library is not much larger than the constants of the model: a byte per element would double it."""
    library = path.with_suffix(".so")
    subprocess.run([convoy, "compile", str(path), "-o", str(library), "--quiet"], check=True)
    most = constant_bytes(case) * 1.3 + 60000
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
            failures += check_size(convoy, path, case)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
