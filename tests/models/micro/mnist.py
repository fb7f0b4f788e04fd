#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the MNIST network of bench/micro/make_mnist.py: the outputs of a target are equal to those
of integer arithmetic in numpy that rounds each rescaling once. With the weights of the comparison,
arithmetic that rounds twice as CMSIS-NN does must give the hash that CMSIS-NN gives.

  mnist.py CONVOY WORK TARGET [WEIGHTS.h]   random weights without a header
"""

import os
import subprocess
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../bench/micro"))
import make_mnist  # noqa: E402

CMSIS_NN_HASH = 379959750  # CMSIS-NN on the same weights and input


def round_once(sums, zero):
    return np.clip(((sums * make_mnist.MULTIPLIER + (1 << 38)) >> 39) + zero, -128, 127)


def round_twice(sums, zero):
    """Rounds to 31 fraction bits, then by the shift of 8 bits with ties away from zero."""
    high = (2 * sums * make_mnist.MULTIPLIER + (1 << 31)) >> 32
    return np.clip(((high - (high < 0) + 128) >> 8) + zero, -128, 127)


def conv_pool(x, weight, bias, pool, rescale):
    rows, columns, inputs = x.shape
    filters = weight.reshape(len(bias), 5, 5, inputs)
    padded = np.pad(x + 128, ((2, 2), (2, 2), (0, 0)))
    sums = sum(padded[i:i + rows, j:j + columns] @ filters[:, i, j].T for i in range(5) for j in range(5)) + bias
    size = rows // pool
    pooled = sums[:size * pool, :size * pool].reshape(size, pool, size, pool, -1).max((1, 3))
    return rescale(pooled, -128)


def scores(arrays, image, rescale):
    x = conv_pool(image.reshape(28, 28, 1).astype(np.int64), arrays["w1"], arrays["b1"], 2, rescale)
    x = conv_pool(x, arrays["w2"], arrays["b2"], 3, rescale)
    return rescale(arrays["w3"].reshape(10, 256) @ (x.reshape(256) + 128) + arrays["b3"], 0)


def hash_of(values):
    result = 0
    for value in values:
        result = (31 * result + (int(value) & 255)) & 0xFFFFFFFF
    return result


def main():
    convoy, work, target, *header = sys.argv[1:]
    arrays = make_mnist.read_header(header[0]) if header else make_mnist.random_arrays(1)
    source = ["--weights", header[0]] if header else ["--random", "1"]
    subprocess.run([sys.executable, make_mnist.__file__, work, *source], check=True)
    inputs = os.path.join(work, "mnist_input.npy")
    image = np.load(inputs)
    subprocess.run([convoy, "run", os.path.join(work, "mnist_int8.onnx"), f"--target={target}", "--input", inputs,
                    "--output", work, "--quiet"], check=True)
    found = np.load(os.path.join(work, "scores.npy")).reshape(-1)
    expected = scores(arrays, image, round_once)
    if not np.array_equal(found, expected):
        sys.exit(f"FAILED: {target} gives {found}, numpy gives {expected}")
    if header and hash_of(scores(arrays, image, round_twice)) != CMSIS_NN_HASH:
        sys.exit("FAILED: the weights and the input do not give the hash of CMSIS-NN")
    print(f"{target}: {found}")


if __name__ == "__main__":
    main()
