#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains a small CNN on handwritten digits and writes what the tutorial uses.

The network is written in plain numpy: two 3x3 convolutions with Relu and 2x2 max
pooling, one dense layer. A fixed seed makes two runs on one machine equal.

  train.py FOLDER

FOLDER receives digits.onnx, labels.txt, heldout.csv (the images that training
never sees: 64 pixels from 0 to 16 and the label in each line), heldout.npy and
heldout_labels.npy (the same as tensors), one test image of each digit (0.png,
0.pgm, ...) and calibration/ (images from the training part).
"""

import gzip
import pathlib
import struct
import sys
import time
import zlib

try:
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError as error:
    sys.exit(f"train.py: {sys.executable} has no module '{error.name}'; run /usr/bin/python3, which has Debian's packages "
             f"python3-numpy and python3-onnx, or install them: {sys.executable} -m pip install numpy onnx")

SEED = 1
HELD_OUT = 500
CALIBRATION = 100
EPOCHS = 24
BATCH = 16
LABELS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


def load():
    """Images as float32 N x 1 x 8 x 8 from 0 to 1, and labels. A pixel counts the
    set dots of a 4x4 block, so it is 0 to 16 in the file."""
    with gzip.open(pathlib.Path(__file__).with_name("digits.csv.gz"), "rt") as file:
        table = np.loadtxt(file, delimiter=",", dtype=np.int64)
    return (table[:, :64] / 16).astype(np.float32).reshape(-1, 1, 8, 8), table[:, 64]


# Layers: forward() keeps what backward() needs; backward() takes the gradient of
# the output, stores the gradients of the weights and returns that of the input.

class Conv:
    """3x3 convolution with padding 1, as a matrix product over patches."""

    def __init__(self, random, inputs, outputs):
        scale = np.sqrt(2 / (9 * inputs))
        self.weights = [random.normal(0, scale, (outputs, inputs, 3, 3)).astype(np.float32),
                        np.zeros(outputs, np.float32)]

    def forward(self, x):
        self.shape = x.shape
        padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
        patches = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
        n, c, h, w = x.shape
        self.patches = np.ascontiguousarray(patches.transpose(0, 2, 3, 1, 4, 5)).reshape(n * h * w, c * 9)
        kernel, bias = self.weights
        y = self.patches @ kernel.reshape(len(kernel), -1).T + bias
        return y.reshape(n, h, w, -1).transpose(0, 3, 1, 2)

    def backward(self, dy):
        n, c, h, w = self.shape
        kernel, _ = self.weights
        rows = np.ascontiguousarray(dy.transpose(0, 2, 3, 1)).reshape(n * h * w, -1)
        self.gradients = [(rows.T @ self.patches).reshape(kernel.shape), rows.sum(0)]
        patches = (rows @ kernel.reshape(len(kernel), -1)).reshape(n, h, w, c, 3, 3)
        dx = np.zeros((n, c, h + 2, w + 2), np.float32)
        for row in range(3):
            for column in range(3):
                dx[:, :, row:row + h, column:column + w] += patches[..., row, column].transpose(0, 3, 1, 2)
        return dx[:, :, 1:-1, 1:-1]


class Relu:
    weights = []

    def forward(self, x):
        self.positive = x > 0
        return x * self.positive

    def backward(self, dy):
        return dy * self.positive


class MaxPool:
    """2x2 with stride 2. Elements that share the maximum share its gradient."""

    weights = []

    def forward(self, x):
        n, c, h, w = x.shape
        blocks = x.reshape(n, c, h // 2, 2, w // 2, 2)
        y = blocks.max((3, 5), keepdims=True)
        largest = blocks == y
        self.share = largest / largest.sum((3, 5), keepdims=True, dtype=np.float32)
        return y.reshape(n, c, h // 2, w // 2)

    def backward(self, dy):
        n, c, h, w = dy.shape
        return (self.share * dy.reshape(n, c, h, 1, w, 1)).reshape(n, c, 2 * h, 2 * w)


class Dense:
    def __init__(self, random, inputs, outputs):
        self.weights = [random.normal(0, np.sqrt(1 / inputs), (outputs, inputs)).astype(np.float32),
                        np.zeros(outputs, np.float32)]

    def forward(self, x):
        self.shape = x.shape
        self.x = x.reshape(len(x), -1)
        return self.x @ self.weights[0].T + self.weights[1]

    def backward(self, dy):
        self.gradients = [dy.T @ self.x, dy.sum(0)]
        return (dy @ self.weights[0]).reshape(self.shape)


class Adam:
    """Adam with the usual constants; the caller gives the learning rate."""

    def __init__(self, layers):
        self.layers = [layer for layer in layers if layer.weights]
        self.moments = [[(np.zeros_like(w), np.zeros_like(w)) for w in layer.weights] for layer in self.layers]
        self.steps = 0

    def step(self, rate):
        self.steps += 1
        rate *= np.sqrt(1 - 0.999 ** self.steps) / (1 - 0.9 ** self.steps)
        for layer, moments in zip(self.layers, self.moments):
            for weight, gradient, (mean, square) in zip(layer.weights, layer.gradients, moments):
                mean += 0.1 * (gradient - mean)
                square += 0.001 * (gradient ** 2 - square)
                weight -= np.float32(rate) * mean / (np.sqrt(square) + 1e-8)


def make_network(random):
    return [Conv(random, 1, 16), Relu(), MaxPool(), Conv(random, 16, 32), Relu(), MaxPool(),
            Dense(random, 32 * 2 * 2, 10)]


def forward(network, x):
    for layer in network:
        x = layer.forward(x)
    return x


def accuracy(network, images, labels):
    return np.mean(forward(network, images).argmax(1) == labels)


def shifted(random, images):
    """Moves each image by up to one pixel in each direction: more handwriting from the same data."""
    padded = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
    result = np.empty_like(images)
    for i, (row, column) in enumerate(random.integers(0, 3, (len(images), 2))):
        result[i] = padded[i, :, row:row + 8, column:column + 8]
    return result


def train(network, images, labels, random):
    """Minimizes the cross-entropy of the softmax; the learning rate falls to 0 along a cosine."""
    adam = Adam(network)
    for epoch in range(EPOCHS):
        order = random.permutation(len(images))
        for start in range(0, len(order), BATCH):
            chosen = order[start:start + BATCH]
            logits = forward(network, shifted(random, images[chosen]))
            scores = np.exp(logits - logits.max(1, keepdims=True))
            scores /= scores.sum(1, keepdims=True)
            scores[np.arange(len(chosen)), labels[chosen]] -= 1
            gradient = scores / len(chosen)
            for layer in reversed(network):
                gradient = layer.backward(gradient)
            progress = (epoch + start / len(order)) / EPOCHS
            adam.step(0.003 * 0.5 * (1 + np.cos(np.pi * progress)))


def to_onnx(network):
    first, _, _, second, _, _, dense = network
    weights = dict(zip(["conv1_weight", "conv1_bias", "conv2_weight", "conv2_bias", "dense_weight", "dense_bias"],
                       first.weights + second.weights + dense.weights))
    pool = {"kernel_shape": [2, 2], "strides": [2, 2]}
    nodes = [
        helper.make_node("Conv", ["image", "conv1_weight", "conv1_bias"], ["a"], "conv1", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["a"], ["b"], "relu1"),
        helper.make_node("MaxPool", ["b"], ["c"], "pool1", **pool),
        helper.make_node("Conv", ["c", "conv2_weight", "conv2_bias"], ["d"], "conv2", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["d"], ["e"], "relu2"),
        helper.make_node("MaxPool", ["e"], ["f"], "pool2", **pool),
        helper.make_node("Flatten", ["f"], ["g"], "flatten"),
        helper.make_node("Gemm", ["g", "dense_weight", "dense_bias"], ["logits"], "dense", transB=1),
        helper.make_node("Softmax", ["logits"], ["scores"], "softmax", axis=1),
    ]
    graph = helper.make_graph(
        nodes, "digits",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 1, 8, 8])],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, 10])],
        [numpy_helper.from_array(np.ascontiguousarray(value), name) for name, value in weights.items()])
    model = helper.make_model(graph, producer_name="convoy-examples", opset_imports=[helper.make_opsetid("", 15)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model


def pixels(image):
    """Gray values from 0 to 255."""
    return np.rint(image[0] * 255).astype(np.uint8)


def png_bytes(image):
    """A gray image as PNG, without an image library."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width = image.shape
    rows = b"".join(b"\0" + row.tobytes() for row in image)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def write_samples(folder, training, held_out, labels):
    for digit in range(10):
        image = pixels(held_out[np.flatnonzero(labels == digit)[0]])
        (folder / f"{digit}.png").write_bytes(png_bytes(image))
        (folder / f"{digit}.pgm").write_bytes(b"P5\n8 8\n255\n" + image.tobytes())
    table = np.concatenate([np.rint(held_out.reshape(-1, 64) * 16).astype(int), labels[:, None]], 1)
    np.savetxt(folder / "heldout.csv", table, "%d", delimiter=",")
    np.save(folder / "heldout.npy", held_out)
    np.save(folder / "heldout_labels.npy", labels)
    calibration = folder / "calibration"
    calibration.mkdir(exist_ok=True)
    for i, image in enumerate(training[:CALIBRATION]):
        (calibration / f"{i:03}.png").write_bytes(png_bytes(pixels(image)))


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: train.py FOLDER")
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    images, labels = load()
    random = np.random.default_rng(SEED)
    held_out, training = np.split(random.permutation(len(images)), [HELD_OUT])
    network = make_network(random)
    train(network, images[training], labels[training], random)
    print(f"trained on {len(images[training])} images in {time.monotonic() - started:.1f} s")
    for name, part in (("training", training), ("held-out", held_out)):
        print(f"accuracy on {len(images[part])} {name} images: {100 * accuracy(network, images[part], labels[part]):.1f} %")
    onnx.save(to_onnx(network), str(folder / "digits.onnx"))
    (folder / "labels.txt").write_text("\n".join(LABELS) + "\n")
    write_samples(folder, images[training], images[held_out], labels[held_out])
    print(f"wrote {folder}/digits.onnx")


if __name__ == "__main__":
    main()
