#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the instructions of LeNet and of the first layers of ResNet-18 with ONNC's published programs.

  published.py CONVOY FOLDER

ONNC's tests (test/onnc/TG/bm188x/lenet.s, partial_resnet18_with_weight.s) list every field. The following fields are not
compared: addresses of neurons, because Convoy shares their memory; shifts and multipliers, because they depend on the
weights; the scale of ResNet-18's first convolution, because Convoy folds a batch normalization into the weights.
"""

import os
import re
import subprocess
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

NONE = 0xFFFFFFFFFF
CONV = ("groups", "output_c", "kh", "kw", "dilation_h", "dilation_w", "pad_h", "pad_w", "stride_h", "stride_w")
POOL = ("n", "c", "h", "w", "kh", "kw", "pad_top", "pad_bot", "pad_left", "pad_right", "stride_h", "stride_w")
FC = ("weight_data_gaddr", "bias_data_gaddr", "input_row_num", "input_col_num", "weight_col_num", "have_bias", "do_activation")
# Fields with the same number in all instructions of a kind.
SAME = {
    "conv_p": {"ga_bn_mean": NONE, "ga_bn_variance": NONE, "result_add": 0, "do_bn": 0, "bn_scale": 0, "bn_eps": 0,
               "activation_method": 0, "activation_arg": 0, "activation_ga_slope": 0, "activation_channel_shared": 0,
               "activation_gt_scale": 0, "activation_gt_rshift": 0, "activation_le_scale": 0, "activation_le_rshift": 0,
               "bn_right_shift_width": 0, "use_winograd": 0},
    "pooling": {"index_gaddr": NONE, "o_findex_gaddr": NONE, "is_avg_pooling": 0, "avg_const": 0, "do_relu": 0},
    "fc": {"activation_method": 0, "activation_ga_slope": NONE, "activation_channel_shared": 0, "activation_gt_scale": 0,
           "activation_gt_rshift": 0, "activation_le_scale": 0, "activation_le_rshift": 0, "weight_transpose": 1,
           "left_shift_width": 0},
}


def conv(shape, numbers, **fields):
    return "conv_p", {**dict(zip(("input_n", "input_c", "input_h", "input_w"), shape)), **dict(zip(CONV, numbers)), **fields}


LENET = [
    conv((1, 1, 28, 28), (1, 20, 5, 5, 1, 1, 0, 0, 1, 1), ga_weight=0, ga_bias=500, ga_scale=NONE, ga_scale_bias=NONE, do_bias=1,
         do_scale=0, do_scale_bias=0, do_activation=0, scale_right_shift_width=0),
    ("pooling", dict(zip(POOL, (1, 20, 24, 24, 2, 2, 0, 1, 0, 1, 2, 2)))),
    conv((1, 20, 12, 12), (1, 50, 5, 5, 1, 1, 0, 0, 1, 1), ga_weight=540, ga_bias=25540, ga_scale=NONE, ga_scale_bias=NONE,
         do_bias=1, do_scale=0, do_scale_bias=0, do_activation=0, scale_right_shift_width=0),
    ("pooling", dict(zip(POOL, (1, 50, 8, 8, 2, 2, 0, 1, 0, 1, 2, 2)))),
    ("fc", dict(zip(FC, (25640, 425640, 1, 800, 500, 1, 1)))),
    ("fc", dict(zip(FC, (426640, 431640, 1, 500, 10, 1, 0)))),
]
RESNET18 = [
    conv((4, 3, 224, 224), (1, 64, 7, 7, 1, 1, 3, 3, 2, 2), ga_weight=0, do_activation=1),
    ("pooling", dict(zip(POOL, (4, 64, 112, 112, 3, 3, 0, 2, 0, 2, 2, 2)))),
]


def save(path, shape, nodes, weights, result):
    random = numpy.random.default_rng(1)
    numbers = {name: random.standard_normal(size).astype(numpy.float32) * 0.1 for name, size in weights.items()}
    constants = [numpy_helper.from_array(abs(values) if name == "variance" else values, name)
                 for name, values in numbers.items()]
    graph = helper.make_graph(nodes, "published", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                              [helper.make_tensor_value_info(result, TensorProto.FLOAT, None)], constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), path)
    samples = os.path.join(os.path.dirname(path), "samples")
    os.makedirs(samples, exist_ok=True)
    numpy.save(os.path.join(samples, "sample.npy"), random.standard_normal(shape).astype(numpy.float32))
    return samples


def lenet(path):
    node = helper.make_node
    pool = {"kernel_shape": [2, 2], "strides": [2, 2], "pads": [0, 0, 1, 1]}
    nodes = [node("Conv", ["x", "w1", "b1"], ["c1"]), node("MaxPool", ["c1"], ["p1"], **pool),
             node("Conv", ["p1", "w2", "b2"], ["c2"]), node("MaxPool", ["c2"], ["p2"], **pool),
             node("Flatten", ["p2"], ["f"]), node("Gemm", ["f", "w3", "b3"], ["g"], transB=1), node("Relu", ["g"], ["r"]),
             node("Gemm", ["r", "w4", "b4"], ["y"], transB=1)]
    return save(path, [1, 1, 28, 28], nodes, {"w1": (20, 1, 5, 5), "b1": (20,), "w2": (50, 20, 5, 5), "b2": (50,),
                                              "w3": (500, 800), "b3": (500,), "w4": (10, 500), "b4": (10,)}, "y")


def resnet18(path):
    node = helper.make_node
    nodes = [node("Conv", ["x", "w"], ["c"], strides=[2, 2], pads=[3, 3, 3, 3]),
             node("BatchNormalization", ["c", "scale", "b", "mean", "variance"], ["n"]), node("Relu", ["n"], ["r"]),
             node("MaxPool", ["r"], ["y"], kernel_shape=[3, 3], strides=[2, 2], pads=[0, 0, 2, 2])]
    vectors = {name: (64,) for name in ("scale", "b", "mean", "variance")}
    return save(path, [4, 3, 224, 224], nodes, {"w": (64, 3, 7, 7), **vectors}, "y")


def instructions(text):
    """Returns the kind and the fields of each instruction."""
    found = []
    for kind, body in re.findall(r"^  (\w+) \{\n(.*?)^  \}", text, re.M | re.S):
        fields = dict(re.findall(r"(\w+): (\S+)", body))
        found.append((kind, {name: {"true": 1, "false": 0}.get(value) if value in ("true", "false") else float(value)
                             for name, value in fields.items()}))
    return found


def compare(convoy, folder, name, make, published):
    path = os.path.join(folder, name + ".onnx")
    samples = make(path)
    done = subprocess.run([convoy, "compile", path, "--target=bm1880:local=off", "--emit=program", "--calibrate", samples, "-o",
                           folder], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    with open(os.path.join(folder, name + ".s"), encoding="utf-8") as file:
        ours = instructions(file.read())
    if [kind for kind, _ in ours] != [kind for kind, _ in published]:
        sys.exit(f"{name}: expects {[kind for kind, _ in published]}, got {[kind for kind, _ in ours]}")
    compared = 0
    for number, ((kind, fields), (_, expected)) in enumerate(zip(ours, published)):
        for field, value in {**SAME[kind], **expected}.items():
            compared += 1
            if fields.get(field) != value:
                sys.exit(f"{name}: {field} of instruction {number} ({kind}) is {fields.get(field)}, published is {value}")
    print(f"{name}: {compared} fields are the published ones")


def main():
    convoy, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    compare(convoy, folder, "lenet", lenet, LENET)
    compare(convoy, folder, "resnet18", resnet18, RESNET18)


if __name__ == "__main__":
    main()
