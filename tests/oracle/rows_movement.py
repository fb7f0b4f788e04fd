# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of ops that move elements: negative axes and steps, extreme pads, empty tensors, repeated indices."""

import numpy as np
from odd_values import odd
from op_rows import f32, i64, row

TYPES = (np.float32, np.float16, np.float64, np.uint8, np.int8, np.int32, np.int64, bool)


@row("Transpose")
def transpose(make):
    make([make.x(2, 3, 4)], text="default")
    for order in ([0, 2, 1], [2, 0, 1], [2, 1, 0], [0, 1, 2]):
        make.odd([make.strange(2, 3, 4)], {"perm": order})
    make([make.x(2, 0, 4)], {"perm": [1, 0, 2]}, text="empty")
    make([make.x()], text="scalar")
    if make.is_newest:
        for dtype in TYPES:
            make([make.x(5, 7, dtype=dtype)], text=np.dtype(dtype).name)
        make([make.x(2, 3, 2, 2, 3)], {"perm": [4, 0, 3, 1, 2]}, text="rank5")


@row("Reshape")
def reshape(make):
    if make.opset < 5:
        make([make.x(2, 3, 4)], {"shape": [0, -1]})
        return
    for shape in ([4, 6], [0, -1], [-1], [2, 0, 2, -1], [1, 24, 1]):
        make.odd([make.strange(2, 3, 4), i64(*shape)], constants=(1,))
    make([make.x(1), np.zeros(0, np.int64)], text="scalar", constants=(1,))
    make([make.x(0, 3), i64(0, 5)], text="empty", constants=(1,))
    make([make.x(0, 3), i64(3, -1)], text="empty_rest", constants=(1,))
    if make.opset >= 14:
        make([make.x(0, 3), i64(3, 0)], {"allowzero": 1}, text="allowzero", constants=(1,))
    make([make.x(2, 3, 4), i64(4, 6)], text="runtime_shape")


@row("Flatten")
def flatten(make):
    for axis in (0, 1, 2, 3) + ((-1, -3) if make.opset >= 11 else ()):
        make([make.x(2, 3, 4)], {"axis": axis})
    make([make.x(2, 0, 4)], text="empty")


@row("Squeeze", "Unsqueeze")
def squeeze(make):
    is_input = make.opset >= 13
    x = make.x(1, 3, 1, 2) if make.op == "Squeeze" else make.x(3, 2)
    axes = [(0,), (0, 2)] + ([(-2,), (2, 0), (-4, -2)] if make.opset >= 11 else [])
    if make.op == "Unsqueeze":
        axes += [(3, 0)] if make.opset >= 11 else []
    for chosen in axes:
        make(*(([x, i64(*chosen)],) if is_input else ([x], {"axes": list(chosen)})), constants=(1,) if is_input else ())
    if make.op == "Squeeze":
        make([x], text="default")


@row("Concat")
def concat(make):
    for axis in (0, 1, 2) + ((-1, -3) if make.opset >= 11 else ()):
        shapes = [[2, 3, 4], [2, 3, 4], [2, 3, 4]]
        shapes[1][axis] = 5
        shapes[2][axis] = 0
        make.odd([make.strange(*shape) for shape in shapes], {"axis": axis})
    make([make.x(2, 3)], {"axis": 1}, text="one")
    if make.is_newest:
        for dtype in TYPES:
            make([make.x(2, 3, dtype=dtype), make.x(2, 1, dtype=dtype)], {"axis": 1}, text=np.dtype(dtype).name)


@row("Split")
def split(make):
    def case(x, sizes, count, axis, text=""):
        if sizes is None:
            attributes = {"axis": axis, **({"num_outputs": count} if make.opset >= 18 else {})}
            make([x], attributes, text, outputs=count)
        elif make.opset >= 13:
            make([x, i64(*sizes)], {"axis": axis}, text, constants=(1,), outputs=count)
        else:
            make([x], {"axis": axis, "split": sizes}, text, outputs=count)

    if make.opset < 2:
        make([make.x(6, 2)], {"axis": 0, "split": [2, 4]}, outputs=2)
        return
    case(make.x(6, 4), None, 3, 0)
    case(make.x(6, 4), [1, 2, 3], 3, 0)
    case(make.x(2, 5), [4, 1], 2, 1)
    if make.opset >= 11:
        case(make.strange(2, 5), [4, 1], 2, -1)
    if make.opset >= 13:
        case(make.x(2, 5), [5, 0], 2, 1, "empty")
    if make.opset >= 18:
        case(make.x(7, 2), None, 3, 0, "uneven")


