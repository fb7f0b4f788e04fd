# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names the family of each network of bench/zoo: the kinds of make_kinds.py, the networks of
export_torchvision.py, and a few networks of bench/make_models.py."""

from zoo import make_kinds, torchvision_models
from zoo.net import KINDS

# Networks of bench/make_models.py that belong to a family of their own or of torchvision.
OTHERS = {"unet": "U-Net", "resnext50": "ResNeXt", "vgg19": "VGG", "inception_v1": "GoogLeNet"}


def families():
    """Family by name of network, which is the name of its file."""
    found = {name: family for name, (family, _) in KINDS.items()}
    found.update({torchvision_models.PREFIX + name: family for name, (family, _) in torchvision_models.MODELS.items()})
    return {**found, **OTHERS}


def family_of(name):
    """A network without an entry is a family of its own."""
    return families().get(name, name)
