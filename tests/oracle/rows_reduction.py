# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of reductions, normalizations and searches: axes, empty tensors and odd values."""

import numpy as np
from odd_values import odd
from op_rows import f32, i64, row

REDUCTIONS = ("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin",
              "ReduceProd", "ReduceSum", "ReduceSumSquare")  # fmt: skip
# Odd values that a sum does not turn into NaN everywhere.
RARE = 0.03


def has_axes_input(make):
    return make.opset >= (13 if make.op == "ReduceSum" else 18)


@row(*REDUCTIONS)
def reduce(make):
    def case(x, axes, text="", is_odd=False, **attributes):
        if axes is None:
            make([x], attributes, text, is_odd=is_odd)
        elif has_axes_input(make):
            make([x, i64(*axes)], attributes, text, constants=(1,), is_odd=is_odd)
        elif axes:
            make([x], {**attributes, "axes": list(axes)}, text, is_odd=is_odd)

    def data(*shape, dtype=np.float32):
        x = make.x(*shape, dtype=dtype)
        return np.abs(x) + x.dtype.type(1) if make.op == "ReduceLogSum" else x

    case(data(2, 3, 4), None, "all")
    for axes in ((0,), (1,), (0, 2), (1, 2)) + (((-1,), (-3, -1)) if make.opset >= 11 else ()):
        for keepdims in (0, 1):
            case(data(2, 3, 4), axes, "axes", keepdims=keepdims)
    case(make.strange(8, 9, share=RARE), (1,), "odd", is_odd=True)
    case(np.stack([odd(np.float32), np.zeros_like(odd(np.float32))], 1), (1,), "odd_pairs", is_odd=True)
    case(np.full((2, 3), -np.inf, np.float32), (1,), "minus_infinity", is_odd=True)
    if make.is_newest:
        case(data(2, 0, 3), (1,), "empty")
        case(data(0, 3), (1,), "empty_result")
        case(data(), None, "scalar")
        case(data(2, 3), None, "noop", noop_with_empty_axes=1)
        case(data(2, 3), (), "noop", noop_with_empty_axes=1)
        case(data(2, 3), (), "empty_axes", noop_with_empty_axes=0)
        for dtype in (np.float16, np.float64, np.int32, np.int64):
            case(data(3, 5, dtype=dtype), (1,), np.dtype(dtype).name)
        if make.op in ("ReduceMax", "ReduceMin"):
            for dtype in (np.int8, np.uint8, bool):
                case(data(3, 5, dtype=dtype), (1,), np.dtype(dtype).name)


@row("ArgMax", "ArgMin")
def arg(make):
    for axis in (0, 1, 2) + ((-1, -3) if make.opset >= 11 else ()):
        make([make.ints(-3, 3, 3, 4, 5).astype(np.float32)], {"axis": axis, "keepdims": axis % 2}, text="ties")
    make([make.ints(-3, 3, 3, 4, dtype=np.int32)], text="int32")
    make.odd([make.strange(8, 9)], {"axis": 1})
    make.odd([f32(0.0, -0.0, 0.0)], {"axis": 0}, text="zeros")
    if make.opset >= 12:
        make([make.ints(-3, 3, 3, 4, 5).astype(np.float32)], {"axis": 1, "select_last_index": 1}, text="last")
        make.odd([make.strange(8, 9)], {"axis": 1, "select_last_index": 1}, text="last_odd")
    if make.is_newest:
        for dtype in (np.float16, np.float64, np.uint8, np.int8):
            make([make.ints(0, 3, 3, 4).astype(dtype)], {"axis": -1}, text=np.dtype(dtype).name)


@row("Softmax", "LogSoftmax", "Hardmax")
def softmax(make):
    axes = (0, 1, 2) + ((-1, -2) if make.opset >= 11 else ())
    for axis in axes:
        make([make.x(2, 3, 4)], {"axis": axis}, text="axis")
    make([make.x(2, 3, 4)], text="default")
    make.odd([make.strange(12, 9, share=0.1)], {"axis": 1})
    make.odd([make.strange(12, 9, share=0.1, values=[np.inf])], {"axis": 1}, text="infinity")
    make.odd([make.strange(12, 9, share=0.4, values=[-np.inf])], {"axis": 1}, text="minus_infinity")
    make.odd([np.full((2, 3), -np.inf, np.float32)], {"axis": 1}, text="all_minus_infinity")
    make([f32(1e4, -1e4, 0, 9999).reshape(1, 4)], {"axis": 1}, text="large")
    make([f32(1, 1, 0, 1).reshape(1, 4)], {"axis": 1}, text="ties")
    if make.is_newest:
        make([make.x(0, 3)], {"axis": 1}, text="empty")
        for dtype in (np.float16, np.float64):
            make([make.x(3, 5, dtype=dtype)], {"axis": 1}, text=np.dtype(dtype).name)


