# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases for convolutions and pools: groups, uneven pads, auto_pad, f16 and old opsets."""

import itertools

import numpy as np
from case import Case, random


def positions(shape):
    return itertools.product(*(range(n) for n in shape))


def windows(x, kernel, strides, pads, dilations, fill, counts=None):
    """Yields (position, window) of a padded N C spatial... array. `counts` gives the numbers of
    positions if they differ from the numbers that fit."""
    rank = len(kernel)
    widths = [(0, 0), (0, 0)] + [(max(pads[i], 0), max(pads[i + rank], 0)) for i in range(rank)]
    x = np.pad(x, widths, constant_values=fill)
    for i in range(rank):  # Negative pads crop.
        begin, end = max(-pads[i], 0), max(-pads[i + rank], 0)
        x = x.take(range(begin, x.shape[i + 2] - end), axis=i + 2)
    extent = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    if counts is None:
        counts = [(n - e) // s + 1 for n, e, s in zip(x.shape[2:], extent, strides)]
    for at in positions(counts):
        part = x
        for i, p in enumerate(at):
            taps = [p * strides[i] + k * dilations[i] for k in range(kernel[i])]
            part = part.take([t for t in taps if t < x.shape[i + 2]], axis=i + 2)
        yield at, part


def collect(parts):
    """Returns an N x C x spatial... array made of (position, N x C) pairs."""
    parts = dict(parts)
    shape = [max(i) + 1 for i in zip(*parts)]
    first = next(iter(parts.values()))
    result = np.zeros([*first.shape, *shape], first.dtype)
    for at, value in parts.items():
        result[(..., *at)] = value
    return result


def conv(x, w, b=None, strides=None, pads=None, dilations=None, group=1):
    rank = x.ndim - 2
    x, w = x.astype(np.float64), w.astype(np.float64)
    strides, dilations = strides or [1] * rank, dilations or [1] * rank
    inputs, outputs = w.shape[1], w.shape[0] // group

    def at(window):
        parts = []
        for g in range(group):
            one = window[:, g * inputs : (g + 1) * inputs].reshape(x.shape[0], -1)
            weights = w[g * outputs : (g + 1) * outputs].reshape(outputs, -1)
            parts.append(one @ weights.T)
        return np.concatenate(parts, axis=1) + (0 if b is None else b.astype(np.float64))

    all_windows = windows(x, w.shape[2:], strides, pads or [0] * 2 * rank, dilations, 0)
    return collect((p, at(window)) for p, window in all_windows)


def conv_cases():
    options = {
        "1d": ((2, 4, 9), (6, 2, 3), {"strides": [2], "pads": [2, 1], "group": 2}),
        "2d_all": (
            (2, 6, 9, 8),
            (9, 2, 3, 2),
            {"strides": [2, 3], "pads": [1, 0, 2, 3], "dilations": [2, 1], "group": 3},
        ),
        "2d_negative_pads": ((1, 2, 8, 8), (3, 2, 3, 3), {"pads": [-1, 0, -2, 1]}),
        "3d": ((1, 2, 5, 4, 6), (3, 2, 2, 1, 3), {"pads": [1, 0, 1, 0, 0, 1]}),
        "depthwise": ((1, 5, 7, 7), (5, 1, 3, 3), {"pads": [1, 1, 1, 1], "group": 5}),
        "depthwise_multiplied": ((1, 3, 6, 6), (6, 1, 3, 3), {"group": 3, "strides": [2, 2]}),
        "pointwise": ((2, 5, 9, 11), (11, 5, 1, 1), {}),
        "pointwise_shifted": ((1, 2, 5, 5), (2, 2, 1, 1), {"pads": [1, 0, -1, 0]}),
        "wide": ((1, 2, 1, 150), (9, 2, 1, 5), {"dilations": [1, 3], "pads": [0, 6, 0, 6]}),
    }
    for name, (x_shape, w_shape, attributes) in options.items():
        x, w, b = random(*x_shape), random(*w_shape, seed=1), random(w_shape[0], seed=2)
        y = conv(x, w, b, **attributes)
        yield Case(f"conv_11_{name}", "Conv", 11, [x, w, b], [y.astype(np.float32)], attributes)
    yield Case("conv_1_open", "Conv", 1, [x, w, b], [y.astype(np.float32)], attributes, True)
    for dtype in (np.float16, np.float64):
        x, w, b = (random(*s, dtype=dtype) for s in ((1, 9, 4, 4), (2, 9, 3, 3), (2,)))
        y = conv(x, w, b).astype(dtype)
        yield Case(f"conv_11_{np.dtype(dtype).name}", "Conv", 11, [x, w, b], [y])


def same_pads(sizes, kernel, strides, dilations, is_upper):
    totals = []
    for n, k, s, d in zip(sizes, kernel, strides, dilations):
        totals.append(max((-(-n // s) - 1) * s + (k - 1) * d + 1 - n, 0))
    small, large = [t // 2 for t in totals], [t - t // 2 for t in totals]
    return small + large if is_upper else large + small


def auto_pad_cases():
    x, w = random(1, 2, 8, 7), random(3, 2, 3, 2, seed=1)
    for mode in ("SAME_UPPER", "SAME_LOWER", "VALID"):
        for strides, dilations in (([1, 1], [2, 3]), ([3, 2], [1, 2])):
            pads = [0] * 4
            if mode != "VALID":
                pads = same_pads((8, 7), (3, 2), strides, dilations, mode == "SAME_UPPER")
            y = conv(x, w, None, strides, pads, dilations).astype(np.float32)
            attributes = {"auto_pad": mode, "strides": strides, "dilations": dilations}
            name = f"conv_11_{mode.lower()}_{strides[0]}"
            yield Case(name, "Conv", 11, [x, w], [y], attributes)


def conv_transpose(x, w, b, strides, pads, dilations, output_padding, group):
    x, w = x.astype(np.float64), w.astype(np.float64)
    rank = x.ndim - 2
    sizes = []
    for i in range(rank):
        extent = (w.shape[i + 2] - 1) * dilations[i] + 1
        sizes.append((x.shape[i + 2] - 1) * strides[i] + extent + output_padding[i])
    inputs, outputs = x.shape[1] // group, w.shape[1]
    y = np.zeros([x.shape[0], outputs * group, *sizes])
    for at in positions(x.shape[2:]):
        for k in positions(w.shape[2:]):
            to = tuple(p * s + j * d for p, s, j, d in zip(at, strides, k, dilations))
            for g in range(group):
                channels = slice(g * inputs, (g + 1) * inputs)
                part = x[(slice(None), channels, *at)] @ w[(channels, slice(None), *k)]
                y[(slice(None), slice(g * outputs, (g + 1) * outputs), *to)] += part
    for i in range(rank):
        y = y.take(range(pads[i], sizes[i] - pads[i + rank]), axis=i + 2)
    return (y + b.reshape(-1, *[1] * rank)).astype(np.float32)


def conv_transpose_cases():
    x, w, b = random(2, 4, 3, 5), random(4, 3, 3, 2, seed=1), random(6, seed=2)
    every = {"strides": [3, 2], "pads": [1, 0, 2, 1], "dilations": [2, 3], "output_padding": [1, 0]}
    y = conv_transpose(x, w, b, **every, group=2)
    for is_open in (False, True):
        name = f"convtranspose_1_all{'_open' if is_open else ''}"
        attributes = {**every, "group": 2}
        yield Case(name, "ConvTranspose", 1, [x, w, b], [y], attributes, is_open)
    # The full result is 9 x 10. The cases crop or extend it by one row and three columns.
    fixed = {"strides": [3, 2], "dilations": [1, 1], "group": 2}
    for mode, pads in (("SAME_UPPER", [0, 1, 1, 2]), ("NOTSET", [1, 2, 0, 1])):
        y = conv_transpose(x, w, b, **fixed, pads=pads, output_padding=[0, 0])
        attributes = {**fixed, "auto_pad": mode, "output_shape": [8, 7]}
        name = f"convtranspose_11_shape_{mode.lower()}"
        yield Case(name, "ConvTranspose", 11, [x, w, b], [y], attributes)
    y = conv_transpose(x, w, b, **fixed, pads=[0] * 4, output_padding=[2, 1])
    attributes = {**fixed, "output_shape": [11, 11]}
    yield Case("convtranspose_11_shape_larger", "ConvTranspose", 11, [x, w, b], [y], attributes)
    # SAME gives input * stride; a 3 x 3 kernel at stride 2 gives one element more.
    w = random(4, 3, 3, 3, seed=3)
    for mode, pads in (("SAME_UPPER", [0, 0, 1, 1]), ("SAME_LOWER", [1, 1, 0, 0])):
        same = {"strides": [2, 2], "dilations": [1, 1], "group": 2}
        y = conv_transpose(x, w, b, **same, pads=pads, output_padding=[0, 0])
        name = f"convtranspose_11_{mode.lower()}"
        yield Case(name, "ConvTranspose", 11, [x, w, b], [y], {**same, "auto_pad": mode})


def ceil_counts(x, kernel, strides, pads, dilations):
    counts = []
    for i, (n, k, s, d) in enumerate(zip(x.shape[2:], kernel, strides, dilations)):
        room = n + pads[i] + pads[i + len(kernel)] - (k - 1) * d - 1
        count = -(-room // s) + 1
        counts.append(count - 1 if (count - 1) * s >= n + pads[i] else count)
    return counts


def pool(x, reduce, fill, ceil_mode=0, kernel_shape=(), strides=None, pads=None, dilations=None):
    rank = len(kernel_shape)
    strides, dilations = strides or [1] * rank, dilations or [1] * rank
    pads = pads or [0] * 2 * rank
    counts = ceil_counts(x, kernel_shape, strides, pads, dilations) if ceil_mode else None
    axes = tuple(range(2, x.ndim))
    all_windows = windows(x, kernel_shape, strides, pads, dilations, fill, counts)
    return collect((at, reduce(window, axes)) for at, window in all_windows)


def max_pool(x, **attributes):
    return pool(x, lambda w, axes: w.max(axis=axes), np.array(-128, x.dtype), **attributes)


def average_pool(x, count_include_pad=0, **attributes):
    x = x.astype(np.float64)
    if count_include_pad:
        return pool(x, lambda w, axes: w.mean(axis=axes), 0, **attributes)
    return pool(x, lambda w, axes: np.nanmean(w, axis=axes), np.nan, **attributes)


def lp_pool(x, p=2, **attributes):
    x = np.abs(x.astype(np.float64))
    return pool(x, lambda w, axes: (w**p).sum(axis=axes) ** (1 / p), 0, **attributes)


def pool_cases():
    x = random(2, 3, 7, 9)
    plain = {"kernel_shape": [3, 2], "strides": [2, 3], "pads": [1, 0, 2, 1]}
    ceil = {**plain, "ceil_mode": 1}
    every = {**ceil, "dilations": [2, 1]}
    for version, attributes in ((1, plain), (8, plain), (10, every), (12, every)):
        y = max_pool(x, **attributes)
        yield Case(f"maxpool_{version}", "MaxPool", version, [x], [y], attributes)
    yield Case("maxpool_12_open", "MaxPool", 12, [x], [y], every, True)
    x8 = (x * 100).astype(np.int8)
    yield Case("maxpool_12_int8", "MaxPool", 12, [x8], [max_pool(x8, **every)], every)
    half = x.astype(np.float16)
    yield Case("maxpool_12_half", "MaxPool", 12, [half], [max_pool(half, **ceil)], ceil)
    for version, attributes in (
        (1, plain),
        (7, {**plain, "count_include_pad": 1}),
        (10, {**ceil, "count_include_pad": 1}),
        (11, ceil),
        (19, {**every, "count_include_pad": 1}),
        (22, every),
    ):
        y = average_pool(x, **attributes).astype(np.float32)
        yield Case(f"averagepool_{version}", "AveragePool", version, [x], [y], attributes)
    y = average_pool(half, **ceil).astype(np.float16)
    yield Case("averagepool_11_half", "AveragePool", 11, [half], [y], ceil)
    for version, attributes in (
        (1, {**plain, "p": 3.0}),
        (2, {**plain, "p": 1}),
        (18, {**every, "p": 3}),
    ):
        y = lp_pool(x, **attributes).astype(np.float32)
        yield Case(f"lppool_{version}", "LpPool", version, [x], [y], attributes)


def index_cases():
    """Indices count over the whole input, row-major or column-major within a plane."""
    for rank in (2, 3):
        x = random(2, 2, *[4] * rank)
        attributes = {"kernel_shape": [2] * rank, "strides": [2] * rank}
        y = max_pool(x, **attributes)
        for order in (0, 1):
            indices = np.zeros(y.shape, np.int64)
            for at in np.ndindex(*y.shape):
                found = np.argwhere(x[at[:2]] == y[at])[0]
                found = found if order == 0 else found[::-1]
                offset = np.ravel_multi_index(found, x.shape[2:])
                indices[at] = (at[0] * 2 + at[1]) * 4**rank + offset
            name = f"maxpool_8_indices_{rank}d_{'column' if order else 'row'}"
            yield Case(name, "MaxPool", 8, [x], [y, indices], {**attributes, "storage_order": order})


def other_cases():
    x = random(2, 3, 5, 4)
    wide = np.abs(x.astype(np.float64))
    for p in (1, 2, 3):
        y = ((wide**p).sum(axis=(2, 3), keepdims=True) ** (1 / p)).astype(np.float32)
        yield Case(f"globallppool_2_{p}", "GlobalLpPool", 2, [x], [y], {"p": p})
    yield Case("globallppool_1", "GlobalLpPool", 1, [x], [y], {"p": 3.0})
    flat = x[..., 0]
    yield Case("globalmaxpool_1d", "GlobalMaxPool", 1, [flat], [flat.max(axis=2, keepdims=True)])
    for size in (1, 2, 3, 8):
        y = np.zeros_like(wide)
        for c in range(3):
            near = x[:, max(0, c - (size - 1) // 2) : c + size // 2 + 1].astype(np.float64)
            y[:, c] = x[:, c] / (2 + 0.5 / size * (near**2).sum(axis=1)) ** 0.3
        attributes = {"size": size, "alpha": 0.5, "beta": 0.3, "bias": 2.0}
        yield Case(f"lrn_1_{size}", "LRN", 1, [x], [y.astype(np.float32)], attributes)
    small = random(1, 1, 2, 2)
    indices = np.array([[[[0, 3], [7, 8]]]], np.int64)  # indices into 3 x 3: pads crop one row and column
    y = np.zeros((1, 1, 3, 3), np.float32)
    y.reshape(-1)[indices.reshape(-1)] = small.reshape(-1)
    attributes = {"kernel_shape": [2, 2], "strides": [2, 2], "pads": [1, 0, 0, 1]}
    yield Case("maxunpool_9_pads", "MaxUnpool", 9, [small, indices], [y], attributes)


def sample(plane, at):
    """Interpolates linearly between neighbors; elements outside are zero."""
    total = 0.0
    for corner in positions([2] * len(at)):
        low = np.floor(at)
        index = low + corner
        weight = np.prod(np.where(corner, at - low, 1 - (at - low)))
        if all(0 <= i < n for i, n in zip(index, plane.shape)):
            total += weight * plane[tuple(int(i) for i in index)]
    return total


def deform_conv(x, w, offset, b, mask, strides, pads, dilations, group, offset_group):
    rank, taps = x.ndim - 2, list(positions(w.shape[2:]))
    y = np.zeros([x.shape[0], w.shape[0], *offset.shape[2:]])
    per_offset = x.shape[1] // offset_group
    for n, o, *at in positions(y.shape):
        first = o // (w.shape[0] // group) * w.shape[1]
        for c, (t, tap) in itertools.product(range(w.shape[1]), enumerate(taps)):
            entry = (first + c) // per_offset * len(taps) + t
            shift = [offset[(n, entry * rank + i, *at)] for i in range(rank)]
            base = [at[i] * strides[i] - pads[i] + tap[i] * dilations[i] for i in range(rank)]
            value = sample(x[n, first + c], np.array(base, float) + shift)
            y[(n, o, *at)] += value * mask[(n, entry, *at)] * w[(o, c, *tap)]
    return y + b.reshape(-1, *[1] * rank)


def deform_conv_cases():
    attributes = {"strides": [2, 1], "pads": [1, 0, 1, 1], "dilations": [1, 2]}
    attributes.update({"group": 2, "offset_group": 2})
    x, w, b = random(2, 4, 5, 6), random(4, 2, 2, 2, seed=1), random(4, seed=2)
    offset, mask = 2 * random(2, 16, 3, 5, seed=3), random(2, 8, 3, 5, seed=4)
    inputs = [x, w, offset, b, mask]
    y = deform_conv(*inputs, **attributes).astype(np.float32)
    for is_open in (False, True):
        name = f"deformconv_19{'_open' if is_open else ''}"
        yield Case(name, "DeformConv", 19, inputs, [y], attributes, is_open)


def cases():
    yield from conv_cases()
    yield from auto_pad_cases()
    yield from conv_transpose_cases()
    yield from pool_cases()
    yield from index_cases()
    yield from other_cases()
    yield from deform_conv_cases()
