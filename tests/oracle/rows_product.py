# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of matrix products, quantization, attention, recurrent layers and transforms of signals."""

import itertools

import numpy as np
from odd_values import odd
from op_rows import f32, i64, row
from oracle_case import ELEMENT

RARE = 0.03
BYTES = (np.uint8, np.int8)


def byte_array(make, *shape, dtype=np.uint8):
    info = np.iinfo(dtype)
    return make.ints(info.min, info.max + 1, *shape, dtype=dtype)


@row("MatMul")
def mat_mul(make):
    for a, b in (((3, 4), (4, 5)), ((2, 3, 4), (4, 5)), ((2, 1, 3, 4), (5, 4, 2)), ((4,), (4, 5)), ((3, 4), (4,)), ((4,), (4,)),
                 ((2, 3, 4), (2, 4, 1)), ((3, 0), (0, 5)), ((0, 4), (4, 5)), ((1, 33), (33, 17))):  # fmt: skip
        make([make.x(*a), make.x(*b)])
    make([make.x(5, 33), make.x(33, 17)], text="weights", constants=(1,))
    make.odd([make.strange(16, 9, share=RARE), make.x(9, 8)])
    make.odd([make.x(6, 9), make.strange(9, 32, share=RARE)], text="odd_weights", constants=(1,))
    if make.is_newest:
        for dtype in (np.float16, np.float64, np.int32, np.int64, np.uint32):
            make([make.x(3, 4, dtype=dtype), make.x(4, 5, dtype=dtype)], text=np.dtype(dtype).name)


@row("Gemm")
def gemm(make):
    old = {"broadcast": 1} if make.opset < 7 else {}
    for a, b in itertools.product((0, 1), repeat=2):
        for bias in ((3, 5), (5,), (1, 5), (3, 1), (1,)) if make.opset >= 7 else ((5,),):
            x, w = make.x(*((4, 3) if a else (3, 4))), make.x(*((5, 4) if b else (4, 5)))
            make([x, w, make.x(*bias)], {"transA": a, "transB": b, "alpha": 0.5, "beta": 0.25, **old})
    make([make.x(3, 4), make.x(4, 5), make.x(5)], old, text="default")
    if make.opset >= 11:
        make([make.x(3, 4), make.x(4, 5)], text="no_bias")
    make.odd([make.strange(16, 9, share=RARE), make.x(9, 8), make.x(8)], old)
    if make.opset >= 7:
        make.odd([make.x(3, 4), make.x(4, 5), f32(np.nan, np.inf, 1, 2, 3)], {"beta": 0.0}, text="beta_0")
        make.odd([make.strange(8, 4, share=RARE), make.x(4, 5), make.x(5)], {"alpha": 0.0}, text="alpha_0")


@row("Einsum")
def einsum(make):
    for equation, shapes in (("ij,jk->ik", ((3, 4), (4, 5))), ("bij,bjk", ((2, 3, 4), (2, 4, 5))), ("ij->ji", ((3, 4),)), ("ii->i", ((3, 3),)),
                             ("ij->", ((3, 4),)), ("...ij,...jk->...ik", ((2, 3, 4), (4, 5))), ("i,j->ij", ((3,), (4,))),
                             ("ij,ij->i", ((3, 4), (3, 4))), ("bhid,bhjd->bhij", ((1, 2, 3, 4), (1, 2, 5, 4))),
                             ("ij,jk,kl->il", ((2, 3), (3, 4), (4, 2))), ("ba,c", ((2, 3), (4,)))):  # fmt: skip
        make([make.x(*shape) for shape in shapes], {"equation": equation})


@row("Det")
def determinant(make):
    make([make.x(3, 3)])
    make([make.x(2, 4, 4)])
    make([np.ones((2, 2), np.float32)], text="singular")


@row("MatMulInteger")
def mat_mul_integer(make):
    for a, b in itertools.product(BYTES, repeat=2):
        zeros = [np.array(3, a), np.array(100, b)]
        make([byte_array(make, 3, 8, dtype=a), byte_array(make, 8, 5, dtype=b)], text=f"{a.__name__}_{b.__name__}")
        make([byte_array(make, 3, 8, dtype=a), byte_array(make, 8, 5, dtype=b), *zeros], text="zero_points", constants=(1, 2, 3))
    make([byte_array(make, 3, 8), byte_array(make, 8, 5, dtype=np.int8), np.array(7, np.uint8), make.ints(-9, 9, 5, dtype=np.int8)],
         text="columns")  # fmt: skip


