#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calibrates a small network of AlexNet's layers and checks that it is one region with the
reference's bytes.

  calibrated.py CONVOY BENCH FOLDER TARGET[=UNIT:COUNT,...]...

BENCH contains make_models.py, whose layers make the network: an image, normalization before and
after a pool, groups, a fully connected layer of a whole plane, and softmax. The device must run all
layers but the softmax, with as many layers on each unit as the argument states.
"""

import json
import os
import subprocess
import sys

import numpy


def network(make_models):
    net = make_models.Network("little_alexnet", (1, 3, 35, 35))

    def lrn(x):
        # A large alpha gives factors down to 0.5; AlexNet's own alpha gives factors near 1 with
        # these weights.
        return net._node("LRN", [x.name], x.shape, size=5, alpha=0.5, beta=0.75, bias=1.0)

    x = net.max_pool(lrn(net.relu(net.conv(net.input, 24, 5, 2, bias=True))), 3, 2)
    x = lrn(net.max_pool(net.relu(net.conv(x, 40, 3, groups=2, bias=True)), 2, 2))
    x = net.relu(net.dense(net.flatten(x), 33))
    return net.model(net.softmax(net.dense(x, 10)))


def call(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    print(done.stdout, done.stderr, sep="\n")
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}")
    return done.stdout


def main():
    convoy, bench, folder, *targets = sys.argv[1:]
    sys.path.insert(0, bench)
    import make_models
    samples = os.path.join(folder, "samples")
    os.makedirs(samples, exist_ok=True)
    model = os.path.join(folder, "model.onnx")
    with open(model, "wb") as file:
        file.write(network(make_models).SerializeToString())
    sample = numpy.random.default_rng(1).standard_normal((1, 3, 35, 35)).astype(numpy.float32)
    numpy.save(os.path.join(samples, "sample.npy"), sample)
    for argument in targets:
        target, _, units = argument.partition("=")
        common = [model, f"--target={target}", "--calibrate", samples]
        call(convoy, "check", *common, "--exact")
        call(convoy, "check", *common)  # including the softmax, within its tolerance
        made = json.loads(call(convoy, "compile", *common, "--emit=program", "--json", "-o", folder))
        ran = "+".join(layer["unit"] for layer in made["layers"]).split("+")
        placement = made["placement"]
        is_whole = placement["regions"] == 1 and placement["reason"].startswith("softmax")
        expected = [unit.split(":") for unit in filter(None, units.split(","))]
        if not is_whole or any(ran.count(unit) != int(count) for unit, count in expected):
            sys.exit(f"{target}: expects one region of all layers but the softmax with {units}, got {placement}, {ran}")


if __name__ == "__main__":
    main()
