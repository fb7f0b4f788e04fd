#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports the networks of torchvision_models.py with random weights by Debian's python3-torch 1.13 and
python3-torchvision 0.14 (scripts/install-deps.sh --zoo): classifiers, detectors without post-processing,
segmenters, video classifiers and optical flow. Each network has a process of its own with a limit of
memory and time. A file that exists is kept. bench/zoo/measure measures the networks.

  export_torchvision.py [--folder DIR] [NAME...]   write DIR/tv_NAME.onnx (default: build/zoo), or all networks
  export_torchvision.py --list                     print the networks, and the networks left out with the reason

The batch normalizations have the statistics of one random batch, so that the activations of every
layer have the variance 1; zero-initialized weights and scales of layers receive random values. The
statistics are rounded to bfloat16, so that they do not depend on the order of sums on a machine.
"""

import argparse
import os
import resource
import subprocess
import sys
import zlib

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from zoo import torchvision_models as table  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# The newest opset of torch 1.13; RAFT needs GridSample of opset 16.
OPSET = 17
MEMORY_BYTES = 14 << 30  # of addresses; torch's libraries alone take 3 GB
SECONDS = 900
REGIONS = 16  # of detectors with a second stage
FLOW_UPDATES = 4  # published: 12


def random_images(name, batch):
    """Returns the inputs of the network's task."""
    import torch
    task, size = table.MODELS[name][1], table.size_of(name)
    images = torch.randn(batch, 3, size, size)
    if task == "video":
        return (torch.randn(batch, 3, table.FRAMES.get(name, table.DEFAULT_FRAMES), size, size),)
    if task == "flow":
        return images.clamp(-1, 1), torch.randn(batch, 3, size, size).clamp(-1, 1)
    if task == "regions":
        pooled = [torch.randn(batch * REGIONS, 256, side, side) for side in region_sides(name)]
        return (images, *pooled)
    return (images,)


def region_sides(name):
    """Returns the sizes of the pooled regions, one for each head of the second stage."""
    return (7,) if name.startswith("fasterrcnn") else (7, 14)


def network(name):
    """Returns a module whose results are tensors, without post-processing."""
    import torch
    from torchvision import models

    task = table.MODELS[name][1]
    backbone = {} if task in ("classify", "video", "flow") else {"weights_backbone": None}
    model = models.get_model(name, weights=None, **backbone)

    class Network(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, *images):
            return FORWARD[task](model, *images)

    return Network()


def forward_regions(model, image, *pooled):
    """Runs the backbone, the head of the proposals, and the heads of pooled regions, which are inputs."""
    scores, boxes = model.rpn.head(list(model.backbone(image).values()))
    heads = model.roi_heads
    results = [*scores, *boxes, *heads.box_predictor(heads.box_head(pooled[0]))]
    if heads.has_mask():
        results.append(heads.mask_predictor(heads.mask_head(pooled[1])))
    if heads.has_keypoint():
        results.append(heads.keypoint_predictor(heads.keypoint_head(pooled[1])))
    return tuple(results)


def forward_anchors(model, image):
    """Runs the backbone and the heads of all levels."""
    features = model.backbone(image)
    return tuple(model.head(list(features.values())).values())


FORWARD = {
    "classify": lambda model, image: model(image),
    "video": lambda model, frames: model(frames),
    "segment": lambda model, image: model(image)["out"],
    "flow": lambda model, first, second: model(first, second, num_flow_updates=FLOW_UPDATES)[-1],
    "regions": forward_regions,
    "anchors": forward_anchors,
}


def randomize(module, images):
    """Gives random values to weights that are zero at the start of a training, sets the scales of
    residual branches, and sets the statistics of batch normalizations."""
    import torch
    for name, parameter in module.named_parameters():
        if name.endswith("layer_scale"):
            torch.nn.init.constant_(parameter, 0.3)
        elif parameter.dim() > 1 and not parameter.any():
            torch.nn.init.normal_(parameter, std=0.02)
    norms = [part for part in module.modules() if isinstance(part, torch.nn.modules.batchnorm._BatchNorm)]
    if not norms:
        return
    for norm in norms:
        norm.momentum = 1.0
        norm.train()
    module(*images)
    for norm in norms:
        norm.eval()
        for statistic in (norm.running_mean, norm.running_var):
            statistic.copy_(statistic.to(torch.bfloat16))


def export(name, path):
    """Writes a temporary file and renames it, so that no reader sees an incomplete model."""
    import torch
    torch.manual_seed(zlib.crc32(name.encode()))
    torch.set_num_threads(1)
    module = network(name).eval()
    megabytes = sum(parameter.numel() for parameter in module.parameters()) * 4e-6
    if megabytes > table.MAX_MB:
        sys.exit(f"{name} has weights of {megabytes:.0f} MB, limit {table.MAX_MB} MB; add it to LEFT_OUT")
    # In evaluation mode, PyTorch replaces attention by one operator, which it cannot export.
    for attention in module.modules():
        if isinstance(attention, torch.nn.MultiheadAttention) and attention.dropout == 0:
            attention.training = True
    with torch.no_grad():
        randomize(module, random_images(name, 2))
        torch.onnx.export(module, random_images(name, 1), path + ".part", opset_version=OPSET,
                          training=torch.onnx.TrainingMode.PRESERVE)
    os.replace(path + ".part", path)


def run_export(name, path):
    """Exports in a process of its own. Returns whether the file was written."""
    command = [sys.executable, os.path.abspath(__file__), "--one", path, name]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=SECONDS,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES)))
    except subprocess.TimeoutExpired:
        print(f"{name}: not exported: more than {SECONDS} s")
        return False
    if done.returncode != 0:
        reason = (done.stdout.strip().splitlines() or [f"ended with {done.returncode}"])[-1]
        print(f"{name}: not exported: {reason}")
        return False
    print(f"{name}: {os.path.getsize(path) / 1e6:.1f} MB", flush=True)
    return True


def print_list():
    for name, (family, task) in table.MODELS.items():
        print(f"{name:38} {family}, {task}, {table.size_of(name)} x {table.size_of(name)}")
    for name, reason in table.LEFT_OUT.items():
        print(f"{name:38} left out: {reason}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--folder", default=os.path.join(ROOT, "build", "zoo"))
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--one", metavar="PATH", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.list:
        return print_list()
    unknown = [name for name in args.names if name not in table.MODELS]
    if unknown:
        reason = table.LEFT_OUT.get(unknown[0], "--list prints the networks")
        sys.exit(f"export_torchvision: unknown network '{unknown[0]}'; {reason}")
    if args.one:
        return export(args.names[0], args.one)
    os.makedirs(args.folder, exist_ok=True)
    failed = 0
    for name in args.names or table.MODELS:
        path = os.path.join(args.folder, table.PREFIX + name + ".onnx")
        failed += not os.path.exists(path) and not run_export(name, path)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
