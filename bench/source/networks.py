# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The networks of bench/source/measure: one for each class of code, small so that a run is short. The
names without a prefix are kinds of bench/zoo/make_kinds.py; the others are the networks of MLPerf Tiny
and of public repositories in the folder of shared models."""

# Class by name of network, in the order of the table.
CLASSES = {
    "mlperf_tiny_ic_resnet8_fp32": "CNN",
    "mlperf_tiny_vww_mobilenetv1_fp32": "CNN, depthwise",
    "squeezenet1.1": "CNN, concatenations",
    "shufflenet_v2": "CNN, shuffles",
    "mlperf_tiny_ic_resnet8_int8_qdq": "int8 CNN",
    "mlperf_tiny_kws_dscnn_int8_qdq": "int8 CNN, depthwise",
    "mobilenet_v1_1.0_224_uint8_qdq": "uint8 CNN, zero points",
    "resnet18_fp16": "float16 CNN",
    "dcgan": "transposed convolutions",
    "pointnet": "points",
    "audio_stft": "spectrum",
    "spatial_transformer": "GridSample",
    "lstm_lengths": "recurrent",
    "gpt2_decode": "transformer, one token",
    "einsum_attention": "transformer",
    "universal_sentence_encoder_lite_L16": "text encoder",
    "tabular_mlp": "dense layers",
    "dlrm": "embeddings",
    "graph_net": "graph, ScatterND",
    "branch_if": "control flow",
}
