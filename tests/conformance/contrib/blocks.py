# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases for weights of 2, 4 and 8 bits with one scale per block."""

import itertools

import numpy as np
from case import Case, Packed, Random


def product_cases():
    sizes = ((32, 8, 16), (64, 24, 32), (70, 5, 32), (128, 16, 128), (48, 150, 16))  # K, N, block_size
    for k, (bits, (depth, columns, block), zero) in enumerate(itertools.product((4, 8, 2), sizes, (None, "packed", "float"))):
        r = Random(900 + k)
        blocks = -(-depth // block)
        a = r.floats(*((3, depth) if k % 2 else (2, 2, depth)))
        weights = r.bytes(columns, blocks, block * bits // 8)
        scales = r.positive(columns, blocks)
        zeros = {None: None, "packed": r.bytes(columns, -(-blocks * bits // 8)),
                 "float": r.floats(columns, blocks, scale=3) + np.float32(2 ** (bits - 1))}[zero]  # fmt: skip
        bias = r.floats(columns) if k % 3 == 1 else None
        inputs = [a, weights, scales, zeros, None, bias]
        while inputs[-1] is None:
            inputs.pop()
        constants = tuple(i for i, x in enumerate(inputs) if i and x is not None)
        attributes = {"K": depth, "N": columns, "bits": bits, "block_size": block}
        yield Case(f"matmul_{bits}_bits_{depth}x{columns}_{block}_{zero or 'middle'}", "MatMulNBits", inputs, attributes,
                   constants=constants, kind="sums", is_quick=depth == 70,
                   peer=real_zero_points if bits == 8 and zero == "float" else None)
    # One row, two tiles of rows, and many rows, with panels of all widths.
    shapes = ((1, 256, 210, 32), (1, 100, 64, 128), (7, 200, 70, 64), (20, 320, 130, 32), (260, 64, 36, 16))
    for k, (bits, (rows, depth, columns, block), zero) in enumerate(itertools.product((4, 8, 2), shapes, (None, "packed"))):
        r = Random(2100 + k)
        blocks = -(-depth // block)
        inputs = [r.floats(rows, depth), r.bytes(columns, blocks, block * bits // 8), r.positive(columns, blocks)]
        inputs += [r.bytes(columns, -(-blocks * bits // 8))] if zero else []
        yield Case(f"matmul_{bits}_bits_{rows}_rows_{depth}x{columns}_{block}_{zero or 'middle'}", "MatMulNBits", inputs,
                   {"K": depth, "N": columns, "bits": bits, "block_size": block}, constants=(1, 2, 3)[: 2 + bool(zero)],
                   kind="sums", is_quick=bits == 4)
    # Zero points of a floating-point type that are integers, and in f16.
    for k, (dtype, kind) in enumerate(((np.float32, "sums"), (np.float16, "f16_sums"))):
        r = Random(970 + k)
        zeros = r.integers(0, 16, 24, 3).astype(dtype) if k == 0 else (r.floats(24, 3, scale=3) + 8).astype(dtype)
        inputs = [r.floats(2, 70, dtype=dtype), r.bytes(24, 3, 16), r.positive(24, 3).astype(dtype), zeros]
        yield Case(f"matmul_4_bits_{kind}_float", "MatMulNBits", inputs, {"K": 70, "N": 24, "bits": 4, "block_size": 32},
                   constants=(1, 2, 3), kind=kind, is_quick=True)
    for k, bits in enumerate((4, 8)):
        r = Random(950 + k)
        weights, scales = r.bytes(12, 2, 32 * bits // 8), r.positive(12, 2).astype(np.float16)
        yield Case(f"matmul_{bits}_bits_f16", "MatMulNBits", [r.floats(3, 64, dtype=np.float16), weights, scales],
                   {"K": 64, "N": 12, "bits": bits, "block_size": 32}, constants=(1, 2), kind="f16_sums", is_quick=k == 0)


def real_zero_points(case, run):
    """The peer has no kernel for zero points of a floating-point type and 8 bits."""
    a, weights, scales, zeros, _, *bias = [*case.inputs, None]
    size = case.attributes["block_size"]
    wide = ((weights - zeros[..., None].astype(np.float64)) * scales[..., None]).reshape(len(weights), -1)
    sums = a.astype(np.float64) @ wide[:, : a.shape[-1]].T
    return [(sums + (bias[0] if bias and bias[0] is not None else 0)).astype(np.float32)]


def gather_cases():
    for k, (kind, has_zero, flat) in enumerate(itertools.product(("uint4", "int4", "bytes4", "bytes8"), (0, 1), (0, 1))):
        r = Random(1000 + k)
        rows, hidden, block = 10, 64, 32
        indices = r.integers(0, rows, *((3,) if flat else (2, 3)), dtype=np.int64)
        scales = r.positive(rows, hidden // block)
        low, high = (-8, 8) if kind == "int4" else (0, 16)
        data, zeros = r.integers(low, high, rows, hidden), r.integers(low, high, rows, hidden // block)
        attributes = {"block_size": block, "gather_axis": 0, "quantize_axis": 1}
        if kind.startswith("bytes"):
            attributes["bits"] = int(kind[-1])
            share = 8 // attributes["bits"]
            data, zeros = r.bytes(rows, hidden // share), r.bytes(rows, hidden // block // share)
        else:
            data, zeros = Packed(data, kind == "int4"), Packed(zeros, kind == "int4")
        inputs = [data, indices, scales] + [zeros] * has_zero
        yield Case(f"gather_{kind}_{k}", "GatherBlockQuantized", inputs, attributes, constants=(0, 2, 3)[: 2 + has_zero],
                   is_quick=flat == 1)
    for k, (gather, quantize) in enumerate(((0, 2), (1, 2), (2, 1), (1, 0))):
        r = Random(1050 + k)
        shape = [32, 32, 32]
        scale_shape = [2 if axis == quantize else 32 for axis in range(3)]
        yield Case(f"gather_axes_{gather}_{quantize}", "GatherBlockQuantized",
                   [Packed(r.integers(-8, 8, *shape), True), r.integers(0, 32, 2, 2), r.positive(*scale_shape)],
                   {"block_size": 16, "gather_axis": gather, "quantize_axis": quantize}, constants=(2,))


def cases():
    yield from product_cases()
    yield from gather_cases()