@row("Slice")
def slices(make):
    if make.opset < 10:
        make([make.x(5, 6)], {"starts": [1, 0], "ends": [3, -1]})
        make([make.x(5, 6)], {"starts": [-3], "ends": [1000], "axes": [1]})
        make([make.x(5, 6)], {"starts": [4], "ends": [2], "axes": [1]}, text="empty")
        return
    big = np.iinfo(np.int64)
    for starts, ends, axes, steps in (
            ([1], [3], None, None), ([0, 1], [2, 5], [1, 0], None), ([1, 1], [5, 6], None, [2, 3]),
            ([-1], [-5], [1], [-1]), ([big.max], [big.min], [0], [-1]), ([-100], [100], [-1], [1]),
            ([4], [2], [0], [1]), ([5], [0], [1], [-2]), ([-2], [big.max], [-1], [1]), ([4], [-100], [0], [-3]),
            ([0], [5], [0], [100])):  # fmt: skip
        values = [make.strange(5, 6), i64(*starts), i64(*ends), i64(*axes) if axes else None, i64(*steps) if steps else None]
        make.odd(values, constants=(1, 2, 3, 4))
    make([make.x(5, 6), i64(1), i64(4), i64(0), i64(2)], text="runtime")
    make([make.x(5, 6), np.array([1], np.int32), np.array([4], np.int32), np.array([1], np.int32)], text="int32", constants=(1, 2, 3))
    if make.is_newest:
        for dtype in TYPES:
            make([make.x(4, 3, dtype=dtype), i64(3), i64(-9), i64(0), i64(-2)], text=np.dtype(dtype).name, constants=(1, 2, 3, 4))


@row("Gather")
def gather(make):
    is_negative = make.opset >= 11
    for axis in (0, 1) + ((-1,) if is_negative else ()):
        for shape in ((3,), (), (2, 2), (0,)):
            indices = make.ints(-2 if is_negative else 0, 2, *shape)
            make.odd([make.strange(3, 4, 2), indices], {"axis": axis}, text="axis")
    make([make.x(3, 4), make.ints(0, 3, 2, dtype=np.int32)], text="int32")
    if make.is_newest:
        for dtype in TYPES:
            make([make.x(3, 4, dtype=dtype), i64(-1, 0, 2)], text=np.dtype(dtype).name, constants=(1,))


@row("GatherElements")
def gather_elements(make):
    for axis in (0, 1, -1):
        make.odd([make.strange(4, 5), make.ints(-4, 4, 3, 5) if axis == 0 else make.ints(-5, 5, 4, 3)], {"axis": axis})
    make([make.x(4, 5), make.ints(0, 4, 0, 5)], text="empty")


@row("GatherND")
def gather_nd(make):
    make.odd([make.strange(3, 4, 5), make.ints(-3, 3, 2, 2)])
    make([make.x(3, 4, 5), make.ints(-3, 3, 2, 3)], text="elements")
    make([make.x(3, 4, 5), make.ints(0, 3, 4, 1)], text="rows")
    if make.opset >= 12:
        make([make.x(3, 4, 5), make.ints(-4, 4, 3, 2, 1)], {"batch_dims": 1}, text="batch")
        make([make.x(3, 4, 5), make.ints(-5, 5, 3, 4, 1)], {"batch_dims": 2}, text="batch")


def reductions(make):
    found = ["none"] if make.opset >= 16 else [None]
    found += ["add", "mul"] if make.opset >= 16 else []
    return found + (["max", "min"] if make.opset >= 18 else [])


@row("Scatter", "ScatterElements")
def scatter_elements(make):
    for reduction in reductions(make):
        attributes = {"reduction": reduction} if reduction else {}
        is_repeated = reduction not in (None, "none")
        for axis in (0, 1) + ((-1,) if make.opset >= 11 else ()):
            columns = make.ints(-5 if make.opset >= 11 else 0, 5, 4, 6) if is_repeated else \
                np.argsort(make.rng.random((4, 5)), 1)[:, :3] - (5 if make.opset >= 11 else 0)
            rows = make.ints(0, 4, 6, 5) if is_repeated else np.argsort(make.rng.random((4, 5)), 0)[:3]
            indices = rows if axis == 0 else columns
            make([make.x(4, 5), indices, make.x(*indices.shape)], {"axis": axis, **attributes}, text=reduction or "plain")
        if is_repeated:
            make.odd([make.strange(4, 5), make.ints(0, 4, 4, 5), make.strange(4, 5, share=0.1)], attributes, text=f"odd_{reduction}")
            make([make.ints(-9, 9, 4, 5), make.ints(0, 4, 4, 5), make.ints(-9, 9, 4, 5)], attributes, text=f"int64_{reduction}")


