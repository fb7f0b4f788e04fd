# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares an output of Convoy with that of ONNX Runtime. RULES is the table of tolerances.

Without a row, an op is exact: integers, movement, comparisons and single IEEE operations have the same bits,
except that all NaN are equal."""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True)
class Rule:
    """`ulps`: units in the last place of the element. `one_ulps`: units in the last place of 1, for functions that the
    peer computes with an absolute error. `sum_ulps`: units in the last place of the largest finite element of the
    output, for sums whose terms cancel. `steps`: difference of integers."""

    reason: str
    ulps: int = 0
    one_ulps: int = 0
    sum_ulps: int = 0
    steps: int = 0


EXACT = Rule("the op rounds at most once, as IEEE 754 defines")
RULES = {}


def rules(names, *values, **keys):
    RULES.update((name, Rule(*values, **keys)) for name in names.split())


# Functions. Convoy's errors are in docs/reference/math-ulp.md, those of the peer were measured against f64.
rules("Acosh Asinh Cosh Erf Exp Tan", "Convoy and the peer round within 1 ulp", ulps=3)
rules("Pow", "Convoy's error is up to 1 ulp (docs/reference/math-ulp.md)", ulps=2)
rules("Atanh Log Sinh Softsign", "the peer's error is up to 2 ulp", ulps=4)
rules("Acos Asin Atan Softplus", "the peer's error is up to 4 ulp", ulps=6)
rules("Sin Cos", "in f64, the peer reduces the argument with one constant", ulps=2, one_ulps=4)
rules("Tanh", "the peer's quotient of polynomials has 2 ulp, 28 ulp near the smallest normal number", ulps=32)
rules("Sigmoid", "the peer's quotient of polynomials is near 0 below -18", ulps=4, one_ulps=2)
rules("Elu Selu Celu", "the peer computes exp(x) - 1, which cancels", ulps=8, one_ulps=2)
rules("Gelu Mish HardSwish Swish", "the peer computes a sum with 1 that cancels", ulps=8, one_ulps=8)
rules("HardSigmoid AffineGrid", "the programs fuse or do not fuse a multiplication and an addition", ulps=4, one_ulps=4)
rules("Clip Max Min LeakyRelu Sign PRelu ThresholdedRelu ReduceMax ReduceMin", "ONNX does not define the sign of a zero")

# Sums. The programs add in different orders, and fuse or do not fuse a multiplication and an addition.
SUM = "the programs add in different orders"
rules("MatMul Gemm Einsum Det Conv ConvTranspose DeformConv RoiAlign", SUM, sum_ulps=8)
rules("GridSample Resize Upsample", "the peer computes coordinates and weights in f32", sum_ulps=16)
rules("CumSum CumProd Mean Sum ReduceL1 ReduceL2 ReduceMean ReduceSum ReduceSumSquare ReduceProd", SUM, sum_ulps=4)
rules("AveragePool LpPool GlobalAveragePool GlobalLpPool LRN ScatterElements ScatterND RotaryEmbedding Col2Im", SUM, sum_ulps=4)
rules("BatchNormalization GroupNormalization LayerNormalization RMSNormalization SimplifiedLayerNormalization", SUM, sum_ulps=4)
rules("LpNormalization MeanVarianceNormalization", SUM, sum_ulps=4)
rules("InstanceNormalization", "the peer computes the variance with cancellation", sum_ulps=16)
rules("QLinearConv QLinearMatMul", "the product of three scales is rounded in another order", steps=1)
rules("Softmax LogSoftmax", "as Exp, and the programs add in different orders", ulps=8, sum_ulps=2)
rules("NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss", "as Log, and the peer adds thousands of terms in f32", sum_ulps=64)
rules("ReduceLogSum ReduceLogSumExp", "as Log, whose argument is a sum", sum_ulps=8, one_ulps=4)
rules("Attention", "as Softmax, between two sums of products", sum_ulps=8)
rules("LSTM GRU RNN", "as Sigmoid and Tanh, of sums of products over several steps", sum_ulps=16, one_ulps=8)
rules("DFT STFT", "the peer computes the angles in f32 and adds in another order", sum_ulps=64)
rules("HannWindow HammingWindow BlackmanWindow MelWeightMatrix", "the peer computes in f32", one_ulps=8)
rules("ai.onnx.ml::LinearClassifier ai.onnx.ml::LinearRegressor ai.onnx.ml::SVMClassifier ai.onnx.ml::SVMRegressor",
      "sums of products, and the peer's polynomials of logistic functions", sum_ulps=128)  # fmt: skip
rules("ai.onnx.ml::TreeEnsemble ai.onnx.ml::TreeEnsembleClassifier ai.onnx.ml::TreeEnsembleRegressor",
      "the peer adds in f32 and has a polynomial for probit", sum_ulps=8)  # fmt: skip
rules("ai.onnx.ml::Normalizer", SUM, sum_ulps=2)


def microsoft(names, *values, **keys):
    rules(" ".join(f"com.microsoft::{name}" for name in names.split()), *values, **keys)


microsoft("FusedMatMul FusedGemm FusedConv MatMulNBits QAttention RotaryEmbedding", SUM, sum_ulps=16)
microsoft("Attention MultiHeadAttention GroupQueryAttention", "as Softmax, between two sums of products", sum_ulps=8)
microsoft("SkipLayerNormalization SkipSimplifiedLayerNormalization EmbedLayerNormalization SimplifiedLayerNormalization", SUM, sum_ulps=4)
microsoft("Gelu BiasGelu FastGelu QuickGelu", "the peer computes a sum with 1 that cancels", ulps=8, one_ulps=8)
rules("graph", "the deviation of perturbed runs bounds the difference", sum_ulps=32, one_ulps=2)
rules("model", "the deviation of perturbed runs bounds the difference", sum_ulps=64, steps=1)


def rule_of(op):
    return RULES.get(op, EXACT)


# Which bits of each type of 8-bit floats are NaN.
NAN_BITS = {17: lambda bits: (bits & 0x7F) == 0x7F, 18: lambda bits: bits == 0x80, 19: lambda bits: (bits & 0x7F) > 0x7C,
            20: lambda bits: bits == 0x80}  # fmt: skip


def as_float(array, onnx_type):
    """Returns bfloat16 as f32, 8-bit floats with equal NaN, and other arrays as they are."""
    if onnx_type == 16 and array.dtype == np.uint16:
        return (array.astype(np.uint32) << 16).view(np.float32)
    if onnx_type in NAN_BITS:
        return np.where(NAN_BITS[onnx_type](array), np.uint8(0x80 if onnx_type in (18, 20) else 0x7F), array)
    return array


def ordered(array):
    """Returns the position of each float among all floats of its type; zeros of both signs have the same."""
    width = array.dtype.itemsize
    bits = array.view({2: np.int16, 4: np.int32, 8: np.int64}[width]).astype(np.int64)
    low = np.iinfo({2: np.int16, 4: np.int32, 8: np.int64}[width]).min
    return np.where(bits < 0, low - bits, bits)


def ulps_between(a, b, onnx_type=0):
    """Returns the distance of two arrays of floats, in units in the last place, as f64."""
    x, y = (ordered(np.ascontiguousarray(array)).reshape(a.shape) for array in (a, b))
    distance = np.abs(x.astype(np.float64) - y.astype(np.float64))
    if a.dtype.itemsize == 8:
        distance = np.where(np.abs(distance) < 2.0**53, np.abs(x - y), distance)
    return distance / (65536 if onnx_type == 16 else 1)


def epsilon(dtype, onnx_type):
    return 2.0**-7 if onnx_type == 16 else float(np.finfo(dtype).eps)


def is_same(a, b):
    """Returns which elements have the same bits; all NaN are equal."""
    if a.dtype.kind != "f":
        return a == b
    return ((a == b) & (np.signbit(a) == np.signbit(b))) | (np.isnan(a) & np.isnan(b))


def allowed(rule, expected, got, onnx_type, spread=0.0):
    """Returns which elements are equal within a rule. `spread` is the absolute error that inputs which differ by
    rounding cause."""
    same = is_same(expected, got)
    if rule == EXACT and not spread:
        return same
    if expected.dtype.kind in "iu":
        return same | (np.abs(expected.astype(np.float64) - got.astype(np.float64)) <= rule.steps)
    if expected.dtype.kind != "f":
        return same
    same |= expected == got
    wide, other = expected.astype(np.float64), got.astype(np.float64)
    finite = np.abs(wide[np.isfinite(wide)])
    bound = spread + epsilon(expected.dtype, onnx_type) * (rule.one_ulps + rule.sum_ulps * finite.max(initial=0))
    is_near = np.isfinite(wide) & np.isfinite(other) & (np.abs(wide - other) <= bound)
    is_number = ~np.isnan(wide) & ~np.isnan(other)
    return same | is_near | (is_number & (ulps_between(expected, got, onnx_type) <= rule.ulps))


def why_different(rule, expected, got, onnx_type, spread=0.0):
    """Returns where two arrays differ, or an empty text."""
    if expected.dtype.kind in "OUS" or got.dtype.kind in "OUS":
        texts = [[text.decode() if isinstance(text, bytes) else str(text) for text in array.ravel()] for array in (expected, got)]
        return "" if expected.shape == got.shape and texts[0] == texts[1] else f"expected {texts[0]}, got {texts[1]}"
    if expected.dtype != got.dtype or expected.shape != got.shape:
        return f"expected {expected.dtype}{list(expected.shape)}, got {got.dtype}{list(got.shape)}"
    expected, got = as_float(expected, onnx_type), as_float(got, onnx_type)
    with np.errstate(all="ignore"):
        wrong = ~allowed(rule, expected, got, onnx_type, spread)
        if not wrong.any():
            return ""
        at = tuple(int(k) for k in np.argwhere(wrong)[0])
        ulps = f" ({ulps_between(expected, got, onnx_type)[at]:.0f} ulp)" if expected.dtype.kind == "f" else ""
    return f"{int(wrong.sum())} of {wrong.size} elements; at {list(at)} expected {expected[at]!r}, got {got[at]!r}{ulps}"


def largest_ulps(expected, got, onnx_type):
    """Returns the largest distance of finite floats: of an element, and relative to the largest element."""
    if expected.dtype != got.dtype or expected.shape != got.shape or expected.dtype.kind not in "fu" or not expected.size:
        return 0.0, 0.0
    expected, got = as_float(expected, onnx_type), as_float(got, onnx_type)
    if expected.dtype.kind != "f":
        return 0.0, 0.0
    with np.errstate(all="ignore"):
        finite = np.isfinite(expected) & np.isfinite(got)
        if not finite.any():
            return 0.0, 0.0
        wide, other = expected[finite].astype(np.float64), got[finite].astype(np.float64)
        largest = np.abs(wide).max() * epsilon(expected.dtype, onnx_type)
        return float(ulps_between(expected[finite], got[finite], onnx_type).max()), float(np.abs(wide - other).max() / largest if largest else 0)
