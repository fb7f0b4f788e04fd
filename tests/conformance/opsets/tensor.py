# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases for reshapes, slices, pads and generators: old opsets, strings, extreme integers, and
operands whose rank or value is known only at run time."""

import dataclasses

import numpy as np
from case import Case, random

MOST = 2**63 - 1
LEAST = -(2**63)


def ints(*values):
    return np.array(values, np.int64)


def words(*rows):
    return np.array(rows, dtype=object)


def everywhere(case, *constants):
    """Yields the case and a copy with undeclared rank, each with and without constant inputs."""
    yield case
    yield dataclasses.replace(case, name=case.name + "_unranked", hides_rank=True)
    if constants:
        yield dataclasses.replace(case, name=case.name + "_constant", constants=constants)
        yield dataclasses.replace(case, name=case.name + "_constant_unranked",
                                  constants=constants, hides_rank=True)  # fmt: skip


def sliced(dim, start, end, step):
    """Returns the positions that ONNX's Slice selects from a dimension."""
    start, end = (v + dim if v < 0 else v for v in (start, end))
    if dim == 0:
        return []
    if step > 0:
        return list(range(min(max(start, 0), dim), min(max(end, 0), dim), step))
    return list(range(min(max(start, 0), dim - 1), min(max(end, -1), dim - 1), step))


def slice_cases():
    rng = np.random.default_rng(1)
    ends = (0, 1, -1, 3, -3, 7, -7, MOST, LEAST)
    steps = (1, 2, -1, -2, MOST, LEAST)
    for k in range(30):
        x = random(*rng.integers(0 if k % 7 == 0 else 1, 6, 2))
        begin, end = ([ends[i] for i in rng.integers(0, len(ends), 2)] for _ in range(2))
        step = [steps[i] for i in rng.integers(0, len(steps), 2)]
        y = x
        for axis in range(2):
            at = sliced(x.shape[axis], begin[axis], end[axis], step[axis])
            y = np.take(y, np.array(at, int), axis=axis)
        inputs = [x, ints(*begin), ints(*end), ints(-2, 1), ints(*step)]
        yield from everywhere(Case(f"slice_{k}", "Slice", 13, inputs, [y]), 1, 2, 3, 4)
    x = random(4, 5)
    attributes = {"starts": [1, -3], "ends": [3, 1000], "axes": [0, 1]}
    yield from everywhere(Case("slice_of_opset_1", "Slice", 1, [x], [x[1:3, -3:]], attributes))
    attributes = {"starts": [1], "ends": [-1]}
    yield from everywhere(Case("slice_of_opset_7", "Slice", 7, [x], [x[1:-1]], attributes))


def padded(x, before, behind, mode):
    if mode == "wrap":  # NumPy before 1.25 does not repeat whole periods.
        for axis, dim in enumerate(x.shape):
            x = np.take(x, np.arange(-before[axis], dim + behind[axis]) % dim, axis=axis)
        return x
    values = {"constant_values": 1.5} if mode == "constant" else {}
    return np.pad(x, list(zip(before, behind)), mode=mode, **values)


def pad_cases():
    x = random(2, 3, 1)
    for mode in ("constant", "reflect", "edge", "wrap"):
        for k, (before, behind) in enumerate((((0, 1, 2), (3, 0, 1)), ((5, 7, 0), (9, 4, 6)))):
            y = padded(x, before, behind, mode)
            inputs = [x, ints(*before, *behind), np.array(1.5, np.float32)]
            yield from everywhere(Case(f"pad_{mode}_{k}", "Pad", 19, inputs, [y], {"mode": mode}),
                                  1, 2)  # fmt: skip
            if mode != "wrap":
                attributes = {"mode": mode, "pads": before + behind, "value": 1.5}
                yield from everywhere(Case(f"pad_2_{mode}_{k}", "Pad", 2, [x], [y], attributes))
    x = random(4, 5)
    for mode in ("constant", "edge"):
        y = np.pad(x[:, 1:], ((0, 0), (0, 2)), mode=mode)
        inputs = [x, ints(-1, 2), None, ints(-1)]
        yield from everywhere(Case(f"pad_removes_{mode}", "Pad", 18, inputs, [y], {"mode": mode}),
                              1, 3)  # fmt: skip