@row("ScatterND")
def scatter_nd(make):
    for reduction in reductions(make):
        attributes = {"reduction": reduction} if reduction else {}
        is_repeated = reduction not in (None, "none")
        indices = make.ints(-4, 4, 6, 1) if is_repeated else i64(3, 0, -2).reshape(3, 1)
        make([make.x(4, 5), indices, make.x(len(indices), 5)], attributes, text=reduction or "plain")
        pairs = make.ints(0, 4, 6, 2) if is_repeated else i64(0, 0, 1, 4, 3, 2).reshape(3, 2)
        make.odd([make.strange(4, 5), pairs, make.x(len(pairs))], attributes, text=f"elements_{reduction}")


@row("Pad")
def pad(make):
    def case(x, pads, mode="constant", value=None, text="", axes=None, is_odd=False):
        attributes = {"mode": mode}
        if make.opset < 11:
            name = "pads" if make.opset >= 2 else "paddings"
            make([x], {**attributes, name: pads, **({"value": float(value)} if value is not None else {})}, text or mode, is_odd=is_odd)
        else:
            fill = np.array(value, x.dtype) if value is not None else None
            values = [x, i64(*pads), fill, i64(*axes) if axes else None]
            make(values if axes else values[:3], attributes, text or mode, constants=(1, 2, 3), is_odd=is_odd)

    modes = ("constant", "reflect", "edge") + (("wrap",) if make.opset >= 19 else ())
    for mode in modes:
        case(make.strange(4, 5), [1, 2, 3, 0], mode, is_odd=True)
        case(make.x(1, 2, 3, 4), [0, 0, 1, 2, 0, 0, 2, 1], mode)
        case(make.x(4, 5), [-1, 2, -1, -2], mode, text=f"negative_{mode}")
        case(make.x(4, 5), [3, 4, 3, 4], mode, text=f"extreme_{mode}")
        if mode != "constant":
            case(make.x(2, 2), [5, 0, 4, 3], mode, text=f"beyond_{mode}")
    case(make.x(2, 3), [1, 1, 1, 1], value=np.nan, text="nan", is_odd=True)
    case(make.x(2, 3), [40, 0, 0, 50], value=-0.0, text="wide")
    case(make.x(0, 3), [1, 1, 1, 1], value=2, text="empty")
    case(make.x(4, 5), [-4, 0, 0, 0], text="all_removed")
    if make.opset >= 18:
        case(make.x(2, 3, 4), [1, -1], axes=[-1], text="axes")
        case(make.x(2, 3, 4), [1, 2, 3, 4], "edge", axes=[2, 0], text="axes")
    if make.opset >= 13:
        for dtype in TYPES:
            case(make.x(2, 3, dtype=dtype), [1, 0, 0, 2], value=1, text=np.dtype(dtype).name)


@row("Tile")
def tile(make):
    if make.opset < 6:
        return
    for repeats in ([2, 3], [1, 1], [3, 1], [0, 2]):
        make.odd([make.strange(2, 3), i64(*repeats)], constants=(1,))
    make([make.x(2, 3), i64(2, 2)], text="runtime")


@row("Expand")
def expand(make):
    for shape, target in (((3, 1), [2, 1, 6]), ((3, 1), [3, 4]), ((2, 3), [1, 1]), ((), [2, 2]), ((1, 3), [0, 3]), ((2, 3), [3])):
        make.odd([make.strange(*shape), i64(*target)], constants=(1,))
    make([make.x(3, 1), i64(2, 3, 4)], text="runtime")


@row("DepthToSpace")
def depth_to_space(make):
    modes = ({}, {"mode": "CRD"}, {"mode": "DCR"}) if make.opset >= 11 else ({},)
    for attributes in modes:
        make.odd([make.strange(2, 8, 2, 3)], {"blocksize": 2, **attributes})
        make([make.x(1, 18, 2, 1)], {"blocksize": 3, **attributes})


@row("SpaceToDepth")
def space_to_depth(make):
    make.odd([make.strange(2, 2, 4, 6)], {"blocksize": 2})
    make([make.x(1, 1, 3, 6)], {"blocksize": 3})


@row("ReverseSequence")
def reverse(make):
    make.odd([make.strange(4, 3, 2), i64(1, 4, 2)])
    make([make.x(3, 4, 2), i64(1, 4, 2)], {"batch_axis": 0, "time_axis": 1})


