# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kinds of networks that detect objects or label each pixel. make_kinds.py writes them."""

import numpy as np

from zoo.image_classifiers import MOBILENET_V1
from zoo.net import kind


def yolo_conv(net, x, channels, kernel=1, stride=1):
    return net.conv_norm(x, channels, kernel, stride, activate=net.silu)


def c2f(net, x, channels, blocks, adds=True):
    """Adds the block of YOLOv8: a split, a chain of convolutions, and the concatenation of all results."""
    half = channels // 2
    parts = net.split(yolo_conv(net, x, channels), 1, half, half)
    for _ in range(blocks):
        y = yolo_conv(net, yolo_conv(net, parts[-1], half, 3), half, 3)
        parts.append(parts[-1] + y if adds else y)
    return yolo_conv(net, net.join(1, *parts), channels)


def yolo_levels(net, size):
    """Adds the backbone and the neck of YOLOv8n. Returns the three levels, largest image first."""
    def down(y, channels):
        return yolo_conv(net, y, channels, 3, 2)

    x = c2f(net, down(down(net.image(size), 16), 32), 32, 1)
    large = c2f(net, down(x, 64), 64, 2)
    middle = c2f(net, down(large, 128), 128, 2)
    pools = [yolo_conv(net, c2f(net, down(middle, 256), 256, 1), 128)]
    for _ in range(3):
        pools.append(net.pool(pools[-1], 5, 1, 2))
    small = yolo_conv(net, net.join(1, *pools), 256)
    middle = c2f(net, net.join(1, net.double(small), middle), 128, 1, False)
    large = c2f(net, net.join(1, net.double(middle), large), 64, 1, False)
    middle = c2f(net, net.join(1, down(large, 64), middle), 128, 1, False)
    small = c2f(net, net.join(1, down(middle, 128), small), 256, 1, False)
    return large, middle, small