@row("ConvInteger")
def conv_integer(make):
    for dtype in BYTES:
        make([byte_array(make, 1, 3, 6, 6), byte_array(make, 4, 3, 3, 3, dtype=dtype)], text=dtype.__name__)
        make([byte_array(make, 1, 3, 6, 6), byte_array(make, 4, 3, 3, 3, dtype=dtype), np.array(9, np.uint8), np.array(5, dtype)],
             {"pads": [1, 1, 1, 1]}, text=f"zero_{dtype.__name__}", constants=(1, 2, 3))  # fmt: skip


def scales(make, *shape):
    return make.rng.uniform(0.01, 0.05, shape).astype(np.float32)


@row("QLinearMatMul")
def qlinear_mat_mul(make):
    for dtype in BYTES:
        values = [byte_array(make, 4, 8, dtype=dtype), np.float32(0.02).reshape(()), np.array(3, dtype),
                  byte_array(make, 8, 5, dtype=dtype), np.float32(0.03).reshape(()), np.array(7, dtype),
                  np.float32(0.06).reshape(()), np.array(11, dtype)]  # fmt: skip
        make(values, text=dtype.__name__)
        make(values, text=f"constant_{dtype.__name__}", constants=(1, 2, 3, 4, 5, 6, 7))


@row("QLinearConv")
def qlinear_conv(make):
    for x, w in ((np.uint8, np.uint8), (np.uint8, np.int8), (np.int8, np.int8)):
        values = [byte_array(make, 1, 3, 6, 6, dtype=x), np.float32(0.02).reshape(()), np.array(3, x), byte_array(make, 4, 3, 3, 3, dtype=w),
                  scales(make, 4), np.zeros(4, w), np.float32(0.1).reshape(()), np.array(11, x), make.ints(-900, 900, 4, dtype=np.int32)]
        make(values, {"pads": [1, 1, 1, 1]}, text=f"{x.__name__}_{w.__name__}", constants=(1, 2, 3, 4, 5, 6, 7, 8))


@row("QuantizeLinear")
def quantize_linear(make):
    # Halves of the scale are ties.
    ties = np.concatenate([np.arange(-20, 20, dtype=np.float32) / 8, odd(np.float32, finite=True), f32(3e38, -3e38)])
    for dtype in BYTES + ((np.int16, np.uint16) if make.opset >= 21 else ()):
        make([ties, np.array(0.25, np.float32), np.array(3, dtype)], text=np.dtype(dtype).name, constants=(1, 2))
        make([ties, np.array(0.1, np.float32), np.array(100, dtype)], text=np.dtype(dtype).name, constants=(1, 2))
        make.odd([f32(np.inf, -np.inf, 1e30, -1e30), np.array(0.5, np.float32), np.array(1, dtype)], text=f"infinite_{np.dtype(dtype).name}")
    make([ties, np.array(0.25, np.float32)], text="no_zero_point")
    make.odd([f32(np.nan, 1), np.array(0.5, np.float32), np.array(1, np.uint8)], text="nan")
    make([make.ints(-90, 90, 9, dtype=np.int32), np.array(0.5, np.float32), np.array(1, np.uint8)], text="int32")
    if make.opset >= 13:
        for axis in (0, 1, -1):
            count = (4, 3, 2)[axis]
            make([make.x(4, 3, 2), scales(make, count), byte_array(make, count)], {"axis": axis}, text="axis", constants=(1, 2))
    if make.opset >= 21:
        make([make.x(4, 6), scales(make, 4, 2), byte_array(make, 4, 2)], {"axis": 1, "block_size": 3}, text="blocks", constants=(1, 2))
        make([make.x(4, 6), np.array(0.1, np.float32)], {"output_dtype": 3}, text="output_dtype")
        make([make.x(4, 6, dtype=np.float16), np.array(0.1, np.float16), np.array(3, np.int8)], text="float16")


