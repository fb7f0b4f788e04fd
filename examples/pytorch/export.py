#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports a network of torchvision as ONNX, with golden data for `convoy check`.

Needs python3-torch and python3-torchvision (scripts/install-deps.sh --zoo).

  export.py FOLDER

FOLDER receives squeezenet.onnx with a fixed batch, squeezenet_open.onnx with an open batch, and
golden/, the input and the output of PyTorch. The weights are random: a program that needs
a trained network passes `weights="DEFAULT"`, which downloads the weights.
"""

import pathlib
import sys

import onnx.numpy_helper
import torch
import torchvision


def write_tensor(path, tensor):
    path.write_bytes(onnx.numpy_helper.from_array(tensor.numpy()).SerializeToString())


def main():
    folder = pathlib.Path(sys.argv[1])
    (folder / "golden").mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    # begin snippet
    model = torchvision.models.squeezenet1_1(weights=None).eval()  # evaluation mode: no dropout
    image = torch.rand(1, 3, 64, 64)
    names = {"input_names": ["image"], "output_names": ["scores"], "opset_version": 17}
    torch.onnx.export(model, image, folder / "squeezenet.onnx", **names)
    torch.onnx.export(model, image, folder / "squeezenet_open.onnx", dynamic_axes={"image": {0: "batch"}}, **names)
    # end snippet
    with torch.no_grad():
        write_tensor(folder / "golden" / "input_0.pb", image)
        write_tensor(folder / "golden" / "output_0.pb", model(image))


if __name__ == "__main__":
    main()
