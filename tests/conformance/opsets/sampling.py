# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases for Resize of old opsets, regions of interest and grid sampling."""

import numpy as np
from case import Case, random


def along(x, axis, rows):
    """Multiplies the matrix `rows` of weights with each line of x along `axis`."""
    return np.moveaxis(np.tensordot(rows, x, axes=(1, axis)), 0, axis)


def nearest_rows(n, scale, rounding):
    rows = np.zeros((int(n * scale), n))
    for i in range(len(rows)):
        rows[i, min(int(rounding(i / scale)), n - 1)] = 1
    return rows


def linear_rows(n, count, source):
    rows = np.zeros((count, n))
    for i in range(count):
        x = min(max(source(i), 0), n - 1)
        low = int(x)
        rows[i, low] += 1 - (x - low)
        rows[i, min(low + 1, n - 1)] += x - low
    return rows


def old_resize_cases():
    """Before opset 11, coordinates are asymmetric. Nearest is the floor if the image grows and the
    ceiling if it shrinks."""
    x = random(1, 2, 5, 4)
    for name, scales in (("grows", (2, 3)), ("shrinks", (0.6, 0.75)), ("mixed", (0.6, 2.5))):
        y = z = x
        for axis, scale in zip((2, 3), scales):
            n = x.shape[axis]
            y = along(y, axis, nearest_rows(n, scale, np.ceil if scale < 1 else np.floor))
            z = along(z, axis, linear_rows(n, int(n * scale), lambda i, s=scale: i / s))
        factors = np.array((1, 1, *scales), np.float32)
        for mode, result in (("nearest", y), ("linear", z)):
            outputs = [result.astype(np.float32)]
            yield Case(f"resize_10_{mode}_{name}", "Resize", 10, [x, factors], outputs,
                       {"mode": mode})  # fmt: skip
            if name == "grows":
                yield Case(f"upsample_9_{mode}", "Upsample", 9, [x, factors], outputs,
                           {"mode": mode})  # fmt: skip
                attributes = {"mode": mode, "scales": [1.0, 1.0, 2.0, 3.0]}
                yield Case(f"upsample_7_{mode}", "Upsample", 7, [x], outputs, attributes)
                attributes = {"mode": mode, "height_scale": 2.0, "width_scale": 3.0}
                yield Case(f"upsample_1_{mode}", "Upsample", 1, [x], outputs, attributes)


def resize_cases():
    x, none = random(1, 2, 5, 4), np.zeros(0, np.float32)
    sizes = np.array([1, 2, 3, 7], np.int64)
    y = x
    for axis, count in ((2, 3), (3, 7)):
        n = x.shape[axis]
        rows = linear_rows(n, count, lambda i, n=n, c=count: (i + 0.5) * n / c - 0.5)
        y = along(y, axis, rows)
    outputs = [y.astype(np.float32)]
    linear = {"mode": "linear"}
    yield Case("resize_11_empty_scales", "Resize", 11, [x, none, none, sizes], outputs, linear)
    yield Case("resize_13_absent_scales", "Resize", 13, [x, None, None, sizes], outputs, linear)
    yield Case("resize_13_open", "Resize", 13, [x, None, None, sizes], outputs, linear, True)
    half = x.astype(np.float16)
    y = x.astype(np.float16).astype(np.float64)
    for axis, scale in ((2, 2), (3, 2)):
        n = x.shape[axis]
        y = along(y, axis, linear_rows(n, 2 * n, lambda i, s=scale: (i + 0.5) / s - 0.5))
    inputs = [half, None, np.array([2, 2], np.float32)]
    attributes = {"mode": "linear", "axes": [-2, -1]}
    yield Case("resize_18_half", "Resize", 18, inputs, [y.astype(np.float16)], attributes)
    # 3 * (7 / 3) is 7 in f32 and 6.9999998 in double.
    line = np.arange(3, dtype=np.int64) + 2**60
    scale = np.array([np.float32(7) / np.float32(3)])
    y = line[[0, 0, 1, 1, 1, 2, 2]]
    yield Case("resize_19_size_in_f32_and_exact_int64", "Resize", 19, [line, None, scale], [y])


