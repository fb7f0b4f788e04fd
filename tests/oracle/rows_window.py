# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of convolutions, pooling and sampling: strides, dilations, pads, groups and modes of interpolation."""

import itertools

import numpy as np
from op_rows import f32, i64, row

# Odd values that reach only some windows.
RARE = 0.03
# (spatial sizes, kernel, further attributes)
WINDOWS = (
    ((7, 8), (3, 3), {}),
    ((7, 8), (3, 2), {"strides": [2, 3], "pads": [1, 0, 2, 1]}),
    ((7, 8), (2, 2), {"auto_pad": "SAME_UPPER", "strides": [2, 2]}),
    ((7, 8), (3, 4), {"auto_pad": "SAME_LOWER", "strides": [2, 3]}),
    ((7, 8), (3, 2), {"auto_pad": "VALID", "strides": [1, 2]}),
    ((9,), (4,), {"strides": [3], "pads": [2, 1]}),
    ((4, 5, 3), (2, 3, 2), {"pads": [0, 1, 1, 1, 0, 0]}),
    ((3, 3), (3, 3), {"pads": [2, 2, 2, 2]}),
    ((1, 1), (1, 1), {"strides": [2, 2]}),
)


def windows(channels=4):
    for sizes, kernel, attributes in WINDOWS:
        yield (2, channels, *sizes), kernel, dict(attributes)


@row("Conv")
def conv(make):
    for shape, kernel, attributes in windows():
        make([make.x(*shape), make.x(6, 4, *kernel), make.x(6)], attributes)
    make([make.x(1, 4, 9, 9), make.x(6, 2, 3, 3)], {"group": 2, "dilations": [2, 3]}, text="group", constants=(1,))
    make([make.x(1, 4, 9, 9), make.x(8, 1, 3, 3), make.x(8)], {"group": 4, "kernel_shape": [3, 3]}, text="depthwise", constants=(1, 2))
    make([make.x(1, 16, 8, 8), make.x(16, 16, 3, 3)], {"pads": [1, 1, 1, 1]}, text="winograd", constants=(1,))
    make.odd([make.strange(1, 4, 12, 12, share=RARE), make.x(6, 4, 3, 3)], {"pads": [1, 1, 1, 1]})
    make.odd([make.x(1, 4, 12, 12), make.strange(24, 4, 3, 3, share=RARE)], {"pads": [1, 1, 1, 1]}, text="odd_weights", constants=(1,))
    if make.is_newest:
        make([make.x(0, 4, 5, 5), make.x(6, 4, 3, 3)], text="empty")
        for dtype in (np.float16, np.float64):
            make([make.x(1, 4, 6, 6, dtype=dtype), make.x(6, 4, 3, 3, dtype=dtype)], text=np.dtype(dtype).name)


@row("ConvTranspose")
def conv_transpose(make):
    for shape, kernel, attributes in windows():
        make([make.x(*shape), make.x(4, 6, *kernel), make.x(6)], attributes)
    make([make.x(1, 4, 5, 5), make.x(4, 3, 3, 3)], {"group": 2, "strides": [2, 2], "output_padding": [1, 1]}, text="group")
    make([make.x(1, 4, 5, 5), make.x(4, 3, 3, 3)], {"dilations": [2, 2], "strides": [2, 3]}, text="dilated")
    make([make.x(1, 4, 5, 5), make.x(4, 3, 3, 3)], {"strides": [2, 2], "output_shape": [10, 11]}, text="output_shape")
    make([make.x(1, 4, 5, 5), make.x(4, 3, 3, 3)], {"strides": [2, 2], "output_shape": [10, 11], "auto_pad": "SAME_UPPER"}, text="upper")
    make([make.x(1, 4, 5, 5), make.x(4, 3, 3, 3)], {"strides": [2, 2], "output_shape": [10, 11], "auto_pad": "SAME_LOWER"}, text="lower")
    make.odd([make.strange(1, 4, 9, 9, share=RARE), make.x(4, 6, 3, 3)])


