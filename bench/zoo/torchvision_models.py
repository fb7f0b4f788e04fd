# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists the networks of torchvision 0.14 that export_torchvision.py exports, by family, and the
networks that it leaves out, with the reason. Needs no torch, because bench/zoo/measure reads the
families from this file."""

# Distinguishes the files from the kinds of make_kinds.py, which have some of the same names.
PREFIX = "tv_"

# Family, task, networks. The task selects the inputs and outputs.
FAMILIES = [
    ("AlexNet", "classify", ["alexnet"]),
    ("ConvNeXt", "classify", ["convnext_tiny", "convnext_small", "convnext_base"]),
    ("DenseNet", "classify", ["densenet121", "densenet161", "densenet169", "densenet201"]),
    ("EfficientNet", "classify", [f"efficientnet_b{scale}" for scale in range(8)]),
    ("EfficientNetV2", "classify", ["efficientnet_v2_s", "efficientnet_v2_m"]),
    ("GoogLeNet", "classify", ["googlenet"]),
    ("Inception v3", "classify", ["inception_v3"]),
    ("MaxViT", "classify", ["maxvit_t"]),
    ("MNASNet", "classify", ["mnasnet0_5", "mnasnet0_75", "mnasnet1_0", "mnasnet1_3"]),
    ("MobileNetV2", "classify", ["mobilenet_v2"]),
    ("MobileNetV3", "classify", ["mobilenet_v3_small", "mobilenet_v3_large"]),
    ("RegNetX", "classify", ["regnet_x_400mf", "regnet_x_800mf", "regnet_x_1_6gf", "regnet_x_3_2gf", "regnet_x_8gf",
                             "regnet_x_16gf"]),
    ("RegNetY", "classify", ["regnet_y_400mf", "regnet_y_800mf", "regnet_y_1_6gf", "regnet_y_3_2gf", "regnet_y_8gf",
                             "regnet_y_16gf"]),
    ("ResNet", "classify", ["resnet18", "resnet34", "resnet50", "resnet101", "resnet152"]),
    ("ResNeXt", "classify", ["resnext50_32x4d", "resnext101_32x8d", "resnext101_64x4d"]),
    ("ShuffleNetV2", "classify", ["shufflenet_v2_x0_5", "shufflenet_v2_x1_0", "shufflenet_v2_x1_5",
                                  "shufflenet_v2_x2_0"]),
    ("SqueezeNet", "classify", ["squeezenet1_0", "squeezenet1_1"]),
    ("Swin", "classify", ["swin_t", "swin_s", "swin_b"]),
    ("ViT", "classify", ["vit_b_16", "vit_b_32"]),
    ("Wide ResNet", "classify", ["wide_resnet50_2"]),
    ("Faster R-CNN", "regions", ["fasterrcnn_resnet50_fpn", "fasterrcnn_resnet50_fpn_v2",
                                 "fasterrcnn_mobilenet_v3_large_fpn", "fasterrcnn_mobilenet_v3_large_320_fpn"]),
    ("Mask R-CNN", "regions", ["maskrcnn_resnet50_fpn", "maskrcnn_resnet50_fpn_v2"]),
    ("Keypoint R-CNN", "regions", ["keypointrcnn_resnet50_fpn"]),
    ("FCOS", "anchors", ["fcos_resnet50_fpn"]),
    ("RetinaNet", "anchors", ["retinanet_resnet50_fpn", "retinanet_resnet50_fpn_v2"]),
    ("SSD", "anchors", ["ssd300_vgg16"]),
    ("SSDlite", "anchors", ["ssdlite320_mobilenet_v3_large"]),
    ("FCN", "segment", ["fcn_resnet50", "fcn_resnet101"]),
    ("DeepLabV3", "segment", ["deeplabv3_mobilenet_v3_large", "deeplabv3_resnet50", "deeplabv3_resnet101"]),
    ("LR-ASPP", "segment", ["lraspp_mobilenet_v3_large"]),
    ("3-D ResNet", "video", ["r3d_18", "mc3_18"]),
    ("R(2+1)D", "video", ["r2plus1d_18"]),
    ("S3D", "video", ["s3d"]),
    ("MViT", "video", ["mvit_v1_b", "mvit_v2_s"]),
    ("RAFT", "flow", ["raft_small", "raft_large"]),
]

# Height and width of images. Classifiers have the published sizes. Detectors, segmenters, videos and
# flows are smaller than the published sizes, so that an inference takes at most a few seconds.
SIZE_OF_TASK = {"classify": 224, "regions": 320, "anchors": 320, "segment": 256, "video": 112, "flow": 128}
SIZES = {"inception_v3": 299, "efficientnet_b1": 240, "efficientnet_b2": 288, "efficientnet_b3": 300,
         "efficientnet_b4": 380, "efficientnet_b5": 456, "efficientnet_b6": 528, "efficientnet_b7": 600,
         "efficientnet_v2_s": 384, "efficientnet_v2_m": 480, "ssd300_vgg16": 300, "s3d": 224, "mvit_v1_b": 224,
         "mvit_v2_s": 224}
FRAMES = {"r3d_18": 8, "mc3_18": 8, "r2plus1d_18": 8}
DEFAULT_FRAMES = 16

MAX_MB = 400
_TOO_LARGE = f"its weights exceed {MAX_MB} MB"
_SWIN_V2 = "torch 1.13 cannot export it"
LEFT_OUT = {
    **dict.fromkeys(["convnext_large", "efficientnet_v2_l", "regnet_x_32gf", "regnet_y_32gf", "regnet_y_128gf", "vgg11",
                     "vgg11_bn", "vgg13", "vgg13_bn", "vgg16", "vgg16_bn", "vgg19", "vgg19_bn", "vit_l_16", "vit_l_32",
                     "vit_h_14", "wide_resnet101_2"], _TOO_LARGE),
    **dict.fromkeys(["swin_v2_t", "swin_v2_s", "swin_v2_b"], _SWIN_V2),
}

# (family, task) by name.
MODELS = {name: (family, task) for family, task, names in FAMILIES for name in names}


def size_of(name):
    return SIZES.get(name, SIZE_OF_TASK[MODELS[name][1]])
