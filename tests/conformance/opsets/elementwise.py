# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases for element-wise ops: broadcasting of old opsets, integer limits, NaN, casts and
strings."""

import numpy as np
import onnx
from case import Case, random
from tensor import everywhere, words

def onnx_type(dtype):
    return int(onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[np.dtype(dtype)])


SIGNED = (np.int8, np.int16, np.int32, np.int64)
UNSIGNED = (np.uint8, np.uint16, np.uint32, np.uint64)


def legacy_cases():
    """Before opset 7, dimensions are aligned from `axis`, and only if `broadcast` is set."""
    x, y = random(2, 3, 4, 5), random(3, 4, seed=1)
    middle = {"broadcast": 1, "axis": 1}
    for name, function in (("Add", np.add), ("Sub", np.subtract), ("Mul", np.multiply),
                           ("Div", np.divide), ("Less", np.less)):  # fmt: skip
        result = function(x, y[:, :, None])
        yield Case(f"{name.lower()}_6_axis", name, 6, [x, y], [result], middle)
    end = random(4, 5, seed=2)
    yield Case("add_6_end", "Add", 6, [x, end], [x + end], {"broadcast": 1})
    yield Case("add_6_negative_axis", "Add", 6, [x, y], [x + y[:, :, None]],
               {"broadcast": 1, "axis": -3})  # fmt: skip
    yield Case("clip_6", "Clip", 6, [x], [x.clip(-0.25, 0.5)], {"min": -0.25, "max": 0.5})
    yield Case("clip_6_low", "Clip", 6, [x], [x.clip(0.25, None)], {"min": 0.25})
    slope = random(3, seed=3)
    yield Case("prelu_6_channels", "PRelu", 6, [x, slope],
               [np.where(x < 0, x * slope[:, None, None], x)])  # fmt: skip
    yield Case("cast_1_name", "Cast", 1, [x], [x.astype(np.int64)], {"to": "INT64"})
    selu = 1.0507 * np.where(x <= 0, 1.6732 * np.expm1(x.astype(np.float64)), x)
    yield Case("selu_1", "Selu", 1, [x], [selu.astype(np.float32)])
    for name, function in (("Sum", np.add), ("Max", np.maximum), ("Min", np.minimum)):
        parts = [random(2, 3, seed=k) for k in range(3)]
        result = function(function(parts[0], parts[1]), parts[2])
        yield Case(f"{name.lower()}_6", name, 6, parts, [result])


def integer_cases():
    """Overflow, truncating division, remainders, shifts and division by zero."""
    for dtype in SIGNED + UNSIGNED:
        info = np.iinfo(dtype)
        name = np.dtype(dtype).name
        x = np.array([info.max, info.min, 7, 100, 5, info.max], dtype)
        y = np.array([1, 1, 3, 0, 2, info.max], dtype)
        for op, function in (("Add", np.add), ("Sub", np.subtract), ("Mul", np.multiply)):
            yield Case(f"{op.lower()}_{name}", op, 14, [x, y], [function(x, y)])
        # No divisor is negative, so only the sign of the dividend matters.
        quotient = [np.sign(a) * (abs(a) // b) if b else 0 for a, b in zip(x.tolist(), y.tolist())]
        yield Case(f"div_{name}", "Div", 14, [x, y], [np.array(quotient, dtype)])
    for dtype in SIGNED:
        name = np.dtype(dtype).name
        lowest = np.iinfo(dtype).min
        x = np.array([7, -7, 7, -7, lowest, 9], dtype)
        y = np.array([3, 3, -3, -3, -1, 0], dtype)
        yield Case(f"div_signs_{name}", "Div", 14, [x, y],
                   [np.array([2, -2, -2, 2, lowest, 0], dtype)])  # fmt: skip
        yield Case(f"mod_signs_{name}", "Mod", 13, [x, y],
                   [np.array([1, 2, -2, -1, 0, 0], dtype)])  # fmt: skip
        yield Case(f"fmod_signs_{name}", "Mod", 13, [x, y],
                   [np.array([1, -1, 1, -1, 0, 0], dtype)], {"fmod": 1})  # fmt: skip
        yield Case(f"neg_abs_{name}", "Abs", 13, [x], [np.abs(x)])
        yield Case(f"relu_{name}", "Relu", 14, [x], [np.maximum(x, 0)])
        yield Case(f"sign_{name}", "Sign", 13, [x], [np.sign(x)])
    for dtype in UNSIGNED:
        bits = np.dtype(dtype).itemsize * 8
        name = np.dtype(dtype).name
        x = np.array([1, 3, 255, 1, 255], dtype)
        y = np.array([0, 1, 4, bits - 1, bits], dtype)
        left = [(int(a) << int(b)) % 2**bits for a, b in zip(x, y)]
        right = [int(a) >> int(b) for a, b in zip(x, y)]
        yield Case(f"shift_left_{name}", "BitShift", 11, [x, y],
                   [np.array(left, np.uint64).astype(dtype)], {"direction": "LEFT"})  # fmt: skip
        yield Case(f"shift_right_{name}", "BitShift", 11, [x, y], [np.array(right, dtype)],
                   {"direction": "RIGHT"})  # fmt: skip


def power_cases():
    base = np.array([3, -2, 0, 1, 7], np.int32)
    exponent = np.array([4, 5, 0, 40, 12], np.int64)
    wrapped = [(int(a) ** int(b) + 2**31) % 2**32 - 2**31 for a, b in zip(base, exponent)]
    yield Case("pow_wraps", "Pow", 15, [base, exponent], [np.array(wrapped, np.int32)])
    negative = np.array([-1, -3, -1, -2, -1], np.int32)
    units = np.array([1, -1, -1, 2, 7], np.int64)
    yield Case("pow_negative_exponent", "Pow", 15, [units, negative],
               [np.array([1, -1, -1, 0, 0], np.int64)])  # fmt: skip
    x = np.abs(random(3, 1, 4)) + 0.5
    y = random(2, 4, seed=1).astype(np.float64) * 3
    yield Case("pow_broadcast", "Pow", 13, [x, y], [np.power(x, y).astype(np.float32)])


def special_cases():
    """NaN, infinities and zeros as inputs."""
    nan, inf = np.nan, np.inf
    x = np.array([nan, 1, inf, -inf, -0.0, nan], np.float32)
    y = np.array([1, nan, 1, 1, 0.0, nan], np.float32)
    yield Case("min_nan", "Min", 13, [x, y], [np.minimum(x, y)])
    yield Case("max_nan", "Max", 13, [x, y], [np.maximum(x, y)])
    yield Case("relu_nan", "Relu", 14, [x], [np.where(np.isnan(x), x, np.maximum(x, 0))])
    yield Case("clip_nan", "Clip", 13, [x, np.float32(-1), np.float32(1)],
               [np.where(np.isnan(x), x, np.clip(x, -1, 1))])  # fmt: skip
    neither = {"detect_negative": 0, "detect_positive": 0}
    yield Case("isinf_neither", "IsInf", 10, [x], [np.zeros(6, bool)], neither)
    yield Case("round_ties", "Round", 11, [np.array([0.5, 1.5, -0.5, -2.5, 2.5], np.float32)],
               [np.array([0, 2, -0.0, -2, 2], np.float32)])  # fmt: skip
    large = np.array([-1000, -30, 0, 30, 1000], np.float32)
    yield Case("softplus_large", "Softplus", 1, [large],
               [np.logaddexp(0, large.astype(np.float64)).astype(np.float32)])  # fmt: skip
    yield Case("sigmoid_large", "Sigmoid", 13, [large],
               [(1 / (1 + np.exp(-large.astype(np.float64)))).astype(np.float32)])  # fmt: skip


def activation_cases():
    x = random(3, 4, seed=5) * 4
    wide = x.astype(np.float64)
    rows = [
        ("Elu", 6, {"alpha": 2.0}, np.where(wide < 0, 2 * np.expm1(wide), wide)),
        ("Celu", 12, {"alpha": 0.5},
         np.maximum(wide, 0) + np.minimum(0, 0.5 * np.expm1(wide / 0.5))),
        ("LeakyRelu", 6, {}, np.where(wide < 0, np.float32(0.01) * wide, wide)),
        ("HardSigmoid", 6, {}, np.clip(np.float32(0.2) * wide + 0.5, 0, 1)),
        ("ThresholdedRelu", 10, {}, np.where(wide > 1, wide, 0)),
        ("Shrink", 9, {"lambd": 1.0, "bias": 0.5},
         np.where(wide < -1, wide + 0.5, np.where(wide > 1, wide - 0.5, 0))),
        ("HardSwish", 14, {}, wide * np.clip(wide / 6 + 0.5, 0, 1)),
        ("Mish", 18, {}, wide * np.tanh(np.log1p(np.exp(wide)))),
        ("Swish", 24, {"alpha": 2.0}, wide / (1 + np.exp(-2 * wide))),
        ("Softsign", 1, {}, wide / (1 + np.abs(wide))),
    ]  # fmt: skip
    for op, opset, attributes, result in rows:
        for dtype in (np.float32, np.float64):
            case = Case(f"{op.lower()}_{np.dtype(dtype).name}", op, opset, [x.astype(dtype)],
                        [result.astype(dtype)], attributes)  # fmt: skip
            yield from everywhere(case)
    halves = x.astype(np.float16)
    result = np.tanh(halves.astype(np.float64)).astype(np.float16)
    yield from everywhere(Case("tanh_float16", "Tanh", 13, [halves], [result]))
    shrunk = np.array([-3, -1, 0, 2, 5], np.int8)
    yield Case("shrink_int8", "Shrink", 9, [shrunk], [np.array([-1, 0, 0, 0, 3], np.int8)],
               {"lambd": 2.0, "bias": 2.0})  # fmt: skip


def dropout_cases():
    x = random(3, 4)
    yield Case("dropout_7_mask", "Dropout", 7, [x], [x, np.ones_like(x)], {"ratio": 0.25})
    yield Case("dropout_10_mask", "Dropout", 10, [x], [x, np.ones_like(x, bool)])
    off = np.array(False)
    inputs = [x, np.float32(0.5), off]
    yield from everywhere(Case("dropout_12_off", "Dropout", 12, inputs, [x, x == x]), 2)
    np.random.seed(5)
    mask = np.random.uniform(0, 1, x.shape) >= 0.25
    result = np.where(mask, x / np.float32(0.75), 0).astype(np.float32)
    inputs = [x, np.float32(0.25), np.array(True)]
    yield Case("dropout_12_seed", "Dropout", 12, inputs, [result, mask], {"seed": 5})


def cast_cases():
    x = np.array([-3e9, -129, -128.7, -1.5, -0.0, 0.9, 127.9, 255.9, 3e9], np.float32)
    for dtype in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32):
        info = np.iinfo(dtype)
        saturated = np.clip(np.trunc(x.astype(np.float64)), info.min, info.max).astype(dtype)
        to = {"to": onnx_type(dtype)}
        yield Case(f"cast_to_{np.dtype(dtype).name}", "Cast", 13, [x], [saturated], to)
    wide = np.array([2**40 + 5, -1, 255, 256, -(2**31) - 1], np.int64)
    for dtype in (np.int8, np.uint8, np.int32, np.uint32, np.uint64, np.float32, bool):
        to = {"to": onnx_type(dtype)}
        yield Case(f"cast_int64_{np.dtype(dtype).name}", "Cast", 13, [wide], [wide.astype(dtype)],
                   to)  # fmt: skip
    texts = words("1", "-2.5", "1e3", "nan", "-INF", "+7")
    numbers = np.array([1, -2.5, 1e3, np.nan, -np.inf, 7])
    yield Case("cast_text_to_double", "Cast", 13, [texts], [numbers], {"to": onnx_type(np.float64)})
    yield Case("cast_text_to_int64", "Cast", 13, [words("12", "-9007199254740993")],
               [np.array([12, -9007199254740993])], {"to": onnx_type(np.int64)})  # fmt: skip
    yield Case("cast_text_to_bool", "Cast", 13, [words("1", "0", "True", "false")],
               [np.array([True, False, True, False])], {"to": onnx_type(bool)})  # fmt: skip
    yield Case("cast_int_to_text", "Cast", 13, [np.array([12, -3])], [words("12", "-3")], {"to": 8})
    yield Case("cast_float_to_text", "Cast", 13, [np.array([0.5, 1e30, np.nan], np.float32)],
               [words("0.5", "1e+30", "NaN")], {"to": 8})  # fmt: skip
    chosen = np.array([True, False])
    yield Case("where_text", "Where", 9, [chosen, words("a", "b"), words("c")], [words("a", "c")])
    yield Case("equal_text", "Equal", 19, [words("a", "b"), words("b")],
               [np.array([False, True])])  # fmt: skip


def broadcast_cases():
    shapes = [((2, 3, 4), (4,)), ((2, 1, 4), (3, 1)), ((), (2, 3)), ((5, 1, 1), (1, 6, 1)),
              ((2, 3, 4), (2, 3, 4)), ((0, 3), (1, 3))]  # fmt: skip
    for k, (a, b) in enumerate(shapes):
        x, y = random(*a), random(*b, seed=1)
        yield from everywhere(Case(f"broadcast_{k}", "Mul", 7, [x, y], [x * y]))
        condition = random(*b, seed=2) > 0
        yield from everywhere(Case(f"where_broadcast_{k}", "Where", 9, [condition, x, y],
                                   [np.where(condition, x, y)]))  # fmt: skip
    parts = [random(2, 1), random(3, seed=1), random(1, seed=2)]
    mean = ((parts[0].astype(np.float64) + parts[1] + parts[2]) / 3).astype(np.float32)
    yield from everywhere(Case("mean_broadcast", "Mean", 13, parts, [mean]))


def cases():
    for family in (legacy_cases, integer_cases, power_cases, special_cases, activation_cases,
                   dropout_cases, cast_cases, broadcast_cases):  # fmt: skip
        yield from family()
