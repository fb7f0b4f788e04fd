#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles networks with rearrangements for nvdla-full and checks outputs, regions and jobs of RUBIK.

  rubik.py CONVOY FOLDER

Each network is a convolution, a rearrangement as an exporter writes it, and a convolution. The device must run all of
it in one region, with the listed number of layers on RUBIK, and `convoy check` must accept the outputs: in fp16 within its
bounds, in int8 byte for byte. Networks whose rearrangement RUBIK cannot compute must have the reason. In int8 the CPU
quantizes the interleaved phases of a transposed convolution, so only the outputs are checked.
"""

import json
import os
import subprocess
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

MOVES = ("RUBIK moves channels to a grid of pixels or behind the columns, or whole rows; this rearrangement moves elements "
         "of a row in another way")


class Network:
    def __init__(self, shape):
        self.nodes, self.weights, self.random = [], [], numpy.random.default_rng(3)
        self.shape, self.last = shape, "x"

    def constant(self, value):
        name = f"c{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(value, name))
        return name

    def node(self, kind, *inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, [self.last, *inputs], [name], name=name, **attributes))
        self.last = name
        return self

    def conv(self, inputs, outputs, kernel=3, kind="Conv", **attributes):
        shape = (inputs, outputs) if kind == "ConvTranspose" else (outputs, inputs)
        weight = self.random.standard_normal((*shape, kernel, kernel)) / numpy.sqrt(inputs * kernel * kernel)
        bias = self.random.standard_normal(outputs) / 4
        return self.node(kind, self.constant(weight.astype(numpy.float32)), self.constant(bias.astype(numpy.float32)),
                         **attributes)

    def reshape(self, *shape):
        return self.node("Reshape", self.constant(numpy.array(shape, numpy.int64)))

    def write(self, path):
        graph = helper.make_graph(
            self.nodes, "rearranged", [helper.make_tensor_value_info("x", TensorProto.FLOAT, self.shape)],
            [helper.make_tensor_value_info(self.last, TensorProto.FLOAT, None)], self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.save(onnx.shape_inference.infer_shapes(model), path)


def padded(inputs, outputs, **attributes):
    return {"inputs": inputs, "outputs": outputs, "pads": [1, 1, 1, 1], **attributes}


def networks():
    """Returns (name, network, jobs of RUBIK in fp16 or the reason for the CPU)."""
    def begin(channels):
        return Network([1, 3, 10, 12]).conv(**padded(3, channels)).node("Relu")

    yield "transposed2", begin(8).conv(8, 16, 2, "ConvTranspose", strides=[2, 2]).node("Relu").conv(**padded(16, 4)), 1
    # Phases with different taps are separate convolutions, whose blocks of five channels have atoms of their own.
    yield ("transposed4", begin(8).conv(8, 5, 4, "ConvTranspose", strides=[2, 2], pads=[1, 1, 1, 1]).node("Relu")
           .conv(**padded(5, 4)), 1)
    yield "blocks_first", begin(64).node("DepthToSpace", blocksize=2, mode="DCR").conv(**padded(16, 4)), 1
    yield "channels_first", begin(48).node("DepthToSpace", blocksize=4, mode="CRD").conv(**padded(3, 4)), 1
    yield ("shuffle", begin(96).reshape(1, 3, 32, 10, 12).node("Transpose", perm=[0, 2, 1, 3, 4])
           .reshape(1, 96, 10, 12).conv(**padded(96, 4)), None)
    yield "rows", begin(20).node("Transpose", perm=[0, 2, 1, 3]).conv(**padded(10, 4)), 2
    yield "channels_last", begin(20).node("Transpose", perm=[0, 2, 3, 1]).conv(**padded(10, 4)), 1
    yield "channels_back", begin(20).node("Transpose", perm=[0, 3, 1, 2]).conv(**padded(12, 4)), 1
    yield "columns", begin(20).node("Transpose", perm=[0, 1, 3, 2]).conv(**padded(20, 4)), MOVES
    yield "to_depth", begin(4).node("SpaceToDepth", blocksize=2).conv(**padded(16, 4)), MOVES


def call(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    print("$", " ".join(command), done.stdout, done.stderr, sep="\n")
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}")
    return done.stdout


def main():
    convoy, folder = sys.argv[1:]
    samples = os.path.join(folder, "samples")
    os.makedirs(samples, exist_ok=True)
    sample = numpy.random.default_rng(1).standard_normal((1, 3, 10, 12)).astype(numpy.float32)
    numpy.save(os.path.join(samples, "sample.npy"), sample)
    for name, network, expected in networks():
        model = os.path.join(folder, name + ".onnx")
        network.write(model)
        for options in ([], ["--calibrate", samples]):
            common = [model, "--target=nvdla-full", *options]
            call(convoy, "check", *common, *(["--exact"] if options else []))
            made = json.loads(call(convoy, "compile", *common, "--emit=program", "--json", "-o", folder))
            placement = made["placement"]
            if options and name.startswith("transposed"):
                continue  # the CPU quantizes the interleaved phases
            if isinstance(expected, str):
                # In int8 the first op on the CPU quantizes the input, and its reason is the one that is printed.
                if placement["regions"] != 2 or (not options and expected not in placement["reason"]):
                    sys.exit(f"{name}: expects two regions and the reason '{expected}', got {placement}")
                continue
            jobs = sum(layer["unit"] == "RUBIK" for layer in made["layers"])
            if placement["regions"] != 1 or (expected is not None and jobs != expected):
                sys.exit(f"{name}: expects one region with {expected} layers on RUBIK, got {jobs} and {placement}")


if __name__ == "__main__":
    main()