@row("MaxPool", "AveragePool", "LpPool")
def pool(make):
    since = {"MaxPool": 10, "AveragePool": 10, "LpPool": 18}[make.op]
    counts = ({}, {"count_include_pad": 1}) if make.op == "AveragePool" and make.opset >= 7 else ({},)
    if make.op == "LpPool":
        counts = ({}, {"p": 1}) if make.opset >= 2 else ({},)
    for (shape, kernel, attributes), count in itertools.product(windows(), counts):
        if any(p >= k for p, k in zip(attributes.get("pads", ()), kernel * 2)):
            continue
        make([make.x(*shape)], {"kernel_shape": kernel, **attributes, **count})
        if make.opset >= since and "pads" in attributes:
            make([make.x(*shape)], {"kernel_shape": kernel, **attributes, **count, "ceil_mode": 1}, text="ceil")
    for count in counts:
        make.odd([make.strange(2, 3, 9, 9, share=0.1)], {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], **count})
        if make.opset >= since:
            make([make.x(1, 2, 6, 7)], {"kernel_shape": [3, 3], "strides": [3, 2], "ceil_mode": 1, **count}, text="ceil")
            make([make.x(1, 2, 6, 7)], {"kernel_shape": [2, 3], "strides": [3, 4], "pads": [1, 1, 1, 1], "ceil_mode": 1, **count}, text="ceil")
    if make.opset >= {"MaxPool": 10, "AveragePool": 19, "LpPool": 18}[make.op]:
        for count in counts:
            make([make.x(1, 2, 9, 9)], {"kernel_shape": [3, 2], "dilations": [2, 3], "pads": [1, 0, 1, 1], **count}, text="dilated")
    if make.op == "MaxPool":
        max_pool(make)


def max_pool(make):
    make.odd([make.strange(1, 2, 9, 9, share=0.5, values=[np.nan, -np.inf])], {"kernel_shape": [2, 2]}, text="nan")
    make.odd([np.full((1, 1, 4, 4), -np.inf, np.float32)], {"kernel_shape": [2, 2], "pads": [1, 1, 1, 1]}, text="minus_infinity")
    if make.opset >= 8:
        for order in (0, 1):
            make([make.ints(-3, 3, 2, 3, 6, 7).astype(np.float32)],
                 {"kernel_shape": [3, 2], "strides": [2, 2], "storage_order": order, "pads": [1, 0, 1, 1]}, text="indices", outputs=2)
    if make.opset >= 12:
        for dtype in (np.int8, np.uint8):
            make([make.ints(0, 100, 1, 3, 5, 5).astype(dtype)], {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}, text=np.dtype(dtype).name)