@row("DequantizeLinear")
def dequantize_linear(make):
    for dtype in BYTES + ((np.int16, np.uint16) if make.opset >= 21 else ()):
        make([odd(dtype), np.array(0.1, np.float32), np.array(3, dtype)], text=np.dtype(dtype).name, constants=(1, 2))
    make([make.ints(-9000, 9000, 9, dtype=np.int32), np.array(0.1, np.float32)], text="int32")
    make.odd([odd(np.uint8), np.array(np.inf, np.float32), np.array(1, np.uint8)], text="scale")
    if make.opset >= 13:
        for axis in (0, 1, -1):
            count = (4, 3, 2)[axis]
            make([byte_array(make, 4, 3, 2), scales(make, count), byte_array(make, count)], {"axis": axis}, text="axis", constants=(1, 2))
    if make.opset >= 21:
        make([byte_array(make, 4, 6), scales(make, 4, 2), byte_array(make, 4, 2)], {"axis": 1, "block_size": 3}, text="blocks", constants=(1, 2))
        make([byte_array(make, 4, 6), np.array(0.1, np.float16), np.array(3, np.uint8)], text="float16")


@row("DynamicQuantizeLinear")
def dynamic_quantize(make):
    for x in (make.x(40), make.x(3, 4) + np.float32(5), make.x(3, 4) - np.float32(5), np.zeros(4, np.float32), make.x(2, 3, scale=1e-38)):
        make([x], outputs=3)
    for text, value in (("nan", np.nan), ("infinity", np.inf), ("minus_infinity", -np.inf)):
        make.odd([np.append(make.x(5), np.float32(value))], outputs=3, text=text)
    make.odd([f32(-0.0, -0.0)], outputs=3, text="minus_zero")
    make([make.x(0)], outputs=3, text="empty")


GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}


@row("LSTM", "GRU", "RNN")
def recurrent(make):
    gates = GATES[make.op]
    outputs = 3 if make.op == "LSTM" else 2
    steps, batch, size, hidden = 4, 2, 3, 5
    lengths = np.array([3, 4], np.int32)

    def case(text, attributes=None, directions=1, bias=True, length=None, state=False, peephole=False, is_odd=False, scale=1.0):
        x = make.strange(steps, batch, size, share=0.1) if is_odd else make.x(steps, batch, size)
        values = [x, make.x(directions, gates * hidden, size, scale=scale), make.x(directions, gates * hidden, hidden, scale=scale),
                  make.x(directions, 2 * gates * hidden) if bias else None, length,
                  make.x(directions, batch, hidden) if state else None]
        if make.op == "LSTM":
            values += [make.x(directions, batch, hidden) if state else None, make.x(directions, 3 * hidden) if peephole else None]
        while values[-1] is None:
            values.pop()
        make(values, {"hidden_size": hidden, **(attributes or {})}, text, outputs=outputs, is_odd=is_odd,
             constants=tuple(k for k in (1, 2, 3, 7) if k < len(values)))

    case("plain", bias=False)
    case("state", state=True)
    case("reverse", {"direction": "reverse"}, state=True)
    case("bidirectional", {"direction": "bidirectional"}, 2, state=True)
    case("lengths", length=lengths)
    case("lengths_bidirectional", {"direction": "bidirectional"}, 2, length=lengths, state=True)
    case("clip", {"clip": 0.3}, scale=2.0)
    case("zero_length", length=np.array([0, 4], np.int32))
    case("odd", is_odd=True)
    activations = {"LSTM": ["HardSigmoid", "Relu", "Softsign"], "GRU": ["HardSigmoid", "Softsign"], "RNN": ["HardSigmoid"]}[make.op]
    case("activations", {"activations": activations, "activation_alpha": [0.3], "activation_beta": [0.4]})
    case("odd_activations", {"activations": activations, "activation_alpha": [0.3], "activation_beta": [0.4]}, is_odd=True)
    if make.op == "LSTM":
        case("peephole", state=True, peephole=True)
        case("input_forget", {"input_forget": 1})
    if make.op == "GRU":
        for value in (0, 1):
            case("reset", {"linear_before_reset": value}, state=True)
    if make.op == "RNN":
        for name in ("Relu", "Sigmoid", "LeakyRelu", "Elu", "Softplus", "Affine", "ScaledTanh", "ThresholdedRelu"):
            case(name, {"activations": [name], "activation_alpha": [0.5], "activation_beta": [0.25]})