@row("TopK")
def top_k(make):
    def case(x, k, text="", is_odd=False, **attributes):
        if make.opset < 10:
            make([x], {"k": k, **attributes}, text, outputs=2, is_odd=is_odd)
        else:
            make([x, i64(k)], attributes, text, constants=(1,), outputs=2, is_odd=is_odd)

    case(make.x(3, 4, 5), 2, "default")
    case(make.ints(-2, 3, 3, 8).astype(np.float32), 5, "ties")
    for axis in (0, 1) + ((-2,) if make.opset >= 10 else ()):
        case(make.x(3, 4, 5), 3, "axis", axis=axis)
    case(make.strange(6, 9), 4, "odd", is_odd=True, axis=1)
    case(make.strange(6, 9, values=[np.inf, -np.inf, -0.0, 0.0]), 9, "infinities", is_odd=True, axis=1)
    if make.opset >= 11:
        case(make.ints(-2, 3, 3, 8).astype(np.float32), 5, "smallest", largest=0)
        case(make.strange(6, 9), 4, "smallest_odd", is_odd=True, axis=1, largest=0)
        case(make.ints(-9, 9, 3, 8), 5, "int64")
        case(make.ints(-9, 9, 3, 8, dtype=np.int32), 8, "int32", largest=0)
        case(make.x(3, 4), 0, "zero")


@row("CumSum", "CumProd")
def cumulative(make):
    for axis in (0, 1, -1):
        for exclusive in (0, 1):
            for reverse in (0, 1):
                make([make.x(2, 3, 4), np.array(axis, np.int64)], {"exclusive": exclusive, "reverse": reverse}, constants=(1,))
    for dtype in (np.int32, np.int64, np.float64):
        make([make.ints(-9, 9, 2, 5).astype(dtype), np.array(1, np.int32)], text=np.dtype(dtype).name, constants=(1,))
    make.odd([make.strange(8, 9, share=RARE), np.array(1, np.int64)], constants=(1,))
    make([make.x(2, 0), np.array(1, np.int64)], text="empty", constants=(1,))


@row("BatchNormalization")
def batch_norm(make):
    def parameters(channels):
        return [make.x(channels), make.x(channels), make.x(channels), np.abs(make.x(channels)) + np.float32(0.5)]

    test = {"is_test": 1} if make.opset < 7 else {}
    for shape in ((2, 3, 4, 4), (2, 3, 5), (2, 3)) if make.opset >= 7 else ((2, 3, 4, 4),):
        make([make.x(*shape), *parameters(3)], test, constants=(1, 2, 3, 4) if len(shape) == 3 else ())
    make([make.x(2, 3, 4), *parameters(3)], {**test, "epsilon": 0.25}, text="epsilon")
    make.odd([make.strange(2, 3, 4), *parameters(3)], test)
    make.odd([make.x(2, 3, 4), make.x(3), make.x(3), make.x(3), f32(0, 1e-30, -1)], test, text="variance")
    if make.opset >= 14:
        make([make.x(2, 3, 4), *parameters(3)], {"training_mode": 1, "momentum": 0.5}, text="training", outputs=3)
    if 7 <= make.opset < 9:
        make([make.x(2, 3, 4, 4), *parameters(3)], {"spatial": 1}, text="spatial")


@row("InstanceNormalization")
def instance_norm(make):
    for shape in ((2, 3, 4, 4), (2, 3, 5)):
        make([make.x(*shape), make.x(3), make.x(3)])
    make([make.x(2, 3, 4), make.x(3), make.x(3)], {"epsilon": 0.5}, text="epsilon")
    make.odd([make.strange(4, 3, 8, share=RARE), make.x(3), make.x(3)])
    make([np.full((1, 2, 4), 3, np.float32), make.x(2), make.x(2)], text="constant")


