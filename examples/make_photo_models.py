#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the models and pictures of docs/tutorial-large-models.md: the network of make_model.py for
color photographs, in three forms, pictures of 320 x 240 pixels, and golden data.

  make_photo_models.py FOLDER

  photo.onnx        float input 1x3x224x224, normalized pixels
  photo_uint8.onnx  uint8 input 1x224x224x3, pixels as they are
  photo_open.onnx   float input 1x3xHxW with open height and width
"""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import make_model

SIZE = 224
EDGE = np.array([[-1, -2, -1], [0, 0, 0], [1, 2, 1]], np.float32) / 4
# Each filter reads the sum of the three channels.
FILTERS = np.repeat(np.stack([EDGE, -EDGE, EDGE.T, -EDGE.T])[:, None], 3, axis=1)
VOTES = np.array([[2, 2, -2, -2], [-2, -2, 2, 2]], np.float32)


def network(name, image_type, shape, pixels="image", first_nodes=(), first_weights=None):
    """Builds the network; `first_nodes` compute the tensor `pixels` from the input 'image'."""
    nodes = [
        *first_nodes,
        helper.make_node("Conv", [pixels, "filters"], ["edges"], "conv", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["edges"], ["positive"], "relu"),
        helper.make_node("GlobalAveragePool", ["positive"], ["averages"], "pool"),
        helper.make_node("Flatten", ["averages"], ["features"], "flatten"),
        helper.make_node("Gemm", ["features", "votes"], ["logits"], "classify", transB=1),
    ]
    weights = {"filters": FILTERS, "votes": VOTES, **(first_weights or {})}
    graph = helper.make_graph(nodes, name, [helper.make_tensor_value_info("image", image_type, shape)],
                              [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, 2])],
                              [numpy_helper.from_array(value, key) for key, value in weights.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], producer_name="convoy-examples")
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model


def float_model(name, shape):
    return network(name, TensorProto.FLOAT, shape)


def uint8_model(name):
    nodes = [helper.make_node("DequantizeLinear", ["image", "scale", "zero"], ["channels_last"], "dequantize"),
             helper.make_node("Transpose", ["channels_last"], ["pixels"], "transpose", perm=[0, 3, 1, 2])]
    weights = {"scale": np.array(1 / 255, np.float32), "zero": np.array(0, np.uint8)}
    return network(name, TensorProto.UINT8, [1, SIZE, SIZE, 3], "pixels", nodes, weights)


def picture(label):
    """Returns stripes of 8 pixels in two colors, 240 x 320 x 3."""
    colors = np.array([[200, 90, 40], [60, 50, 45]], np.uint8)
    across = np.arange(240)[:, None] if label == "horizontal" else np.arange(320)[None, :]
    return colors[np.broadcast_to(across // 8 % 2, (240, 320))]


def golden(folder, seed):
    """Writes random pixels as input_0.pb and the result of numpy as output_0.pb."""
    image = np.random.default_rng(seed).standard_normal((1, 3, SIZE, SIZE)).astype(np.float32)
    padded = np.pad(image[0].astype(np.float64).sum(axis=0), 1)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3))
    edges = np.einsum("hwij,cij->chw", windows, FILTERS[:, 0].astype(np.float64))
    logits = VOTES @ np.maximum(edges, 0).mean(axis=(1, 2))
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in (("input_0", image), ("output_0", logits[None].astype(np.float32))):
        (folder / f"{name}.pb").write_bytes(numpy_helper.from_array(value).SerializeToString())


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: make_photo_models.py FOLDER")
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(float_model("photo", [1, 3, SIZE, SIZE]), str(folder / "photo.onnx"))
    onnx.save(float_model("photo_open", [1, 3, "H", "W"]), str(folder / "photo_open.onnx"))
    onnx.save(uint8_model("photo_uint8"), str(folder / "photo_uint8.onnx"))
    (folder / "labels.txt").write_text("\n".join(make_model.LABELS) + "\n")
    for label in make_model.LABELS:
        (folder / f"{label}.png").write_bytes(make_model.png_bytes(picture(label)))
    for seed in (1, 2):
        golden(folder / "golden" / f"random_{seed}", seed)


if __name__ == "__main__":
    main()
