# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Provides the models that hash_artifacts.py compiles: files of ../shared/models/onnx, networks of
bench/make_models.py and small models of examples/ and tests/. Collects all models in one folder and
writes samples for --calibrate, times for --kernel-times and tuning records. cases.py selects the
configurations."""

import hashlib
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Flags for models whose inputs have dynamic dimensions.
SHAPES = {
    "mobilenetv2_int8_qdq_aimet": ["--dim", "batch=1"],
    "moonshine_tiny_encoder_dynint8": ["--input-shape", "input_values:1x16000"],
    "ppocrv2_cls": ["--input-shape", "x:1x3x48x192"],
    "ppocrv4_det": ["--input-shape", "x:1x3x320x320"],
    "ppocrv4_rec": ["--input-shape", "x:1x3x48x320"],
    "silero_vad_v5": ["--input-shape", "input:1x512", "--input-shape", "state:2x1x128"],
    "speech_embedding": ["--input-shape", "input_1:1x76x32x1"],
}

SHARED = [
    "cnn_mnist_pytorch", "mlperf_tiny_ad_autoencoder_fp32", "mlperf_tiny_ad_autoencoder_int8_qdq",
    "mlperf_tiny_ic_resnet8_fp32", "mlperf_tiny_ic_resnet8_int8_qdq", "mlperf_tiny_kws_dscnn_fp32",
    "mlperf_tiny_kws_dscnn_int8_qdq", "mlperf_tiny_vww_mobilenetv1_fp32", "mlperf_tiny_vww_mobilenetv1_int8_qdq",
    "mnist-8", "mobilenet_v1_1.0_224_uint8_qdq", "mobilenetv2-1.0", "mobilenetv2_int8_qdq_aimet",
    "moonshine_tiny_encoder_dynint8", "ppocrv2_cls", "ppocrv4_det", "ppocrv4_rec", "resnet20_cifar10",
    "resnet50-v1-keras-f16w", "resnet56_cifar10", "silero_vad_v5", "speech_embedding", "squeezenet1.1",
    "tflm_micro_speech_int8_qdq", "tflm_person_detect_int8_qdq", "universal_sentence_encoder_lite_L16",
]
BENCH = ["resnet50_v15", "resnet50_v2", "vgg19", "resnet18", "mobilenet_v1", "mobilenet_v2", "squeezenet",
         "inception_v1", "densenet121", "bvlc_alexnet", "mnist_cnn", "resnet50_v15_int8", "mobilenet_v2_int8"]
THREADS = ["residual", "branches", "recurrent", "layers", "tiny", "conditional"]

# Generators and the names of their models. Each writes NAME.onnx to the folder in its first
# argument.
GENERATORS = [
    ("bench/make_models.py", BENCH),
    ("examples/make_model.py", ["stripes"]),
    ("tests/models/threads/make_models.py", THREADS),
    ("tests/models/vectors/make_small.py", ["small"]),
]
QUANTIZED = [name for name in SHARED + BENCH if "int8" in name or "uint8" in name]
# Samples per calibration, each with a different seed.
SAMPLES = 2


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def generator_of(name):
    return next((ROOT / script for script, names in GENERATORS if name in names), None)


def is_current(path, script):
    """Returns whether the model is newer than the generator and the modules beside it."""
    return path.exists() and all(path.stat().st_mtime >= source.stat().st_mtime
                                 for source in script.parent.glob("*.py"))


def collect(names, folder, shared):
    """Generates NAME.onnx of each model in the folder, or links it from `shared`. Returns the names
    of missing models."""
    folder.mkdir(parents=True, exist_ok=True)
    missing = []
    for name in names:
        path, script = folder / f"{name}.onnx", generator_of(name)
        if script and not is_current(path, script):
            # Only bench/make_models.py takes names, because its networks are large.
            chosen = [name] if name in BENCH else []
            subprocess.run([sys.executable, "-B", script, folder, *chosen], check=True, stdout=subprocess.DEVNULL)
        elif not script and not (shared / path.name).exists():
            missing.append(name)
        elif not script:
            path.unlink(missing_ok=True)
            path.symlink_to((shared / path.name).resolve())
    return missing


def input_shapes(model):
    """Returns the shapes of the inputs that are not weights, by name."""
    import onnx
    graph = onnx.load(str(model), load_external_data=False).graph
    weights = {tensor.name for tensor in graph.initializer}
    return {value.name: [dim.dim_value for dim in value.type.tensor_type.shape.dim]
            for value in graph.input if value.name not in weights}


def write_samples(model, folder):
    """Writes random inputs for a model with one float input, in the form that --calibrate reads."""
    import numpy
    [shape] = input_shapes(model).values()
    folder.mkdir(parents=True, exist_ok=True)
    for seed in range(SAMPLES):
        data = numpy.random.default_rng(seed).standard_normal(shape, dtype=numpy.float32)
        numpy.save(folder / f"sample_{seed}.npy", data)


def write_kernel_times(path):
    """Writes times for --kernel-times for the kernels of `residual`. The times are not measured."""
    names = ["conv_0", "conv_1", "max_pool_2", "conv_3", "conv_4", "reduce_5", "matmul_6", "reduce_7", "unary_8"]
    rows = [{"kernel": name, "ms": 0.001 * (number * 37 % 11 + 1)} for number, name in enumerate(names)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows), encoding="utf-8")


def import_records(convoy, source, path):
    """Imports a text file of records into the file for --records. If the import fails, the cases
    that read the file fail."""
    for old in path.parent.glob(path.name + "*"):
        old.unlink()
    subprocess.run([convoy, "records", "import", source, "--into", path], check=False, stdout=subprocess.DEVNULL)
