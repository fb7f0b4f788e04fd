# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases for activations, products and convolutions of ONNX Runtime's optimizer."""

import itertools

import numpy as np
from case import Case, Random

SHAPES = ([5], [2, 7], [2, 3, 16], [1, 4, 33])


def gelu_cases():
    for k, (shape, dtype) in enumerate(itertools.product(SHAPES, (np.float32, np.float16))):
        r = Random(100 + k)
        x = r.floats(*shape, scale=4, dtype=dtype)
        kind = "f32" if dtype == np.float32 else "f16"
        text = f"{kind}_rank{len(shape)}_{shape[-1]}"
        quick = k < 4
        yield Case(f"gelu_{text}", "Gelu", [x], kind=kind, is_quick=quick)
        yield Case(f"fast_gelu_{text}", "FastGelu", [x], kind=kind)
        yield Case(f"fast_gelu_bias_{text}", "FastGelu", [x, r.floats(shape[-1], dtype=dtype)], kind=kind, is_quick=quick)
        yield Case(f"quick_gelu_{text}", "QuickGelu", [x], kind=kind, is_quick=quick)
        if dtype == np.float32:
            yield Case(f"quick_gelu_alpha_{text}", "QuickGelu", [x], {"alpha": 0.75})
            yield Case(f"bias_gelu_{text}", "BiasGelu", [x, r.floats(shape[-1])], is_quick=quick)


def matmul_cases():
    flags = ("transA", "transB", "transBatchA", "transBatchB")
    for k, bits in enumerate(itertools.product((0, 1), repeat=4)):
        r = Random(200 + k)
        chosen = dict(zip(flags, bits))
        a, b = r.floats(2, 3, 5, 7), r.floats(2, 3, 7, 6)
        a = a.swapaxes(-1, -2) if bits[0] else a
        b = b.swapaxes(-1, -2) if bits[1] else b
        a = np.moveaxis(a, -2, 0) if bits[2] else a
        b = np.moveaxis(b, -2, 0) if bits[3] else b
        text = "_".join(flag for flag in flags if chosen[flag]) or "plain"
        yield Case(f"fused_matmul_{text}", "FusedMatMul", [a.copy(), b.copy()], {**chosen, "alpha": 0.25 + k},
                   is_quick=k % 4 == 3)
    r = Random(220)
    yield Case("fused_matmul_broadcast", "FusedMatMul", [r.floats(2, 1, 4, 5), r.floats(3, 5, 2)], {"alpha": 2.0})
    yield Case("fused_matmul_2d_trans", "FusedMatMul", [r.floats(5, 4), r.floats(6, 5)], {"transA": 1, "transB": 1})
    yield Case("fused_matmul_vector", "FusedMatMul", [r.floats(5), r.floats(5, 3)], {"transA": 1})
    yield Case("fused_matmul_constant", "FusedMatMul", [r.floats(4, 32), r.floats(24, 32)], {"transB": 1}, constants=(1,))


GEMM_ACTIVATIONS = (
    ("Relu", {}), ("Tanh", {}), ("Sigmoid", {}), ("LeakyRelu", {"activation_alpha": 0.2}),
    ("HardSigmoid", {"activation_alpha": 0.3, "activation_beta": 0.4}), ("Elu", {"activation_alpha": 0.5}),
    ("Softplus", {}), ("Softsign", {}), ("ThresholdedRelu", {"activation_alpha": 0.3}),
)  # fmt: skip


def gemm_cases():
    for k, (activation, parameters) in enumerate(GEMM_ACTIVATIONS):
        r = Random(300 + k)
        attributes = {"activation": activation, **parameters}
        yield Case(f"fused_gemm_{activation}", "FusedGemm", [r.floats(4, 6), r.floats(6, 5), r.floats(5)],
                   {**attributes, "alpha": 0.5, "beta": 2.0}, is_quick=k < 2)
        yield Case(f"fused_gemm_trans_{activation}", "FusedGemm", [r.floats(6, 4), r.floats(5, 6), r.floats(4, 1)],
                   {**attributes, "transA": 1, "transB": 1}, constants=(1, 2))


CONV_ACTIVATIONS = (
    (None, None), ("Relu", None), ("Tanh", None), ("Sigmoid", None), ("LeakyRelu", [0.2]), ("Clip", [-0.4, 0.5]),
    ("HardSigmoid", [0.3, 0.4]),
)  # fmt: skip


def conv_cases():
    for k, (activation, parameters) in enumerate(CONV_ACTIVATIONS):
        r = Random(400 + k)
        x, w, b, z = r.floats(2, 4, 9, 8), r.floats(6, 4, 3, 3), r.floats(6), r.floats(2, 6, 9, 8)
        attributes = {"activation": activation} if activation else {}
        attributes |= {"activation_params": parameters} if parameters else {}
        pads = {"pads": [1, 1, 1, 1]}
        text = activation or "plain"
        yield Case(f"fused_conv_{text}", "FusedConv", [x, w, b], attributes | pads, constants=(1, 2), is_quick=k < 3)
        yield Case(f"fused_conv_sum_{text}", "FusedConv", [x, w, b, z], attributes | pads, constants=(1, 2))
        strided = {"strides": [2, 1], "group": 2, "kernel_shape": [3, 3]}
        yield Case(f"fused_conv_group_{text}", "FusedConv", [x, r.floats(6, 2, 3, 3)], attributes | strided)
        yield Case(f"fused_conv_same_{text}", "FusedConv", [x, w], attributes | {"auto_pad": "SAME_UPPER"},
                   needs_shapes=True)


def nhwc_cases():
    """The peer has no CPU kernel of NhwcConv, so its Conv computes the transposed result."""
    options = ({}, {"pads": [1, 1, 1, 1]}, {"strides": [2, 2]}, {"dilations": [2, 1]}, {"auto_pad": "SAME_LOWER"},
               {"group": 2, "pads": [0, 1, 1, 0]})  # fmt: skip
    for k, attributes in enumerate(options):
        r = Random(500 + k)
        x, b = r.floats(2, 9, 8, 4), r.floats(6)
        w = r.floats(6, 3, 3, 4 // attributes.get("group", 1))
        inputs = [x, w, b][: 3 - k % 2]
        yield Case(f"nhwc_conv_{k}", "NhwcConv", inputs, attributes, constants=(1, 2)[: len(inputs) - 1],
                   is_quick=k == 1, peer=transposed_conv, needs_shapes="auto_pad" in attributes)


def transposed_conv(case, run):
    x, w, *b = case.inputs
    inputs = [x.transpose(0, 3, 1, 2).copy(), w.transpose(0, 3, 1, 2).copy(), *b]
    plain = Case(case.name, "Conv", inputs, case.attributes, domain="")
    return [run(plain)[0].transpose(0, 2, 3, 1).copy()]


def cases():
    for family in (gelu_cases, matmul_cases, gemm_cases, conv_cases, nhwc_cases):
        yield from family()