@row("LayerNormalization", "RMSNormalization", "SimplifiedLayerNormalization")
def layer_norm(make):
    has_bias = make.op == "LayerNormalization"
    for axis in (-1, 1, 2, -2):
        shape = (2, 3, 4, 5)[axis:] if axis < 0 else (2, 3, 4, 5)[axis:]
        values = [make.x(2, 3, 4, 5), make.x(*shape)] + ([make.x(*shape)] if has_bias else [])
        make(values, {"axis": axis, "epsilon": 0.01}, text="axis", outputs=3 if has_bias else 1)
    make([make.x(3, 8), make.x(8)], text="default")
    make.odd([make.strange(16, 9, share=RARE), make.x(9)])
    make([np.full((2, 4), 3, np.float32), make.x(4)], text="constant")
    make([make.x(3, 8, dtype=np.float16), make.x(8, dtype=np.float16)], text="float16")


@row("GroupNormalization")
def group_norm(make):
    count = 6 if make.opset >= 21 else 3
    make([make.x(2, 6, 4), make.x(count), make.x(count)], {"num_groups": 3})
    make([make.x(2, 6, 4, 2), make.x(count), make.x(count)], {"num_groups": 3, "epsilon": 0.5})


@row("LpNormalization")
def lp_norm(make):
    for p in (1, 2):
        for axis in (0, 1, -1):
            make([make.x(2, 3, 4)], {"p": p, "axis": axis})
    make([make.x(2, 3)], text="default")
    make([np.zeros((2, 3), np.float32)], text="zeros")
    make.odd([make.strange(12, 9, share=RARE)])


@row("MeanVarianceNormalization")
def mean_variance(make):
    make([make.x(2, 3, 4, 4)])
    make([make.x(2, 3, 4, 4)], {"axes": [0, 2]})


@row("LRN")
def lrn(make):
    make([make.x(1, 7, 3, 3)], {"size": 3})
    make([make.x(2, 6, 3, 3)], {"size": 4, "alpha": 0.5, "beta": 0.5, "bias": 2.0})
    make([make.x(1, 3, 2, 2)], {"size": 9, "alpha": 0.5}, text="wide")


@row("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
def loss(make):
    for reduction in ("none", "sum", "mean"):
        make([make.x(4, 5), make.ints(0, 5, 4)], {"reduction": reduction}, text=reduction)
        make([make.x(4, 5, 3), make.ints(0, 5, 4, 3), np.abs(make.x(5))], {"reduction": reduction}, text=f"{reduction}_weights")
        labels = make.ints(0, 5, 4, 3)
        labels[0] = 2
        make([make.x(4, 5, 3), labels], {"reduction": reduction, "ignore_index": 2}, text=f"{reduction}_ignored")
    make([make.x(2, 3), i64(1, 1)], {"ignore_index": 1}, text="all_ignored")


@row("Unique")
def unique(make):
    for axis in (None, 0, 1, -1):
        for is_sorted in (0, 1):
            attributes = {"sorted": is_sorted, **({"axis": axis} if axis is not None else {})}
            make([make.ints(0, 3, 4, 3).astype(np.float32)], attributes, outputs=4)
    make([make.ints(0, 3, 9)], outputs=4, text="int64")
    make([make.x(0)], outputs=4, text="empty")
    make.odd([f32(np.nan, 1, np.nan, 0.0, -0.0, np.inf)], outputs=4)


@row("NonZero")
def non_zero(make):
    for x in (make.ints(0, 2, 3, 4).astype(np.float32), make.ints(0, 2, 5), make.x(2, 3, dtype=bool), make.x(0, 3)):
        make([x])
    make.odd([f32(0.0, -0.0, np.nan, 1e-45)])


@row("NonMaxSuppression")
def non_max(make):
    def boxes(count):
        corner, size = make.rng.uniform(0, 1, (2, count, 2)), make.rng.uniform(0.1, 0.6, (2, count, 2))
        return np.concatenate([corner, corner + size], -1).astype(np.float32)

    for center in (0, 1):
        for limit, overlap, score in ((3, 0.5, 0.0), (20, 0.3, 0.4), (0, 0.5, 0.0), (5, 0.0, 0.2)):
            scores = make.rng.uniform(0, 1, (2, 3, 12)).astype(np.float32)
            make([boxes(12), scores, i64(limit), f32(overlap), f32(score)], {"center_point_box": center}, constants=(2, 3, 4))
    make([boxes(6), make.rng.uniform(0, 1, (2, 1, 6)).astype(np.float32), i64(4)], text="default", constants=(2,))
