#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes one network with random weights for each kind of network that people deploy, in the form of
exporters. bench/zoo/measure measures them. The shapes are the published shapes, batch 1 unless the kind
needs rows; a network whose weights exceed 60 MB or 10 GFLOP has fewer blocks, channels or pixels, and
its description says so. Integer inputs may be any number from 0 to 9. Equal versions of these files
write equal bytes.

  make_kinds.py DIR [NAME...]   write DIR/NAME.onnx, or all networks without a name
  make_kinds.py --list          print the name, GFLOP, parameters, family and kind of each network
"""

import argparse
import os
import sys

import onnx

# Tests load this file from another folder.
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from zoo import audio, image_classifiers, image_generators, image_tasks, language, tables  # noqa: E402,F401
from zoo.net import KINDS, Net  # noqa: E402


def build(name):
    """Returns the network and its outputs."""
    net = Net(name)
    return net, KINDS[name][1](net)


def describe(name, net):
    family, builder = KINDS[name]
    return f"{name:20} {2e-9 * net.macs:8.3f} GFLOP {net.parameters():>9} parameters  {family}: {builder.__doc__}"


def write(folder, name, net, outputs):
    """Writes a temporary file and renames it, so that no reader sees an incomplete model."""
    model = net.model(outputs)
    onnx.checker.check_model(model)
    path = os.path.join(folder, name + ".onnx")
    onnx.save(model, path + ".part")
    os.replace(path + ".part", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", metavar="DIR")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    unknown = [name for name in args.names if name not in KINDS]
    if unknown:
        sys.exit(f"make_kinds: unknown network '{unknown[0]}'; expected one of {', '.join(KINDS)}")
    if not args.list and args.folder is None:
        sys.exit("make_kinds: expected an output folder or --list")
    for name in args.names or KINDS:
        net, outputs = build(name)
        print(describe(name, net), flush=True)
        if not args.list:
            os.makedirs(args.folder, exist_ok=True)
            write(args.folder, name, net, outputs)


if __name__ == "__main__":
    main()
