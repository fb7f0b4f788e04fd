# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases for quantization: axes, blocks, ties, saturation and integer layers."""

import numpy as np
from case import Case, random
from tensor import everywhere


def quantized(x, scale, zero):
    info = np.iinfo(zero.dtype)
    rounded = np.rint((x / scale).astype(np.float32)) + zero.astype(np.float64)
    return np.clip(rounded, info.min, info.max).astype(zero.dtype)


def linear_cases():
    x = random(3, 4, 5) * 4
    for dtype in (np.int8, np.uint8, np.int16, np.uint16):
        name = np.dtype(dtype).name
        scale = np.float32(0.03125)
        zero = np.array(3, dtype)
        opset = 10 if np.dtype(dtype).itemsize == 1 else 21
        y = quantized(x, scale, zero)
        inputs = [x, scale, zero]
        yield from everywhere(Case(f"quantize_{name}", "QuantizeLinear", opset, inputs, [y]))
        back = ((y.astype(np.int32) - 3) * scale).astype(np.float32)
        inputs = [y, scale, zero]
        yield from everywhere(Case(f"dequantize_{name}", "DequantizeLinear", opset, inputs, [back]))
    for axis in (0, 1, -1):
        n = x.shape[axis]
        scale = (0.01 + 0.01 * np.arange(n)).astype(np.float32)
        zero = np.arange(n).astype(np.uint8)
        shape = [1, 1, 1]
        shape[axis] = n
        wide = scale.reshape(shape), zero.reshape(shape)
        y = quantized(x, *wide)
        at = {"axis": axis}
        yield Case(f"quantize_axis_{axis}", "QuantizeLinear", 13, [x, scale, zero], [y], at)
        back = ((y.astype(np.int32) - wide[1]) * wide[0]).astype(np.float32)
        yield Case(f"dequantize_axis_{axis}", "DequantizeLinear", 13, [y, scale, zero], [back], at)
    one = np.array([0.5], np.float32)  # some exporters write a scalar as a tensor of one element
    yield Case("quantize_single", "QuantizeLinear", 13, [x, one, np.array([1], np.int8)],
               [quantized(x, one, np.array([1], np.int8))])  # fmt: skip
    scalar = np.float32(1.75)
    yield Case("quantize_scalar", "QuantizeLinear", 13, [scalar, np.float32(0.5)],
               [np.array(4, np.uint8)])  # fmt: skip
    ties = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 1000, -1000, np.inf], np.float32)
    yield Case("quantize_ties", "QuantizeLinear", 13, [ties, np.float32(1), np.array(0, np.int8)],
               [np.array([0, 2, 2, 0, -2, 127, -128, 127], np.int8)])  # fmt: skip
    bias = np.array([2**30, -5, 7], np.int32)
    yield Case("dequantize_int32", "DequantizeLinear", 13, [bias, np.float32(0.5)],
               [(bias * 0.5).astype(np.float32)])  # fmt: skip


def block_cases():
    x = random(2, 7, 3) * 4
    blocks = [slice(0, 3), slice(3, 6), slice(6, 7)]  # the last block is partial
    scale = np.abs(random(2, 3, 3, seed=1)) + np.float32(0.05)
    zero = np.arange(18).reshape(2, 3, 3).astype(np.int8)
    full = np.concatenate([np.repeat(scale[:, k : k + 1], b.stop - b.start, 1)
                           for k, b in enumerate(blocks)], 1)  # fmt: skip
    zeros = np.concatenate([np.repeat(zero[:, k : k + 1], b.stop - b.start, 1)
                            for k, b in enumerate(blocks)], 1)  # fmt: skip
    y = quantized(x, full, zeros)
    attributes = {"axis": 1, "block_size": 3}
    yield Case("quantize_blocks", "QuantizeLinear", 21, [x, scale, zero], [y], attributes)
    back = ((y.astype(np.int32) - zeros) * full).astype(np.float32)
    yield Case("dequantize_blocks", "DequantizeLinear", 21, [y, scale, zero], [back], attributes)


