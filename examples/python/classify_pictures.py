#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Classifies pictures with an ONNX model, several at the same time.

  classify_pictures.py MODEL PICTURE... [--labels FILE] [--imagenet] [--bgr] [--save FOLDER]

Shows: convoy.compile, the description of inputs, many threads on one model, and Model.save, whose
library the package convoy_runtime runs without a compiler. Needs Pillow (Debian: python3-pil).
"""

import argparse
import concurrent.futures
import pathlib

import convoy
import numpy
from PIL import Image

# Mean and standard deviation of ImageNet's channels, for pixels between 0 and 1.
MEAN, DEVIATION = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


def size_of(tensor):
    """Returns height, width, channels and whether the channels come last, from the shape of the input."""
    _, a, b, c = tensor.shape
    return (a, b, c, True) if c in (1, 3) else (b, c, a, False)


def read_picture(path, tensor, args):
    """Returns a picture as the input of the model: cropped to the center, resized, scaled."""
    height, width, channels, is_last = size_of(tensor)
    picture = Image.open(path).convert("RGB" if channels == 3 else "L")
    if picture.size != (width, height):
        scale = max(width / picture.width, height / picture.height) / 0.875
        picture = picture.resize((round(picture.width * scale), round(picture.height * scale)), Image.BILINEAR)
        left, top = (picture.width - width) // 2, (picture.height - height) // 2
        picture = picture.crop((left, top, left + width, top + height))
    pixels = numpy.asarray(picture).reshape(height, width, channels)
    if args.bgr:
        pixels = pixels[..., ::-1]
    if tensor.dtype.kind == "f":
        pixels = pixels.astype(tensor.dtype) / numpy.float32(255)
        if args.imagenet:
            pixels = ((pixels - MEAN) / DEVIATION).astype(tensor.dtype)
    # A view without a copy; Model.run copies it only if the memory is not contiguous.
    return (pixels if is_last else pixels.transpose(2, 0, 1))[None]


# begin snippet
def classify(model, picture):
    """Returns the index and the score of the most likely class. Many threads may call it at once."""
    scores = model.run({model.inputs[0].name: picture})[model.outputs[0].name].ravel()
    return int(scores.argmax()), float(scores.max())
# end snippet


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("pictures", nargs="+")
    parser.add_argument("--labels", help="file with one name per class")
    parser.add_argument("--imagenet", action="store_true", help="subtract ImageNet's mean and divide by its deviation")
    parser.add_argument("--bgr", action="store_true", help="give blue before red")
    parser.add_argument("--save", help="also write the compiled library to this folder and run it")
    args = parser.parse_args()
    labels = pathlib.Path(args.labels).read_text(encoding="utf-8").splitlines() if args.labels else None

    model = convoy.compile(args.model, threads=1)
    if args.save:
        model = convoy.load(model.save(args.save))
    pictures = [read_picture(path, model.inputs[0], args) for path in args.pictures]
    # Convoy releases the interpreter lock while a model runs, so the threads run at the same time.
    with concurrent.futures.ThreadPoolExecutor() as pool:
        answers = list(pool.map(lambda picture: classify(model, picture), pictures))
    for path, (index, score) in zip(args.pictures, answers):
        print(f"{path}: {labels[index] if labels else index} ({score:.3f})")


if __name__ == "__main__":
    main()
