# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values at which implementations differ: NaN, infinities, zeros of both signs, denormals, limits and ties."""

import numpy as np

FLOATS = (np.float32, np.float16, np.float64)
SIGNED = (np.int8, np.int16, np.int32, np.int64)
UNSIGNED = (np.uint8, np.uint16, np.uint32, np.uint64)


def odd(dtype, finite=False):
    """Returns the odd values of a type in one dimension."""
    dtype = np.dtype(dtype)
    if dtype == bool:
        return np.array([False, True])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        small = [0, 1, 2, 3, 7, 100] + ([-1, -2, -3, -100] if dtype.kind == "i" else [])
        return np.array([info.min, info.max, info.max - 1, *small], dtype)
    info = np.finfo(dtype)
    tiny, least = float(info.tiny), float(info.smallest_subnormal)
    values = [0.0, -0.0, least, -least, tiny / 2, -tiny / 2, tiny, -tiny, 1, -1, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5,
              1 - float(info.epsneg), 1 + float(info.eps), 0.49999997, 3.5, 10, -10, 20, -20, 88.5, -88.5, -100,
              1e-3, -1e-3, np.pi / 2, -np.pi, 1000, -1000]  # fmt: skip
    if not finite:
        values += [float(info.max), -float(info.max), np.inf, -np.inf, np.nan, -np.nan]
    return np.array(values).astype(dtype)


def normal(rng, shape, dtype=np.float32, scale=2.0):
    """Returns random numbers without odd values."""
    dtype = np.dtype(dtype)
    if dtype == bool:
        return rng.random(shape) < 0.5
    if dtype.kind in "iu":
        return rng.integers(-9 if dtype.kind == "i" else 0, 10, shape).astype(dtype)
    return rng.uniform(-scale, scale, shape).astype(dtype)


def mixed(rng, shape, dtype=np.float32, share=0.2, values=None):
    """Returns random numbers, about a share of which are odd."""
    result = normal(rng, shape, dtype)
    pool = odd(dtype) if values is None else np.array(values, dtype)
    where = rng.random(shape) < share
    return np.where(where, rng.choice(pool, shape), result).astype(dtype)


def all_odd(rng, dtype, count=96):
    """Returns all odd values of a type, then random numbers."""
    first = odd(dtype)
    return np.concatenate([first, normal(rng, max(0, count - first.size), dtype, 8.0)])
