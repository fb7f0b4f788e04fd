# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of element-wise ops: odd values of each type, broadcasting, empty tensors, casts and clips."""

import numpy as np
from odd_values import FLOATS, SIGNED, UNSIGNED, all_odd, odd
from op_rows import f32, row
from oracle_case import BFLOAT16, Bits

INTEGERS = SIGNED + UNSIGNED
UNARY = ("Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Ceil", "Cos", "Cosh", "Erf", "Exp", "Floor",
         "HardSwish", "Identity", "IsNaN", "Log", "Mish", "Neg", "Reciprocal", "Relu", "Round", "Sigmoid", "Sign",
         "Sin", "Sinh", "Softplus", "Softsign", "Sqrt", "Tan", "Tanh")  # fmt: skip
# The shapes of two operands that broadcast.
SHAPES = (((2, 3), (3,)), ((2, 1, 4), (3, 1)), ((), (2, 3)), ((2, 3), ()), ((0, 3), (1, 3)), ((1,), (0,)), ((), ()),
          ((1, 1, 5), (4, 1, 1)), ((2, 3, 4, 5), (4, 5)))  # fmt: skip


@row(*UNARY)
def unary(make):
    """One version of an op gets all odd values; the newest also gets other types and shapes."""
    make.odd([all_odd(make.rng, np.float32)])
    make([make.x(2, 3, 4)], text="plain")
    if make.is_newest:
        for shape in ((), (0,), (2, 0, 3), (1,), (17,)):
            make([make.x(*shape)], text="shape")
        for dtype in (np.float16, np.float64):
            make.odd([all_odd(make.rng, dtype)], text=f"odd_{dtype.__name__}")
        bits = (all_odd(make.rng, np.float32).view(np.uint32) >> 16).astype(np.uint16)
        make.odd([Bits(bits, BFLOAT16)], text="odd_bfloat16")
        for dtype in INTEGERS if make.op in ("Abs", "Neg", "Sign", "Relu", "Identity") else ():
            if make.op != "Neg" or dtype in SIGNED:
                make([odd(dtype)], text=dtype.__name__)


@row("IsInf")
def is_inf(make):
    for attributes in ({}, {"detect_negative": 0}, {"detect_positive": 0}, {"detect_negative": 0, "detect_positive": 0}):
        for dtype in FLOATS:
            make.odd([all_odd(make.rng, dtype)], attributes, text=f"odd_{dtype.__name__}")


PARAMETERS = {
    "Celu": ({}, {"alpha": 0.5}, {"alpha": 3.0}),
    "Elu": ({}, {"alpha": 0.5}, {"alpha": -1.0}),
    "Gelu": ({}, {"approximate": "tanh"}),
    "HardSigmoid": ({}, {"alpha": 0.5, "beta": 0.25}, {"alpha": -0.5}),
    "LeakyRelu": ({}, {"alpha": 0.3}, {"alpha": -0.5}, {"alpha": 0.0}),
    "Selu": ({}, {"alpha": 2.0, "gamma": 3.0}),
    "Shrink": ({}, {"bias": 1.5, "lambd": 1.0}, {"lambd": 0.0}),
    "Swish": ({}, {"alpha": 2.0}),
    "ThresholdedRelu": ({}, {"alpha": 0.0}, {"alpha": 2.5}, {"alpha": -1.0}),
}


@row(*PARAMETERS)
def parameterized(make):
    for attributes in PARAMETERS[make.op]:
        make.odd([all_odd(make.rng, np.float32)], attributes)
        make([make.x(2, 3, 4)], attributes, text="plain")
        if make.is_newest:
            make([make.x(0, 3)], attributes, text="empty")
            for dtype in (np.float16, np.float64):
                make.odd([all_odd(make.rng, dtype)], attributes, text=f"odd_{dtype.__name__}")


ARITHMETIC = ("Add", "Sub", "Mul", "Div")
COMPARISON = ("Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual")
LOGIC = ("And", "Or", "Xor")


def pairs(dtype):
    """Returns two arrays with all pairs of the odd values."""
    values = odd(dtype)
    return np.repeat(values, values.size), np.tile(values, values.size)