def max_roi_pool(x, rois, shape, scale):
    y = np.zeros((len(rois), x.shape[1], *shape), np.float32)
    for r, roi in enumerate(rois):
        box = np.floor(roi[1:].astype(np.float64) * scale + 0.5)  # rounds positive numbers half up
        for i in np.ndindex(*shape):
            ranges = []
            for d, (begin, end) in enumerate(((box[1], box[3]), (box[0], box[2]))):
                cell = max(end - begin + 1, 1) / shape[d]
                limit = x.shape[d + 2]
                low = int(min(max(begin + np.floor(i[d] * cell), 0), limit))
                high = int(min(max(begin + np.ceil((i[d] + 1) * cell), 0), limit))
                ranges.append(slice(low, high))
            part = x[(int(roi[0]), slice(None), *ranges)]
            y[(r, slice(None), *i)] = part.max(axis=(1, 2)) if part.size else 0
    return y


def bilinear(plane, y, x):
    if not (-1 <= y <= plane.shape[0] and -1 <= x <= plane.shape[1]):
        return 0.0
    y, x = min(max(y, 0), plane.shape[0] - 1), min(max(x, 0), plane.shape[1] - 1)
    rows = linear_rows(plane.shape[0], 1, lambda _: y)
    columns = linear_rows(plane.shape[1], 1, lambda _: x)
    return (rows @ plane @ columns.T).item()


def roi_align(x, rois, batches, shape, ratio, scale, offset):
    y = np.zeros((len(rois), x.shape[1], *shape))
    for r, c, *i in np.ndindex(*y.shape):
        left, top, right, bottom = rois[r].astype(np.float64) * scale - offset
        lengths = [bottom - top, right - left]
        if offset == 0:
            lengths = [max(n, 1) for n in lengths]
        cells = [n / s for n, s in zip(lengths, shape)]
        counts = [ratio or int(np.ceil(c)) for c in cells]
        values = []
        for s in np.ndindex(*counts):
            at = [b + (k + (j + 0.5) / n) * w
                  for b, k, j, n, w in zip((top, left), i, s, counts, cells)]  # fmt: skip
            values.append(bilinear(x[batches[r], c], *at))
        y[(r, c, *i)] = np.mean(values) if values else 0
    return y.astype(np.float32)


def region_cases():
    x = random(2, 3, 8, 9)
    boxes = np.array([[0, 0, 4, 6], [3.2, 1.1, 14, 9.9], [12, 10, 13, 11], [4, 4, 4, 4]], np.float32)
    batches = np.array([0, 1, 1, 0], np.int64)
    rois = np.concatenate([batches[:, None], boxes], axis=1).astype(np.float32)
    y = max_roi_pool(x, rois, (3, 2), 0.5)
    attributes = {"pooled_shape": [3, 2], "spatial_scale": 0.5}
    yield Case("maxroipool_1", "MaxRoiPool", 1, [x, rois], [y], attributes)
    sized = {"output_height": 3, "output_width": 2, "spatial_scale": 0.5}
    for ratio in (0, 2):
        attributes = {**sized, "sampling_ratio": ratio}
        y = roi_align(x, boxes, batches, (3, 2), ratio, 0.5, 0)
        yield Case(f"roialign_10_{ratio}", "RoiAlign", 10, [x, boxes, batches], [y], attributes)
        y = roi_align(x, boxes, batches, (3, 2), ratio, 0.5, 0.5)
        yield Case(f"roialign_16_{ratio}", "RoiAlign", 16, [x, boxes, batches], [y], attributes)
    none = np.zeros((0, 3), np.int64)
    corners, scores = np.abs(random(1, 4, 4)), random(1, 2, 4)
    yield Case("nonmaxsuppression_10_no_limit", "NonMaxSuppression", 10, [corners, scores], [none])


def grid_cases():
    x, grid = random(2, 3, 4, 5), 1.2 * random(2, 6, 2, 2, seed=1)
    y = np.zeros((2, 3, 6, 2))
    for n, c, *i in np.ndindex(*y.shape):
        column, row = (grid[(n, *i)].astype(np.float64) + 1) / 2 * (4, 3)
        row, column = min(max(row, 0), 3), min(max(column, 0), 4)
        y[(n, c, *i)] = bilinear(x[n, c].astype(np.float64), row, column)
    attributes = {"mode": "bilinear", "padding_mode": "border", "align_corners": 1}
    yield Case("gridsample_16", "GridSample", 16, [x, grid], [y.astype(np.float32)], attributes)
    yield Case("gridsample_16_open", "GridSample", 16, [x, grid], [y.astype(np.float32)],
               attributes, True)  # fmt: skip


def cases():
    yield from old_resize_cases()
    yield from resize_cases()
    yield from region_cases()
    yield from grid_cases()