@row("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
def global_pool(make):
    for shape in ((2, 3, 4, 5), (2, 3, 7), (1, 2, 3, 2, 2)):
        make([make.x(*shape)])
    if make.op == "GlobalLpPool" and make.opset >= 2:
        make([make.x(2, 3, 4, 5)], {"p": 1})
    make.odd([make.strange(4, 6, 3, 3, share=RARE)])


@row("MaxUnpool")
def max_unpool(make):
    x = make.x(1, 1, 2, 2)
    make([x, i64(5, 7, 13, 15).reshape(1, 1, 2, 2)], {"kernel_shape": [2, 2], "strides": [2, 2]})
    make([x, i64(5, 7, 13, 15).reshape(1, 1, 2, 2), i64(1, 1, 5, 5)], {"kernel_shape": [2, 2], "strides": [2, 2]}, constants=(2,))


@row("Col2Im")
def col_to_im(make):
    make([make.x(2, 12, 20), i64(5, 6), i64(2, 3)], constants=(1, 2), text="plain")
    make([make.x(1, 8, 9), i64(5, 5), i64(2, 2)], {"strides": [2, 2], "pads": [1, 0, 0, 1]}, constants=(1, 2))
    make([make.x(1, 8, 9), i64(5, 5), i64(2, 2)], {"dilations": [2, 2]}, constants=(1, 2))


@row("Resize")
def resize(make):
    if make.opset < 11:
        for mode in ("nearest", "linear"):
            for scales in ((1, 1, 2, 3), (1, 1, 0.5, 0.6), (1, 1, 1.7, 0.8)):
                make([make.x(1, 2, 4, 5), f32(*scales)], {"mode": mode}, constants=(1,), text=mode)
        return
    transforms = ["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"]
    transforms += ["half_pixel_symmetric"] if make.opset >= 19 else []
    targets = ([1, 1, 2, 3], None), ([1, 1, 0.5, 0.6], None), ([1, 1, 1.7, 0.8], None), (None, [1, 2, 3, 7]), (None, [1, 2, 1, 5])
    for transform, (scales, sizes) in itertools.product(transforms, targets):
        for options in ({"mode": "linear"}, {"mode": "cubic"}, *({"mode": "nearest", "nearest_mode": mode} for mode in
                        ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"))):  # fmt: skip
            resize_case(make, scales, sizes, {"coordinate_transformation_mode": transform, **options})
    for options in ({"cubic_coeff_a": -0.5}, {"exclude_outside": 1}):
        resize_case(make, [1, 1, 1.7, 0.8], None, {"mode": "cubic", **options})
    if make.opset >= 18:
        for mode in ("linear", "cubic"):
            resize_case(make, [1, 1, 0.5, 0.6], None, {"mode": mode, "antialias": 1})
        for policy in ("not_larger", "not_smaller"):
            make([make.x(1, 2, 4, 5), None, None, i64(7, 8)], {"axes": [2, 3], "keep_aspect_ratio_policy": policy}, constants=(3,), text=policy)
    roi = f32(0, 0, 0.2, 0.3, 1, 1, 0.8, 1.2)
    make([make.x(1, 2, 4, 5), roi, f32(1, 1, 2, 1.5)], {"mode": "linear", "coordinate_transformation_mode": "tf_crop_and_resize",
         "extrapolation_value": 7.0}, constants=(1, 2), text="crop")  # fmt: skip


def resize_case(make, scales, sizes, attributes):
    text = "_".join(str(value) for key, value in attributes.items())
    roi = np.zeros(0, np.float32) if make.opset < 13 else None
    empty = np.zeros(0, np.float32) if make.opset < 13 else None
    values = [make.x(1, 2, 4, 5), roi, f32(*scales) if scales else empty, *([i64(*sizes)] if sizes else [])]
    make(values, attributes, constants=tuple(k for k in range(1, len(values)) if values[k] is not None), text=text)


@row("Upsample")
def upsample(make):
    for mode in ("nearest", "linear"):
        for scales in ((1, 1, 2, 3), (1, 1, 1.5, 2)):
            if make.opset >= 9:
                make([make.x(1, 2, 4, 5), f32(*scales)], {"mode": mode}, constants=(1,), text=mode)
            elif make.opset >= 7:
                make([make.x(1, 2, 4, 5)], {"mode": mode, "scales": [float(scale) for scale in scales]}, text=mode)
            else:
                make([make.x(1, 2, 4, 5)], {"mode": mode if mode == "nearest" else "bilinear", "height_scale": float(scales[2]),
                                            "width_scale": float(scales[3])}, text=mode)  # fmt: skip


@row("GridSample")
def grid_sample(make):
    modes = ("bilinear", "nearest", "bicubic") if make.opset < 20 else ("linear", "nearest", "cubic")
    for mode, padding, align in itertools.product(modes, ("zeros", "border", "reflection"), (0, 1)):
        attributes = {"mode": mode, "padding_mode": padding, "align_corners": align}
        make([make.x(2, 3, 4, 5), make.x(2, 3, 4, 2, scale=1.4)], attributes, text=f"{mode}_{padding}")
    if make.opset >= 20:
        make([make.x(1, 2, 3, 4, 5), make.x(1, 2, 3, 4, 3, scale=1.2)], text="3d")


@row("RoiAlign")
def roi_align(make):
    rois = f32(0, 0, 4, 4, 1, 2, 6, 5, 3, 3, 3.2, 3.4, -1, -2, 9, 9).reshape(4, 4)
    batch = i64(0, 1, 1, 0)
    modes = ({}, {"coordinate_transformation_mode": "output_half_pixel"}) if make.opset >= 16 else ({},)
    for mode, extra in itertools.product(({}, {"mode": "max"}), modes):
        make([make.x(2, 3, 7, 8), rois, batch], {"output_height": 3, "output_width": 2, "sampling_ratio": 2, **mode, **extra})
        make([make.x(2, 3, 7, 8), rois, batch], {"output_height": 2, "output_width": 2, "spatial_scale": 0.5, **mode, **extra})


@row("MaxRoiPool")
def max_roi_pool(make):
    rois = f32(0, 0, 0, 4, 4, 1, 1, 2, 6, 5, 0, 3, 3, 3, 3).reshape(3, 5)
    make([make.x(2, 3, 7, 8), rois], {"pooled_shape": [2, 2]})
    make([make.x(2, 3, 7, 8), rois], {"pooled_shape": [3, 2], "spatial_scale": 0.6})


@row("DeformConv")
def deform_conv(make):
    make([make.x(1, 4, 6, 6), make.x(6, 4, 3, 3), make.x(1, 18, 4, 4)])
    make([make.x(1, 4, 6, 6), make.x(6, 2, 3, 3), make.x(1, 36, 6, 6), make.x(6), make.x(1, 18, 6, 6)],
         {"group": 2, "offset_group": 2, "pads": [1, 1, 1, 1]})  # fmt: skip