def reshape_cases():
    x = random(1, 3, 1, 2)
    yield from everywhere(Case("squeeze", "Squeeze", 13, [x, ints(0, -2)], [x[0, :, 0]]), 1)
    yield from everywhere(Case("squeeze_all", "Squeeze", 13, [x], [x[0, :, 0]]))
    yield from everywhere(Case("squeeze_1", "Squeeze", 1, [x], [x[:, :, 0]], {"axes": [2]}))
    y = np.expand_dims(x, (1, 2, 4))
    yield from everywhere(Case("unsqueeze", "Unsqueeze", 13, [x, ints(4, -6, 2)], [y]), 1)
    y = np.expand_dims(x, (0, 3))
    yield from everywhere(Case("unsqueeze_1", "Unsqueeze", 1, [x], [y], {"axes": [0, 3]}))
    empty = random(2, 0, 3)
    yield from everywhere(Case("unsqueeze_empty", "Unsqueeze", 13, [empty, ints(0)],
                               [empty[None]]), 1)  # fmt: skip
    x = random(2, 3, 4)
    for axis in (0, 1, 3, -1, -3):
        rows = int(np.prod(x.shape[: axis if axis >= 0 else axis + 3]))
        yield from everywhere(Case(f"flatten_{axis}", "Flatten", 11, [x], [x.reshape(rows, -1)],
                                   {"axis": axis}))  # fmt: skip
    yield from everywhere(Case("flatten_empty", "Flatten", 13, [empty], [empty.reshape(2, 0)]))
    yield from everywhere(Case("size", "Size", 13, [x], [np.array(24)]))
    yield from everywhere(Case("reshape_0", "Reshape", 13, [x, ints(0, -1)], [x.reshape(2, 12)]), 1)
    yield from everywhere(Case("reshape_1", "Reshape", 1, [x], [x.reshape(4, 6)],
                               {"shape": [4, -1]}))  # fmt: skip
    yield from everywhere(Case("reshape_allow_0", "Reshape", 14, [empty, ints(3, 0, 5)],
                               [empty.reshape(3, 0, 5)], {"allowzero": 1}), 1)  # fmt: skip


def repeat_cases():
    x = random(2, 3)
    yield from everywhere(Case("tile_0", "Tile", 13, [x, ints(0, 2)], [np.tile(x, (0, 2))]), 1)
    yield Case("tile_1", "Tile", 1, [x, ints(3), ints(1)], [np.tile(x, (1, 3))],
               constants=(1, 2))  # fmt: skip
    y = np.tile(x[:, None], (1, 4, 1))
    yield from everywhere(Case("expand", "Expand", 13, [x[:, None], ints(4, 3)], [y]), 1)
    yield from everywhere(Case("expand_0", "Expand", 13, [x[:1], ints(0, 3)], [x[:0]]), 1)
    x = random(7, 2)
    parts = [x[0:2], x[2:4], x[4:6], x[6:7]]
    yield from everywhere(Case("split_18", "Split", 18, [x], parts, {"num_outputs": 4}))
    yield from everywhere(Case("split_13", "Split", 13, [x, ints(0, 7)], [x[:0], x]), 1)
    yield from everywhere(Case("split_2", "Split", 2, [x], [x[:3], x[3:]], {"split": [3, 4]}))
    x = random(2, 3, 4)
    for k in (0, 1, -1, MOST, LEAST):
        near = max(min(k, 9), -9)
        for upper, y in ((1, np.triu(x, near)), (0, np.tril(x, near))):
            yield from everywhere(Case(f"trilu_{upper}_{k}", "Trilu", 14, [x, np.array(k)], [y],
                                       {"upper": upper}))  # fmt: skip