@row("Trilu")
def trilu(make):
    for upper in (0, 1):
        for k in (-5, -1, 0, 1, 2, 7):
            make.odd([make.strange(2, 3, 4), np.array(k, np.int64)], {"upper": upper}, constants=(1,))
    make([make.x(4, 3)], text="default")
    make([make.ints(-9, 9, 3, 3)], text="int64")
    make([make.x(0, 3)], text="empty")


@row("OneHot")
def one_hot(make):
    for axis in (-1, 0, 1):
        make([i64(0, 2, -1, 4, -6, 9) if make.opset >= 11 else i64(0, 2, 4), np.array(5, np.int64), f32(0.25, -3)], {"axis": axis}, constants=(1,))
    make([make.ints(0, 4, 2, 3).astype(np.float32), np.array([4], np.float32), i64(0, 7)], {"axis": 1}, text="floats", constants=(1,))


@row("Compress")
def compress(make):
    make([make.x(3, 4), np.array([True, False, True])], {"axis": 0})
    make([make.x(3, 4), np.array([False, True])], {"axis": 1}, text="short")
    make([make.strange(3, 4), make.x(12, dtype=bool)], text="flat")
    make([make.x(3, 4), np.array([False, False, False])], {"axis": 0}, text="none")
    if make.opset >= 11:
        make([make.x(3, 4), make.x(4, dtype=bool)], {"axis": -1})


@row("EyeLike")
def eye(make):
    for k in (-1, 0, 2, 9):
        make([make.x(3, 4)], {"k": k})
        make([make.ints(0, 3, 4, 2)], {"k": k, "dtype": 11})


@row("Range")
def ranges(make):
    for values in ((0, 5, 1), (10, 0, -3), (1, 1, 1), (5, 0, 1), (-3, 8, 4)):
        for dtype in (np.int32, np.int64, np.float32, np.float64):
            make([np.array(value, dtype) for value in values], text=np.dtype(dtype).name, constants=(0, 1, 2))
    make([np.array(value, np.float32) for value in (0.1, 1.3, 0.3)], text="fractions", constants=(0, 1, 2))


@row("ConstantOfShape")
def constant_of_shape(make):
    from onnx import numpy_helper

    make([i64(2, 3)], constants=(0,))
    make([i64(2, 0)], text="empty", constants=(0,))
    make([np.zeros(0, np.int64)], text="scalar", constants=(0,))
    for value in (f32(-0.0), f32(np.nan), i64(7), np.array([True]), np.array([3], np.uint8)):
        make([i64(2, 3)], {"value": numpy_helper.from_array(value)}, constants=(0,), text="value")


@row("Shape", "Size")
def shape(make):
    for dims in ((2, 3, 4), (), (0, 3)):
        make([make.x(*dims)])
    if make.op == "Shape" and make.opset >= 15:
        for start, end in ((1, None), (-2, None), (0, -1), (1, 2), (2, 1), (-9, 9)):
            make([make.x(2, 3, 4)], {"start": start, **({"end": end} if end is not None else {})}, text="range")


@row("Constant")
def constants(make):
    from onnx import numpy_helper

    make([], {"value": numpy_helper.from_array(odd(np.float32))}, text="odd")
    if make.opset >= 12:
        make([], {"value_float": -0.0}, text="float")
        make([], {"value_ints": [1, -2, 3]}, text="ints")
        make([], {"value_floats": [1.5, float("nan")]}, text="floats")
        make([], {"value_int": 3}, text="int")


@row("CenterCropPad")
def center(make):
    for target in ((3, 9), (9, 3), (4, 5), (5, 4), (1, 12)):
        make([make.x(4, 5), i64(*target)], constants=(1,))
        make([make.x(2, 4, 3, 5), i64(*target)], {"axes": [1, -1]}, constants=(1,), text="axes")


@row("TensorScatter")
def tensor_scatter(make):
    make([make.x(2, 3, 4, 5), make.x(2, 3, 2, 5), i64(1, 2)])
    make([make.x(2, 3, 4, 5), make.x(2, 3, 3, 5), i64(3, 2)], {"mode": "circular"})
    make([make.x(2, 4, 5), make.x(2, 2, 5), i64(0, 2)], {"axis": 1})
    make([make.x(2, 4, 5), make.x(2, 2, 5)], {"axis": -2}, text="default")


@row("AffineGrid")
def affine_grid(make):
    for align in (0, 1):
        make([make.x(2, 2, 3), i64(2, 3, 4, 5)], {"align_corners": align}, constants=(1,))
        make([make.x(2, 3, 4), i64(2, 3, 2, 4, 5)], {"align_corners": align}, constants=(1,), text="3d")