@row(*ARITHMETIC, *COMPARISON, "Pow", "Max", "Min", "Mean", "Sum", "Mod")
def binary(make):
    fmod = {"fmod": 1} if make.op == "Mod" else {}
    if make.opset < 7 and make.op not in ("Max", "Min", "Mean", "Sum"):
        make([make.x(2, 3, 4), make.x(3, 4)], {"broadcast": 1}, text="end")
        make([make.x(2, 3, 4), make.x(3)], {"broadcast": 1, "axis": 1}, text="axis")
        make([make.x(2, 3, 4), make.x(2, 3, 4)], text="same")
        return
    if make.opset < 8 and make.op in ("Max", "Min", "Mean", "Sum"):
        make([make.x(2, 3), make.x(2, 3), make.x(2, 3)])
        return
    make.odd(list(pairs(np.float32)), fmod)
    for a, b in SHAPES:
        x, y = make.x(*a), make.x(*b)
        make([np.abs(x) if make.op == "Pow" else x, y], fmod, text="broadcast")
    if make.is_newest:
        for dtype in (np.float16, np.float64):
            make.odd(list(pairs(dtype)), fmod, text=f"odd_{dtype.__name__}")
        integers(make)
    if make.op in ("Max", "Min", "Mean", "Sum"):
        make([make.strange(2, 3)], text="one", is_odd=True)
        make([make.strange(2, 1, 3), make.strange(4, 1), make.strange(3)], text="three", is_odd=True)


def integers(make):
    for dtype in INTEGERS:
        x, y = pairs(dtype)
        if make.op in ("Mean", "Sum"):
            continue
        if make.op == "Pow":
            x, y = make.ints(0, 4, 40, dtype=dtype), make.ints(0, 4, 40, dtype=dtype)
        if make.op in ("Div", "Mod"):
            # ONNX does not define the quotient by zero nor one that overflows.
            is_defined = y != 0
            if np.dtype(dtype).kind == "i":
                is_defined &= ~((x == np.iinfo(dtype).min) & (y == -1))
            x, y = x[is_defined], y[is_defined]
        make([x, y], text=dtype.__name__)
        if make.op == "Mod":
            make([x, y], {"fmod": 1}, text=f"fmod_{dtype.__name__}")
    if make.op == "Equal":
        make(list(pairs(bool)), text="bool")
        make([np.array(["a", "b", ""], object), np.array(["a", "c", ""], object)], text="string")


@row("Pow")
def pow_types(make):
    if make.opset >= 12:
        for base, exponent in ((np.float32, np.int64), (np.int32, np.float32), (np.int64, np.int32), (np.float32, np.int32),
                               (np.float32, np.float64), (np.float64, np.float32)):
            make([make.ints(1, 4, 20).astype(base), make.ints(0, 4, 20).astype(exponent)],
                 text=f"{base.__name__}_{exponent.__name__}")  # fmt: skip


@row(*LOGIC)
def logic(make):
    if make.opset < 7:
        make([make.x(2, 3, 4, dtype=bool), make.x(3, dtype=bool)], {"broadcast": 1, "axis": 1})
        return
    for a, b in SHAPES:
        make([make.x(*a, dtype=bool), make.x(*b, dtype=bool)], text="broadcast")


@row("Not")
def negation(make):
    for shape in ((), (0,), (2, 3)):
        make([make.x(*shape, dtype=bool)])


@row("BitwiseAnd", "BitwiseOr", "BitwiseXor")
def bitwise(make):
    for dtype in INTEGERS:
        make(list(pairs(dtype)), text=dtype.__name__)
    make([make.ints(-9, 9, 2, 1, 3), make.ints(-9, 9, 4, 1)], text="broadcast")


@row("BitwiseNot")
def bitwise_not(make):
    for dtype in INTEGERS:
        make([odd(dtype)], text=dtype.__name__)


@row("BitShift")
def shift(make):
    for dtype in UNSIGNED:
        width = np.dtype(dtype).itemsize * 8
        values = np.repeat(odd(dtype), width)
        amounts = np.tile(np.arange(width, dtype=dtype), odd(dtype).size)
        for direction in ("LEFT", "RIGHT"):
            make([values, amounts], {"direction": direction}, text=f"{dtype.__name__}_{direction.lower()}")


@row("PRelu")
def prelu(make):
    if make.opset < 7:
        make([make.x(2, 3, 4), make.x(3)])
        return
    for shape in ((2, 3, 4), (3, 1), (4,), (1,), (1, 3, 1)):
        make.odd([make.strange(2, 3, 4), make.x(*shape)])
    make.odd([odd(np.float32), np.full(odd(np.float32).size, 0.25, np.float32)], text="values")