def yolo(net, size):
    """Adds YOLOv8n. Returns boxes as center and size (1, 4, anchors) and scores (1, 80, anchors)."""
    rows, anchors, strides = [], [], []
    for level in yolo_levels(net, size):
        # The gain lets the boxes depend on the image, so that a comparison finds a wrong layer.
        boxes = net.conv(yolo_conv(net, yolo_conv(net, level, 64, 3), 64, 3), 64, 1, gain=1000)
        classes = net.conv(yolo_conv(net, yolo_conv(net, level, 80, 3), 80, 3), 80, 1)
        rows.append(net.join(1, boxes, classes).reshape(1, 144, -1))
        side = level.shape[2]
        anchors.append(np.stack(np.meshgrid(*[np.arange(side) + 0.5] * 2)).reshape(2, -1))
        strides.append(np.full(side * side, size // side))
    anchors, strides = (np.concatenate(item, -1).astype(np.float32)[None] for item in (anchors, strides))
    boxes, classes = net.split(net.join(2, *rows), 1, 64, 80)
    boxes = net.softmax(boxes.reshape(1, 4, 16, -1).transpose(0, 2, 1, 3), 1)
    bins = np.arange(16, dtype=np.float32).reshape(1, 16, 1, 1)
    boxes = net.Conv(boxes, bins, kernel_shape=[1, 1]).reshape(1, 4, -1)
    low = anchors - net.slice(boxes, 1, 0, 2)
    high = net.slice(boxes, 1, 2, 4) + anchors
    return net.join(1, (low + high) / 2.0, high - low) * strides, classes


@kind("YOLO")
def yolov8n(net):
    """YOLOv8n with the whole head, 640 x 640, without suppression"""
    boxes, classes = yolo(net, 640)
    return net.join(1, boxes, net.sigmoid(classes))


@kind("YOLO")
def yolov8n_nms(net):
    """YOLOv8n on 320 x 320 with NonMaxSuppression as the last node"""
    boxes, classes = yolo(net, 320)
    scores = net.sigmoid(classes * 200.0 - 10.0)  # a few hundred candidates
    limits = np.array([100]), np.float32(0.5), np.float32(0.25)
    chosen = net.NonMaxSuppression(boxes.transpose(0, 2, 1), scores, *limits, center_point_box=1,
                                   types=[(["detections", 3], np.int64)])
    return boxes, chosen


@kind("SSD")
def ssd_mobilenet(net):
    """SSD300 on MobileNetV1: six heads, NHWC reshapes, decoded boxes, 21 classes"""
    x = net.conv_norm(net.image(300), 32, 3, 2, activate=net.relu6)
    levels = []
    for channels, stride in MOBILENET_V1:
        if channels == 1024 and stride == 2:
            levels.append(x)
        x = net.separable(x, channels, stride)
    levels.append(x)
    for channels in (512, 256, 256, 128):
        x = net.conv_norm(x, channels // 2, 1, activate=net.relu6)
        x = net.conv_norm(x, channels, 3, 2, activate=net.relu6)
        levels.append(x)
    boxes = net.join(1, *[net.conv(y, 24, 3, gain=40).nhwc().reshape(1, -1, 4) for y in levels])
    classes = net.join(1, *[net.conv(y, 126, 3).nhwc().reshape(1, -1, 21) for y in levels])
    centers, sizes = net.weight(1, boxes.shape[1], 2, mean=0.5), net.weight(1, boxes.shape[1], 2, mean=0.2)
    center = net.slice(boxes, 2, 0, 2) * 0.1 * sizes + centers
    size = net.Exp(net.slice(boxes, 2, 2, 4) * 0.2) * sizes
    return net.join(2, center - size / 2.0, center + size / 2.0), net.softmax(classes, -1)


@kind("RetinaNet")
def retina_topk(net):
    """Heads of RetinaNet on 32 x 32 x 256, then the 300 best anchors by TopK and GatherElements"""
    boxes = classes = net.add_input(1, 256, 32, 32)
    for _ in range(2):
        boxes, classes = (net.relu(net.conv(y, 256, 3)) for y in (boxes, classes))
    boxes = net.conv(boxes, 36, 3).reshape(1, 9, 4, 32, 32).transpose(0, 3, 4, 1, 2).reshape(1, -1, 4)
    scores = net.conv(classes, 180, 3).reshape(1, 9, 20, 32, 32).transpose(0, 3, 4, 1, 2).reshape(1, -1, 20)
    best = net.ReduceMax(net.sigmoid(scores), axes=[2], keepdims=0)
    values, rows = net.TopK(best, [300], outputs=2, axis=1, largest=1, sorted=1)
    return values, net.GatherElements(boxes, net.Expand(net.Unsqueeze(rows, [2]), [1, 300, 4]), axis=1)


# Expansion factor, channels, blocks, stride of the first block.
DEEPLAB_BACKBONE = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1)]


@kind("DeepLabV3")
def deeplabv3(net):
    """DeepLabV3 on MobileNetV2, 256 x 256: dilations 2, 12, 24 and 36, Resize linear"""
    x = net.conv_norm(net.image(256), 32, 3, 2, activate=net.relu6)
    for expand, channels, blocks, stride in DEEPLAB_BACKBONE:
        for block in range(blocks):
            x = net.inverted(x, channels, 1 if block else stride, expand)
    for channels in (160, 160, 160, 320):
        x = net.inverted(x, channels, dilation=2)
    parts = [net.conv_norm(x, 256, 1, activate=net.relu)]
    parts += [net.conv_norm(x, 256, 3, dilation=rate, activate=net.relu) for rate in (12, 24, 36)]
    mean = net.conv_norm(net.global_pool(x), 256, 1, activate=net.relu)
    parts.append(net.resize(mean, x.shape[2], "linear"))
    x = net.conv_norm(net.join(1, *parts), 256, 1, activate=net.relu)
    x = net.conv(net.conv_norm(x, 256, 3, activate=net.relu), 21, 1)
    return net.resize(x, 256, "linear")


def brought_to(net, y, target, steps):
    """Returns y with the shape of `target`: `steps` strided convolutions, or a Resize if steps < 0."""
    for step in range(steps):
        is_last = step == steps - 1
        y = net.conv_norm(y, target.shape[1] if is_last else y.shape[1], 3, 2, activate=None if is_last else net.relu)
    if steps < 0:
        y = net.resize(net.conv_norm(y, target.shape[1], 1), target.shape[2:], "nearest")
    return y


def exchanged(net, branches):
    """Adds to each branch of HRNet all other branches."""
    results = []
    for into, target in enumerate(branches):
        total = target
        for source, y in enumerate(branches):
            if source != into:
                total = total + brought_to(net, y, target, into - source)
        results.append(net.relu(total))
    return results


@kind("HRNet")
def hrnet_w18(net):
    """HRNet-W18, small: parallel branches, sums after strided convolutions and Resize nearest"""
    x = net.conv_norm(net.image((256, 192)), 64, 3, 2, activate=net.relu)
    branches = [net.conv_norm(x, 64, 3, 2, activate=net.relu)]
    for widths in ([18, 36], [18, 36, 72], [18, 36, 72]):
        branches = [y if y.shape[1] == width else net.conv_norm(y, width, 3, activate=net.relu)
                    for y, width in zip(branches, widths)]
        if len(branches) < len(widths):
            branches.append(net.conv_norm(branches[-1], widths[-1], 3, 2, activate=net.relu))
        branches = [net.basic_block(net.basic_block(y, y.shape[1]), y.shape[1]) for y in branches]
        branches = exchanged(net, branches)
    size = branches[0].shape[2:]
    x = net.join(1, branches[0], *[net.resize(y, size, "linear") for y in branches[1:]])
    return net.conv(net.conv_norm(x, 126, 1, activate=net.relu), 17, 1)
