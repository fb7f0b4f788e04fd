# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases for matrix products, Einsum, Det and DFT."""

import numpy as np
from case import Case, random


def matmul_cases():
    for a, b in (
        ((5,), (5,)),
        ((5,), (2, 5, 3)),
        ((2, 3, 5), (5,)),
        ((1, 5), (5, 300)),
        ((17, 5), (5, 9)),
        ((2, 1, 3, 5), (4, 5, 2)),
        ((3, 0), (0, 2)),
    ):
        x, y = random(*a), random(*b, seed=1)
        z = np.matmul(x.astype(np.float64), y.astype(np.float64))
        name = f"matmul_9_{'x'.join(map(str, a))}_{'x'.join(map(str, b))}"
        outputs = [np.asarray(z, np.float32)]
        yield Case(name, "MatMul", 9, [x, y], outputs)
        yield Case(name + "_open", "MatMul", 9, [x, y], outputs, {}, True)
    x, y = random(9, 70, dtype=np.float16), random(70, 3, seed=1, dtype=np.float16)
    z = np.matmul(x.astype(np.float64), y.astype(np.float64)).astype(np.float16)
    yield Case("matmul_13_half_rounds_once", "MatMul", 13, [x, y], [z])
    for dtype in (np.int32, np.uint32, np.int64, np.uint64):
        info = np.iinfo(dtype)
        x = np.random.default_rng(0).integers(info.min, info.max, (3, 4), dtype)
        with np.errstate(all="ignore"):
            yield Case(f"matmul_9_{np.dtype(dtype).name}_wraps", "MatMul", 9, [x, x.T], [x @ x.T])


def gemm_cases():
    a, b, c = random(5, 3), random(4, 5, seed=1), random(4, seed=2)
    wide = a.T.astype(np.float64) @ b.T.astype(np.float64)
    both = {"transA": 1, "transB": 1}
    yield Case("gemm_11_no_c", "Gemm", 11, [a, b], [wide.astype(np.float32)], both)
    y = (0.5 * wide + 2 * c).astype(np.float32)
    scaled = {**both, "alpha": 0.5, "beta": 2.0}
    yield Case("gemm_7_row", "Gemm", 7, [a, b, c], [y], scaled)
    yield Case("gemm_6_broadcast", "Gemm", 6, [a, b, c], [y], {**scaled, "broadcast": 1})
    yield Case("gemm_9_open", "Gemm", 9, [a, b, c], [y], scaled, True)
    i, j = (np.arange(n, dtype=np.int32).reshape(s) - 4 for n, s in ((6, (2, 3)), (12, (3, 4))))
    yield Case("gemm_9_int32", "Gemm", 9, [i, j], [3 * (i @ j)], {"alpha": 3.0})


def einsum_cases():
    shapes = {
        "i,i->": ((4,), (4,)),
        "i,j->ij": ((4,), (3,)),
        "ij->ji": ((2, 3),),
        "ij,jk": ((2, 3), (3, 4)),
        "ba": ((2, 3),),
        "iij->j": ((3, 3, 2),),
        "bij, bjk -> bik": ((2, 3, 4), (2, 4, 5)),
        "...ij,...jk->...ik": ((5, 2, 3, 4), (2, 4, 3)),
        "i...,...j": ((2, 3, 1), (3, 4, 5)),
        "zA,Az->A": ((2, 3), (3, 2)),
        "ij,jk,kl->li": ((2, 3), (3, 4), (4, 2)),
        "abcd,abed->abce": ((2, 3, 4, 2), (2, 3, 5, 2)),
        "bhik,hkd->bid": ((2, 3, 5, 4), (3, 4, 6)),
        "ijk,klm->mi": ((3, 6, 4), (4, 5, 2)),
        "ab,cd,ac->bd": ((6, 5), (4, 7), (6, 4)),
        "bi,ib->b": ((5, 9), (9, 5)),
    }
    for k, (equation, operands) in enumerate(shapes.items()):
        inputs = [random(*s, seed=i) for i, s in enumerate(operands)]
        y = np.einsum(equation, *(x.astype(np.float64) for x in inputs)).astype(np.float32)
        yield Case(f"einsum_12_{k}", "Einsum", 12, inputs, [np.asarray(y)], {"equation": equation})


def parts(z):
    return np.stack([z.real, z.imag], axis=-1).astype(np.float32)


def fourier_cases():
    for n in (1, 7, 12):
        x = random(2, n, 3)
        for length in (None, n, 5, 16):
            given = None if length is None else np.array(length, np.int64)
            size = n if length is None else length
            y = parts(np.fft.fft(x, size, axis=1))
            name = f"dft_17_{n}_{length}"
            yield Case(name, "DFT", 17, [x[..., None], given], [y])
            yield Case(name + "_onesided", "DFT", 17, [x[..., None], given],
                       [y[:, : size // 2 + 1]], {"onesided": 1})  # fmt: skip
            z = x + 1j * random(2, n, 3, seed=1)
            y = parts(np.fft.ifft(z, size, axis=1))
            inputs = [parts(z), given, np.array(-3, np.int64)]
            yield Case(name + "_inverse_20", "DFT", 20, inputs, [y], {"inverse": 1})
    signal, window = random(2, 40), random(8, seed=1)
    frames = np.stack([signal[:, i : i + 8] for i in range(0, 33, 5)], axis=1)
    step, length = np.array(5, np.int64), np.array([8], np.int32)
    y = parts(np.fft.fft(frames * window, axis=2))
    inputs = [signal[..., None], step, window, length]
    yield Case("stft_17_twosided", "STFT", 17, inputs, [y], {"onesided": 0})
    yield Case("stft_17_two_dimensions", "STFT", 17, [signal, *inputs[1:]], [y[:, :, :5]])
    yield Case("stft_17_open", "STFT", 17, inputs, [y[:, :, :5]], {}, True)
    z = parts(signal + 1j * signal[::-1])
    y = parts(np.fft.fft(frames + 1j * frames[::-1], axis=2))
    yield Case("stft_17_complex", "STFT", 17, [z, step, None, length], [y], {"onesided": 0})
    x = random(3, 5, 5, dtype=np.float64)
    x[1, 2] = x[1, 3]  # makes the matrix singular
    y = np.array([np.linalg.det(x[0]), 0, np.linalg.det(x[2])])
    yield Case("det_11", "Det", 11, [x], [y])


def cases():
    yield from matmul_cases()
    yield from gemm_cases()
    yield from einsum_cases()
    yield from fourier_cases()
