#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program for ONNX Runtime that runs on Convoy: only the import differs.

  onnxruntime_program.py MODEL PICTURE [LABELS]

Needs Pillow (Debian: python3-pil).
"""

import sys

import convoy as onnxruntime  # was: import onnxruntime
import numpy as np
from PIL import Image


def preprocess(path, shape, mean, deviation):
    """Returns a picture as a batch of one, planes of channels, normalized."""
    _, channels, height, width = shape
    picture = Image.open(path).convert("RGB" if channels == 3 else "L").resize((width, height), Image.BILINEAR)
    pixels = np.asarray(picture, dtype=np.float32).reshape(height, width, channels) / 255
    pixels = (pixels - np.array(mean, np.float32)) / np.array(deviation, np.float32)
    return np.ascontiguousarray(pixels.transpose(2, 0, 1)[np.newaxis])


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def main():
    model, picture, *labels = sys.argv[1:]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    session = onnxruntime.InferenceSession(model, sess_options=options, providers=["CPUExecutionProvider"])

    first = session.get_inputs()[0]
    print(f"input {first.name}: {first.type} {first.shape}")
    is_color = first.shape[1] == 3
    data = preprocess(picture, first.shape, *(([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]) if is_color else ([0], [1])))

    output_name = session.get_outputs()[0].name
    scores = session.run([output_name], {first.name: data})[0].ravel()
    # A model ends with probabilities, or with logits.
    probabilities = scores if abs(scores.sum() - 1) < 1e-3 and scores.min() >= 0 else softmax(scores)

    names = open(labels[0], encoding="utf-8").read().splitlines() if labels else [str(i) for i in range(scores.size)]
    for index in np.argsort(probabilities)[::-1][:3]:
        print(f"{probabilities[index]:.3f} {names[index]}")


if __name__ == "__main__":
    main()