def dynamic_cases():
    for name, x in (("mixed", random(4, 5) * 3), ("positive", np.abs(random(4, 5))),
                    ("zeros", np.zeros((2, 3), np.float32))):  # fmt: skip
        low, high = min(x.min(), 0), max(x.max(), 0)
        scale = np.float32((high - low) / np.float32(255)) if high > low else np.float32(1)
        zero = np.uint8(np.clip(np.rint((0 - low) / scale), 0, 255))
        y = quantized(x, scale, np.array(zero))
        case = Case(f"dynamic_{name}", "DynamicQuantizeLinear", 11, [x], [y, scale, zero])
        yield from everywhere(case)


def matmul_cases():
    rng = np.random.default_rng(4)
    a = rng.integers(0, 256, (4, 6)).astype(np.uint8)
    b = rng.integers(-128, 128, (6, 5)).astype(np.int8)
    rows = rng.integers(0, 256, 4).astype(np.uint8)
    columns = rng.integers(-128, 128, 5).astype(np.int8)
    plain = a.astype(np.int32) @ b.astype(np.int32)
    yield Case("matmul_integer", "MatMulInteger", 10, [a, b], [plain])
    centered = (a.astype(np.int32) - rows[:, None]) @ (b.astype(np.int32) - columns)
    yield Case("matmul_integer_rows_columns", "MatMulInteger", 10, [a, b, rows, columns],
               [centered.astype(np.int32)])  # fmt: skip
    scales = np.float32(0.02), (0.01 + 0.01 * np.arange(5)).astype(np.float32), np.float32(3.5)
    zero = np.array(117, np.uint8)
    multiplier = (scales[0] * scales[1] / scales[2]).astype(np.float32)
    y = quantized((centered * multiplier).astype(np.float32), np.float32(1), zero)
    inputs = [a, scales[0], rows, b, scales[1], columns, scales[2], zero]
    yield Case("qlinear_matmul_columns", "QLinearMatMul", 10, inputs, [y])


def convolve(x, w, pads, strides):
    """Convolves x (N C H W) with w (O C kh kw) in int32."""
    x = np.pad(x, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])))
    height = (x.shape[2] - w.shape[2]) // strides[0] + 1
    width = (x.shape[3] - w.shape[3]) // strides[1] + 1
    y = np.zeros((x.shape[0], w.shape[0], height, width), np.int32)
    for i in range(height):
        for j in range(width):
            top, left = i * strides[0], j * strides[1]
            window = x[:, :, top : top + w.shape[2], left : left + w.shape[3]]
            y[:, :, i, j] = np.einsum("nchw,ochw->no", window, w)
    return y


def conv_cases():
    rng = np.random.default_rng(5)
    x = rng.integers(0, 256, (2, 3, 7, 6)).astype(np.uint8)
    w = rng.integers(-128, 128, (4, 3, 3, 3)).astype(np.int8)
    x_zero = np.array(111, np.uint8)
    w_zero = rng.integers(-20, 20, 4).astype(np.int8)
    centered = x.astype(np.int32) - 111, w.astype(np.int32) - w_zero[:, None, None, None]
    pads, strides = [1, 0, 2, 1], [2, 1]
    sums = convolve(*centered, pads, strides)
    attributes = {"pads": pads, "strides": strides}
    inputs = [x, w, x_zero, w_zero]
    yield Case("conv_integer_channels", "ConvInteger", 10, inputs, [sums], attributes)
    # 7 rows with stride 2 give 4 rows, which need 2 rows of padding. Columns need 2 as well.
    same = convolve(*centered, [1, 1, 1, 1], [2, 1])
    yield Case("conv_integer_same", "ConvInteger", 10, inputs, [same],
               {"auto_pad": "SAME_UPPER", "strides": [2, 1]})  # fmt: skip
    bias = rng.integers(-5000, 5000, 4).astype(np.int32)
    w_scale = (0.001 + 0.001 * np.arange(4)).astype(np.float32)
    x_scale, y_scale, y_zero = np.float32(0.05), np.float32(0.4), np.array(-7, np.int8)
    multiplier = (x_scale * w_scale / y_scale).astype(np.float32)[:, None, None]
    scaled = ((sums + bias[:, None, None]) * multiplier).astype(np.float32)
    y = quantized(scaled, np.float32(1), y_zero)
    inputs = [x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, bias]
    yield Case("qlinear_conv_channels", "QLinearConv", 10, inputs, [y], attributes)


def cases():
    for family in (linear_cases, block_cases, dynamic_cases, matmul_cases, conv_cases):
        yield from family()
