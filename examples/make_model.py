#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes stripes.onnx, a tiny CNN that classifies horizontal and vertical stripes, and
images to test it. The weights are set by hand: edges in y indicate horizontal stripes,
edges in x indicate vertical stripes.

  make_model.py FOLDER
"""

import pathlib
import struct
import sys
import zlib

try:
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError as error:
    sys.exit(f"make_model.py: {sys.executable} has no module '{error.name}'; run /usr/bin/python3, which has Debian's packages "
             f"python3-numpy and python3-onnx, or install them: {sys.executable} -m pip install numpy onnx")

SIZE = 16
LABELS = ["horizontal", "vertical"]


def make_model():
    edge = np.array([[-1, -2, -1], [0, 0, 0], [1, 2, 1]], np.float32) / 4
    weights = {
        # Both signs of both directions, because Relu removes negative values.
        "edges": np.stack([edge, -edge, edge.T, -edge.T])[:, None],
        "scale": np.array([2, 2, 2, 2], np.float32),
        "shift": np.zeros(4, np.float32),
        "mean": np.zeros(4, np.float32),
        "variance": np.ones(4, np.float32),
        "votes": np.array([[2, 2, -2, -2], [-2, -2, 2, 2]], np.float32),
        "bias": np.zeros(2, np.float32),
    }
    nodes = [
        helper.make_node("Conv", ["image", "edges"], ["edge_maps"], "conv", pads=[1, 1, 1, 1]),
        helper.make_node("BatchNormalization", ["edge_maps", "scale", "shift", "mean", "variance"],
                         ["scaled"], "norm"),
        helper.make_node("Relu", ["scaled"], ["positive"], "relu"),
        helper.make_node("GlobalAveragePool", ["positive"], ["averages"], "pool"),
        helper.make_node("Flatten", ["averages"], ["features"], "flatten"),
        helper.make_node("Gemm", ["features", "votes", "bias"], ["logits"], "classify", transB=1),
        helper.make_node("Softmax", ["logits"], ["scores"], "softmax", axis=1),
    ]
    graph = helper.make_graph(
        nodes, "stripes",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 1, SIZE, SIZE])],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, len(LABELS)])],
        [numpy_helper.from_array(value, name) for name, value in weights.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model


def make_image(label):
    """Returns an image with stripes that are two pixels wide."""
    stripes = (np.arange(SIZE) // 2 % 2 * 200 + 20).astype(np.uint8)
    image = np.tile(stripes, (SIZE, 1))
    return image.T if label == "horizontal" else image


def png_bytes(image):
    """Encodes a gray or RGB image as PNG without an image library."""
    def chunk(kind, data):
        checksum = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)

    height, width = image.shape[:2]
    color_type = 0 if image.ndim == 2 else 2
    rows = b"".join(b"\0" + row.tobytes() for row in image)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, color_type, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def pgm_bytes(image):
    height, width = image.shape
    return b"P5\n%d %d\n255\n" % (width, height) + image.tobytes()


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: make_model.py FOLDER")
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(make_model(), str(folder / "stripes.onnx"))
    (folder / "labels.txt").write_text("\n".join(LABELS) + "\n")
    for label in LABELS:
        image = make_image(label)
        (folder / f"{label}.png").write_bytes(png_bytes(image))
        (folder / f"{label}.pgm").write_bytes(pgm_bytes(image))


if __name__ == "__main__":
    main()
