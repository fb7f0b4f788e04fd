#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the model, classifies images and prints the digit of each.

  classify.py digits.onnx image.pgm...
"""

# begin snippet
import convoy
import numpy


def classify(model, image):
    """Returns the most likely digit of an image with numbers from 0 to 1."""
    scores = model.run({"image": image.reshape(1, 1, 8, 8)})["scores"]
    return int(scores.argmax())
# end snippet


def read_image(path):
    """Reads a gray image of 8 x 8 pixels into numbers from 0 to 1."""
    with open(path, "rb") as file:
        pixels = file.read()[-64:]
    return numpy.frombuffer(pixels, numpy.uint8).astype(numpy.float32) / numpy.float32(255)


def main():
    import sys
    if len(sys.argv) < 3:
        sys.exit("usage: classify.py digits.onnx image.pgm...")
    model = convoy.compile(sys.argv[1])
    for path in sys.argv[2:]:
        print(f"{path}: {classify(model, read_image(path))}")


if __name__ == "__main__":
    main()
