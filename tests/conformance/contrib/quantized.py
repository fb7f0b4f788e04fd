# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases for ops on 8-bit tensors. The integers of the peer may differ by one step, because it rounds in
tables and in vector instructions."""

import itertools

import numpy as np
from case import Case, Random

BYTES = (np.uint8, np.int8)


def zero(r, dtype):
    low = 100 if dtype == np.uint8 else -28
    return np.array(r.integers(low, low + 56), dtype)


def scale(r, low=0.01, high=0.05):
    return np.array(r.positive(low=low, high=high))


def triple(r, shape, dtype):
    return [r.bytes(*shape, dtype=dtype), scale(r), zero(r, dtype)]


def output(r, dtype, low=0.01, high=0.05):
    return [scale(r, low, high), zero(r, dtype)]


def elementwise_cases():
    shapes = (([2, 8], [2, 8]), ([2, 3, 17], [17]), ([1, 4, 5], [3, 1, 5]), ([33], []))
    for k, (op, dtype, (left, right)) in enumerate(itertools.product(("QLinearAdd", "QLinearMul"), BYTES, shapes)):
        r = Random(1100 + k)
        inputs = [*triple(r, left, dtype), *triple(r, right, dtype), *output(r, dtype, 0.03, 0.09)]
        yield Case(f"{op}_{k}", op, inputs, kind="bytes", constants=(1, 2, 4, 5, 6, 7), is_quick=k % 8 == 1)
    for k, (op, dtype, shape) in enumerate(itertools.product(("QLinearSigmoid", "QLinearLeakyRelu"), BYTES, ([40], [2, 3, 7]))):
        r = Random(1150 + k)
        attributes = {"alpha": 0.2} if op == "QLinearLeakyRelu" else {}
        result = [np.array(1 / 256, np.float32), np.array(0 if dtype == np.uint8 else -128, dtype)]
        result = output(r, dtype) if attributes else result
        yield Case(f"{op}_{k}", op, [*triple(r, shape, dtype), *result], attributes, constants=(1, 2, 3, 4), kind="bytes",
                   is_quick=k % 4 == 0)
    for k, dtype in enumerate(BYTES):
        r = Random(1170 + k)
        condition = r.integers(0, 2, 2, 3, 8).astype(bool)
        inputs = [condition, *triple(r, [2, 3, 8], dtype), *triple(r, [3, 8], dtype), *output(r, dtype)]
        yield Case(f"QLinearWhere_{k}", "QLinearWhere", inputs, kind="bytes", constants=(2, 3, 5, 6, 7, 8), is_quick=k == 0)


def softmax_cases():
    for k, (dtype, (shape, axis, opset)) in enumerate(itertools.product(BYTES, (
            ([3, 20], -1, 13), ([2, 5, 6], 1, 13), ([2, 5, 6], 1, 11), ([2, 3, 4, 5], 3, 13)))):  # fmt: skip
        r = Random(1200 + k)
        result = [np.array(1 / 256, np.float32), np.array(0 if dtype == np.uint8 else -128, dtype)]
        yield Case(f"QLinearSoftmax_{k}", "QLinearSoftmax", [*triple(r, shape, dtype), *result],
                   {"axis": axis, "opset": opset}, constants=(1, 2, 3, 4), kind="bytes", is_quick=k in (0, 2))


def concat_cases():
    for k, (dtype, axis) in enumerate(itertools.product(BYTES, (0, 1, -1))):
        r = Random(1250 + k)
        shape = [3, 4, 5]
        parts = []
        for size in (1, 2, 4):
            own = list(shape)
            own[axis] = size
            parts += triple(r, own, dtype)
        yield Case(f"QLinearConcat_{k}", "QLinearConcat", [*output(r, dtype), *parts], {"axis": axis}, kind="bytes",
                   constants=(0, 1, 3, 4, 6, 7, 9, 10), is_quick=k == 0)


def pool_cases():
    for k, (dtype, is_last) in enumerate(itertools.product(BYTES, (0, 1))):
        r = Random(1300 + k)
        shape = [2, 6, 7, 8] if is_last else [2, 8, 6, 7]
        x, result = triple(r, shape, dtype), output(r, dtype)
        last = {"channels_last": is_last}
        yield Case(f"QLinearGlobalAveragePool_{k}", "QLinearGlobalAveragePool", [*x, *result], last, kind="bytes",
                   constants=(1, 2, 3, 4), is_quick=k == 0)
        for j, options in enumerate(({"kernel_shape": [2, 2]}, {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 1]},
                                     {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "count_include_pad": 1})):  # fmt: skip
            yield Case(f"QLinearAveragePool_{k}_{j}", "QLinearAveragePool", [*x, *result], {**options, **last}, kind="bytes",
                       constants=(1, 2, 3, 4), is_quick=k == 0 and j == 1)
    for k, (dtype, axes, keeps) in enumerate(itertools.product(BYTES, ([1], [0, 2], [-1]), (0, 1))):
        r = Random(1350 + k)
        yield Case(f"QLinearReduceMean_{k}", "QLinearReduceMean", [*triple(r, [3, 4, 5], dtype), *output(r, dtype)],
                   {"axes": axes, "keepdims": keeps}, constants=(1, 2, 3, 4), kind="bytes", is_quick=k == 0,
                   peer=mean_of_floats)


def mean_of_floats(case, run):
    """The peer has no kernel of QLinearReduceMean, so three ops of ONNX compute the result."""
    data, data_scale, data_zero, y_scale, y_zero = case.inputs
    wide = run(Case(case.name, "DequantizeLinear", [data, data_scale, data_zero], domain=""))[0]
    axes = np.array(case.attributes["axes"], np.int64)
    keeps = {"keepdims": case.attributes["keepdims"]}
    mean = run(Case(case.name, "ReduceMean", [wide, axes], keeps, domain=""))[0]
    return run(Case(case.name, "QuantizeLinear", [mean, y_scale, y_zero], domain=""))


def product_cases():
    for k, (dtype, per_column, has_zero, has_bias) in enumerate(itertools.product(BYTES, (0, 1), (0, 1), (0, 1))):
        r = Random(1400 + k)
        b = r.bytes(24, 16, dtype=dtype)
        b_scale = r.positive(16) if per_column else scale(r)
        b_zero = r.integers(5, 40, *([16] if per_column else []), dtype=dtype) if has_zero else None
        bias = r.floats(16) if has_bias else None
        a = r.floats(2, 3, 24)
        yield Case(f"DynamicQuantizeMatMul_{k}", "DynamicQuantizeMatMul", trimmed([a, b, b_scale, np.array(b_zero) if has_zero else None, bias]),
                   constants=weights(1, 2, 3 if has_zero else 0, 4 if has_bias else 0), kind="sums", is_quick=k in (0, 7))
        a_dtype = BYTES[k // 2 % 2] if dtype == np.int8 else np.uint8
        x = triple(r, [3, 24], a_dtype)
        inputs = [x[0], b, x[1], b_scale, x[2], np.array(b_zero) if has_zero else None, bias]
        yield Case(f"MatMulIntegerToFloat_{k}", "MatMulIntegerToFloat", trimmed(inputs), kind="sums",
                   constants=weights(1, 3, 5 if has_zero else 0, 6 if has_bias else 0), is_quick=k in (1, 6))


def weights(*indices):
    return tuple(i for i in indices if i)


def trimmed(inputs):
    while inputs[-1] is None:
        inputs = inputs[:-1]
    return inputs


def cases():
    for family in (elementwise_cases, softmax_cases, concat_cases, pool_cases, product_cases):
        yield from family()