@row("Clip")
def clip(make):
    limits = ((-1.0, 1.0), (0.0, 6.0), (2.0, -2.0), (-np.inf, np.inf))
    if make.opset < 11:
        for low, high in limits[:3]:
            make.odd([all_odd(make.rng, np.float32)], {"min": low, "max": high})
        make.odd([all_odd(make.rng, np.float32)])
        return
    types = (np.float32, *((np.float16, np.float64, *INTEGERS) if make.opset >= 12 else ()))
    for dtype in types:
        for low, high in limits[:3]:
            if np.dtype(dtype).kind == "u" and low < 0:
                low, high = high + 4, 2.0
            if np.dtype(dtype).kind == "u":
                low, high = abs(low), abs(high)
            bounds = [np.array(low, dtype), np.array(high, dtype)]
            make.odd([all_odd(make.rng, dtype), *bounds], text=dtype.__name__)
    x = all_odd(make.rng, np.float32)
    make.odd([x, None, np.float32(1).reshape(())], text="max")
    make.odd([x, np.float32(1).reshape(())], text="min")
    make.odd([x], text="none")
    make.odd([x, *(np.array(limit, np.float32) for limit in limits[3])], text="infinite")


CASTS = (np.float32, np.float16, np.float64, *INTEGERS, bool)


@row("Cast")
def cast(make):
    if make.opset < 6:
        make([make.x(2, 3)], {"to": "INT32"})
        return
    from oracle_case import ELEMENT

    # Other versions add types only.
    full = make.is_newest or make.opset == 13
    for source in CASTS:
        for target in CASTS if full or source in (np.float32, bool) else (np.float32,):
            values = cast_values(source, target)
            make([values], {"to": ELEMENT[np.dtype(target)]}, is_odd=True, text=f"{np.dtype(source)}_{np.dtype(target)}")
    if make.opset >= 13:
        x = all_odd(make.rng, np.float32)
        make.odd([x], {"to": BFLOAT16}, text="to_bfloat16")
        bits = (x.view(np.uint32) >> 16).astype(np.uint16)
        make.odd([Bits(bits, BFLOAT16)], {"to": 1}, text="from_bfloat16")
    if make.opset >= 9:
        texts = np.array(["1.5", "-2", "NaN", "INF", "-inf", "1e5", "7"], object)
        make([texts], {"to": 1}, text="from_string")
        make([make.ints(-9, 9, 5)], {"to": 8}, text="to_string")


def cast_values(source, target):
    """Returns odd values of which ONNX defines the conversion: a float out of the range of an integer has none."""
    values = odd(source)
    if np.dtype(source).kind == "f" and np.dtype(target).kind in "iu":
        info = np.iinfo(target)
        wide = values.astype(np.float64)
        low = np.trunc(np.nan_to_num(wide, nan=0, posinf=np.inf, neginf=-np.inf))
        return values[np.isfinite(wide) & (low >= float(info.min)) & (low < float(info.max))]
    return values


@row("Cast")
def cast_8_bits(make):
    if make.opset != 19 and not make.is_newest:
        return
    x = np.concatenate([odd(np.float32), np.arange(-40, 40, dtype=np.float32) / 8, f32(448, 449, 464, 480, 57344, 61440, 65536, 1e-9)])
    for target in (17, 18, 19, 20):
        for saturate in (0, 1):
            make.odd([x], {"to": target, "saturate": saturate}, text=f"to_{target}_{saturate}")
        make([Bits(np.arange(256).astype(np.uint8), target)], {"to": 1}, text=f"from_{target}", is_odd=True)


@row("CastLike")
def cast_like(make):
    for source, target in ((np.float32, np.float16), (np.float64, np.float32), (np.int64, np.float32), (np.int64, np.int8),
                           (np.float32, bool), (bool, np.float32)):
        make.odd([cast_values(source, target), np.zeros(1, target)], text=f"{np.dtype(source)}_{np.dtype(target)}")


@row("BitCast")
def bit_cast(make):
    for source, target in ((np.float32, 6), (np.int32, 1), (np.float64, 7), (np.uint16, 10)):
        make.odd([odd(source)], {"to": target}, text=str(target))


@row("Where")
def where(make):
    for dtype in (np.float32, np.float16, np.float64, np.uint8, np.int32, np.int64, bool):
        make.odd([make.x(2, 1, 3, dtype=bool), make.strange(4, 1, dtype=dtype), make.strange(3, dtype=dtype)],
                 text=np.dtype(dtype).name)  # fmt: skip
    make([np.array(True), make.x(2, 3), make.x()], text="scalar")
    make([make.x(0, 3, dtype=bool), make.x(1, 3), make.x(3)], text="empty")


@row("Dropout")
def dropout(make):
    if make.opset >= 12:
        make([make.x(2, 3)])
        make([make.strange(2, 3), np.array(0.75, np.float32), np.array(False)], outputs=2, is_odd=True)
        make([make.strange(2, 3), np.array(0.0, np.float32), np.array(True)], outputs=2, is_odd=True, text="training_0")
    elif make.opset >= 7:
        make([make.strange(2, 3)], {"ratio": 0.25}, outputs=2, is_odd=True)
    else:
        make([make.x(2, 3)], {"ratio": 0.25, "is_test": 1})