def depth_cases():
    x = random(2, 12, 2, 3)
    y = x.reshape(2, 2, 2, 3, 2, 3).transpose(0, 3, 4, 1, 5, 2).reshape(2, 3, 4, 6)
    z = x.reshape(2, 3, 2, 2, 2, 3).transpose(0, 1, 4, 2, 5, 3).reshape(2, 3, 4, 6)
    for is_open in (False, True):
        suffix = "_open" if is_open else ""
        yield Case("depth_to_space_1" + suffix, "DepthToSpace", 1, [x], [y], {"blocksize": 2},
                   is_open)  # fmt: skip
        yield Case("depth_to_space_crd" + suffix, "DepthToSpace", 13, [x], [z],
                   {"blocksize": 2, "mode": "CRD"}, is_open)  # fmt: skip
        yield Case("space_to_depth" + suffix, "SpaceToDepth", 13, [y],
                   [y.reshape(2, 3, 2, 2, 3, 2).transpose(0, 3, 5, 1, 2, 4).reshape(x.shape)],
                   {"blocksize": 2}, is_open)  # fmt: skip
        eye = np.eye(3, 4, k=-1)
        yield Case("eye_like" + suffix, "EyeLike", 9, [random(3, 4)], [eye],
                   {"dtype": 11, "k": -1}, is_open)  # fmt: skip
    for rows, columns in ((5, 9), (4, 4), (8, 3), (1, 12)):
        x = y = random(6, 7)
        for axis, target in enumerate((rows, columns)):
            start = (x.shape[axis] - target) // 2
            if start >= 0:
                y = np.take(y, range(start, start + target), axis=axis)
            else:
                missing = target - x.shape[axis]
                widths = [(0, 0), (0, 0)]
                widths[axis] = (missing // 2, missing - missing // 2)
                y = np.pad(y, widths)
        yield from everywhere(Case(f"center_crop_pad_{rows}_{columns}", "CenterCropPad", 18,
                                   [x, ints(rows, columns)], [y]), 1)  # fmt: skip


def string_cases():
    x = words(["a", "bb", "ccc"], ["d", "", "f"])
    yield from everywhere(Case("string_transpose", "Transpose", 13, [x], [x.T]))
    yield from everywhere(Case("string_reshape", "Reshape", 13, [x, ints(3, -1)],
                               [x.reshape(3, 2)]), 1)  # fmt: skip
    yield from everywhere(Case("string_slice", "Slice", 13,
                               [x, ints(2), ints(LEAST), ints(1), ints(-2)],
                               [x[:, ::-2]]), 1, 2, 3, 4)  # fmt: skip
    yield from everywhere(Case("string_concat", "Concat", 13, [x, x], [np.concatenate([x, x], 1)],
                               {"axis": 1}))  # fmt: skip
    yield from everywhere(Case("string_tile", "Tile", 13, [x, ints(2, 2)],
                               [np.tile(x, (2, 2))]), 1)  # fmt: skip
    yield from everywhere(Case("string_pad", "Pad", 18, [x, ints(0, 1, 0, -1)],
                               [words(["", "a", "bb"], ["", "d", ""])]), 1)  # fmt: skip
    yield from everywhere(Case("string_split", "Split", 18, [x], [x[:, :2], x[:, 2:]],
                               {"axis": 1, "num_outputs": 2}))  # fmt: skip


def generator_cases():
    for k, (start, limit, delta) in enumerate(((0, 10, 3), (10, 0, -3), (0, 10, -1), (5, 5, 1))):
        inputs = [np.array(v) for v in (start, limit, delta)]
        yield from everywhere(Case(f"range_{k}", "Range", 11, inputs,
                                   [np.arange(start, limit, delta)]), 0, 1, 2)  # fmt: skip
    y = np.array([0, 0.3, 0.6, 0.9], np.float32)
    inputs = [np.array(v, np.float32) for v in (0, 1, 0.3)]
    yield from everywhere(Case("range_float", "Range", 11, inputs, [y]), 0, 1, 2)
    yield from everywhere(Case("constant_of_scalar_shape", "ConstantOfShape", 9, [ints()],
                               [np.array(0, np.float32)]), 0)  # fmt: skip
    yield Case("constant_int", "Constant", 13, [], [np.array(5)], {"value_int": 5})
    yield Case("constant_ints", "Constant", 13, [], [ints(1, 2)], {"value_ints": [1, 2]})
    yield Case("constant_float", "Constant", 13, [], [np.array(2.5, np.float32)],
               {"value_float": 2.5})  # fmt: skip
    yield Case("constant_floats", "Constant", 13, [], [np.array([1, 2], np.float32)],
               {"value_floats": [1.0, 2.0]})  # fmt: skip
    yield Case("constant_strings", "Constant", 13, [], [words("a", "b")],
               {"value_strings": ["a", "b"]})  # fmt: skip


def cases():
    yield from slice_cases()
    yield from pad_cases()
    yield from reshape_cases()
    yield from repeat_cases()
    yield from depth_cases()
    yield from string_cases()
    yield from generator_cases()