@row("Attention")
def attention(make):
    def qkv(heads, groups, queries=3, keys=5, size=4):
        return [make.x(2, heads, queries, size), make.x(2, groups, keys, size), make.x(2, groups, keys, 6)]

    make(qkv(2, 2))
    make(qkv(4, 2), text="groups")
    make(qkv(2, 2), {"scale": 0.3, "softcap": 0.7}, text="softcap")
    make(qkv(2, 2), {"is_causal": 1}, text="causal")
    make(qkv(2, 2), {"is_causal": 1, "softcap": 0.5}, text="causal_softcap")
    make([*qkv(2, 2), make.x(3, 5)], text="mask")
    make([*qkv(2, 2), make.x(2, 1, 3, 5, dtype=bool)], text="bool_mask")
    make([*qkv(2, 2), None, make.x(2, 2, 4, 4), make.x(2, 2, 4, 6)], text="past", outputs=3)
    make([make.x(2, 3, 8), make.x(2, 5, 8), make.x(2, 5, 12)], {"q_num_heads": 2, "kv_num_heads": 2}, text="rank3")
    masked = np.ones((3, 5), bool)
    masked[1] = False
    make([*qkv(2, 2), masked], text="masked_row")
    if make.opset >= 24:
        for causal in (0, 1):
            make([*qkv(2, 2), None, None, None, i64(3, 5)], {"is_causal": causal}, text="lengths")
    make.odd([make.strange(2, 2, 3, 4, share=RARE), *qkv(2, 2)[1:]])
    for mode in range(4):
        make([*qkv(2, 2), make.x(3, 5)], {"qk_matmul_output_mode": mode}, text="scores", outputs=(True, False, False, True))


@row("RotaryEmbedding")
def rotary(make):
    make([make.x(2, 3, 4, 8), make.x(9, 4), make.x(9, 4), make.ints(0, 9, 2, 4)])
    make([make.x(2, 3, 4, 8), make.x(2, 4, 4), make.x(2, 4, 4)], {"interleaved": 1})
    make([make.x(2, 3, 4, 8), make.x(9, 2), make.x(9, 2), make.ints(0, 9, 2, 4)], {"rotary_embedding_dim": 4}, text="part")
    make([make.x(2, 4, 24), make.x(9, 4), make.x(9, 4), make.ints(0, 9, 2, 4)], {"num_heads": 3}, text="rank3")


@row("DFT")
def dft(make):
    is_input = make.opset >= 20
    for axis, inverse, onesided in ((1, 0, 0), (1, 1, 0), (1, 0, 1), (2, 0, 0)):
        real = make.x(2, 6, 5, 1 if not inverse else 2)
        attributes = {"inverse": inverse, "onesided": onesided}
        values = [real, None, np.array(axis, np.int64)] if is_input else [real]
        make(values, attributes if is_input else {**attributes, "axis": axis}, constants=(2,) if is_input else ())
    length = [make.x(1, 6, 1), np.array(8, np.int64)]
    make(length, constants=(1,), text="length")
    make([make.x(1, 6, 1), np.array(4, np.int64)], constants=(1,), text="shorter")


@row("STFT")
def stft(make):
    make([make.x(2, 32, 1), np.array(4, np.int64), None, np.array(8, np.int64)], constants=(1, 3))
    make([make.x(2, 32, 1), np.array(4, np.int64), make.x(8)], {"onesided": 0}, constants=(1, 2), text="window")


@row("HannWindow", "HammingWindow", "BlackmanWindow")
def signal_window(make):
    for periodic, size in itertools.product((0, 1), (1, 8, 9)):
        make([np.array(size, np.int64)], {"periodic": periodic}, constants=(0,))
    make([np.array(7, np.int32)], {"output_datatype": ELEMENT[np.dtype(np.float64)]}, constants=(0,), text="float64")


@row("MelWeightMatrix")
def mel(make):
    values = [np.array(8, np.int64), np.array(16, np.int64), np.array(8192, np.int64), np.array(0, np.float32), np.array(4096, np.float32)]
    make(values, constants=(0, 1, 2, 3, 4))


@row("TfIdfVectorizer")
def tf_idf(make):
    pool = {"ngram_counts": [0, 4], "ngram_indexes": [0, 1, 2, 3, 4, 5, 6], "pool_int64s": [2, 3, 5, 4, 5, 6, 7, 8, 6, 7]}
    for mode, skips in itertools.product(("TF", "IDF", "TFIDF"), (0, 5)):
        attributes = {**pool, "mode": mode, "min_gram_length": 1, "max_gram_length": 2, "max_skip_count": skips,
                      "weights": [0.5, 1.0, 2.0, 0.25, 1.0, 1.5, 3.0]}
        make([make.ints(1, 9, 2, 12)], attributes)
