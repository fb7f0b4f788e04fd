# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases for gathers, scatters and sorts: negative and repeated indices, strings, old opsets."""

import numpy as np
from case import Case, random
from tensor import everywhere, ints, words


def element_cases():
    rng = np.random.default_rng(2)
    x = random(3, 4, 5)
    for axis in range(3):
        indices = rng.integers(-x.shape[axis], x.shape[axis], (2, 3)).astype(np.int32)
        y = np.take(x, indices, axis=axis)
        yield from everywhere(Case(f"gather_{axis}", "Gather", 13, [x, indices], [y],
                                   {"axis": axis}), 1)  # fmt: skip
        shape = [2, 3, 4]
        shape[axis] = 7  # more indices than elements, so some repeat
        indices = rng.integers(-x.shape[axis], x.shape[axis], shape)
        updates = random(*shape, seed=3)
        gathered = np.empty(shape, np.float32)
        replaced, added = x.copy(), x.astype(np.float64)
        for at in np.ndindex(*shape):
            place = list(at)
            place[axis] = indices[at]
            place = tuple(place)
            gathered[at] = x[place]
            replaced[place] = updates[at]
            added[place] += updates[at]
        attributes = {"axis": axis}
        yield from everywhere(Case(f"gather_elements_{axis}", "GatherElements", 13, [x, indices],
                                   [gathered], attributes))  # fmt: skip
        inputs = [x, indices, updates]
        yield from everywhere(Case(f"scatter_{axis}", "Scatter", 9, inputs, [replaced], attributes))
        attributes = {"axis": axis, "reduction": "add"}
        yield from everywhere(Case(f"scatter_elements_add_{axis}", "ScatterElements", 16, inputs,
                                   [added.astype(np.float32)], attributes))  # fmt: skip


def tuple_cases():
    rng = np.random.default_rng(3)
    x = random(2, 3, 4, 5)
    indices = np.stack([rng.integers(-4, 4, (2, 3, 6)), rng.integers(-5, 5, (2, 3, 6))], -1)
    y = np.empty((2, 3, 6), np.float32)
    for at in np.ndindex(2, 3, 6):
        y[at] = x[at[:2] + tuple(indices[at])]
    yield from everywhere(Case("gather_nd_batches", "GatherND", 12, [x, indices], [y],
                               {"batch_dims": 2}))  # fmt: skip
    indices = np.array([[[0], [1]], [[2], [-1]]])
    y = np.stack([x[b, indices[b, :, 0]] for b in range(2)])
    yield from everywhere(Case("gather_nd_slices", "GatherND", 12, [x, indices], [y],
                               {"batch_dims": 1}))  # fmt: skip
    x = np.array([1, 2, 3, 4], np.int32)
    indices, updates = np.array([[1], [1], [-1]]), np.array([5, -7, 9], np.int32)
    for name, function in (("add", np.add), ("mul", np.multiply), ("min", np.minimum),
                           ("max", np.maximum)):  # fmt: skip
        y = x.copy()
        function.at(y, indices[:, 0], updates)
        yield from everywhere(Case(f"scatter_nd_{name}", "ScatterND", 18, [x, indices, updates],
                                   [y], {"reduction": name}))  # fmt: skip


def order_cases():
    x = np.array([[0, -1, 5, 5, -2]], np.float32)
    outputs = [np.array([[5, 5]], np.float32), np.array([[2, 3]])]
    yield from everywhere(Case("top_k_1", "TopK", 1, [x], outputs, {"k": 2, "axis": 1}))
    yield from everywhere(Case("top_k_10", "TopK", 10, [x, ints(2)], outputs, {"axis": 1}), 1)
    x = np.array([[3, 1, np.nan, 2, 3]], np.float32)
    outputs = [np.array([[np.nan, 3, 3]], np.float32), np.array([[2, 0, 4]])]
    yield from everywhere(Case("top_k_nan", "TopK", 11, [x, ints(3)], outputs, {"axis": 1}), 1)
    x = np.array([[1, 1], [2, 3], [1, 1], [0, 9]], np.float32)
    outputs = [x[[3, 0, 1]], ints(3, 0, 1), ints(1, 2, 1, 0), ints(1, 2, 1)]
    yield from everywhere(Case("unique_rows", "Unique", 11, [x], outputs, {"axis": 0}))
    outputs = [words("b", "a", "c"), ints(0, 1, 3), ints(0, 1, 0, 2), ints(2, 1, 1)]
    yield from everywhere(Case("unique_strings", "Unique", 11, [words("b", "a", "b", "c")],
                               outputs, {"sorted": 0}))  # fmt: skip


def condition_cases():
    x = np.array([[0, 1], [2, 0]], np.int32)
    yield from everywhere(Case("non_zero", "NonZero", 13, [x], [np.array([[0, 1], [1, 0]])]), 0)
    keep = np.array([False, True, True])
    yield from everywhere(Case("compress_vector", "Compress", 9, [x, keep],
                               [np.array([1, 2], np.int32)]), 1)  # fmt: skip
    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    y = np.array([[2, 1, 0, 3], [4, 5, 6, 7]], np.float32)
    yield from everywhere(Case("reverse_sequence", "ReverseSequence", 10, [x, ints(3, 0)], [y],
                               {"batch_axis": 0, "time_axis": 1}), 1)  # fmt: skip
    indices = np.array([[1, -1], [0, 9]], np.float32)
    y = np.zeros((3, 2, 2), np.float32)
    y[1, 0, 0] = y[2, 0, 1] = y[0, 1, 0] = 1
    inputs = [indices, np.array([3], np.float32), np.array([0, 1], np.float32)]
    yield from everywhere(Case("one_hot", "OneHot", 9, inputs, [y], {"axis": 0}), 1)


def string_cases():
    x = words(["a", "bb", "ccc"], ["d", "", "f"])
    yield from everywhere(Case("string_gather", "Gather", 13, [x, ints(2, -3)], [x[:, [2, 0]]],
                               {"axis": 1}))  # fmt: skip
    yield from everywhere(Case("string_gather_nd", "GatherND", 13,
                               [x, np.array([[0, 1], [1, -1]])], [words("bb", "f")]))  # fmt: skip
    y = x.copy()
    y[0, 1] = "new"
    yield from everywhere(Case("string_scatter", "ScatterElements", 18,
                               [x, np.array([[1]]), words(["new"])], [y], {"axis": 1}))  # fmt: skip
    yield from everywhere(Case("string_compress", "Compress", 11,
                               [x, np.array([True, False, True])], [x[:, [0, 2]]],
                               {"axis": 1}))  # fmt: skip


def cases():
    yield from element_cases()
    yield from tuple_cases()
    yield from order_cases()
    yield from condition_cases()
    yield from string_cases()
