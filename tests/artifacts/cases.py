# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists the cases of hash_artifacts.py: which model the sets `full`, `quick` and `ci` compile with
which flags. Runs nothing."""

import collections

import models

# `name` is MODEL/CONFIGURATION. `arguments` are the arguments of convoy. Paths in them are relative
# to the folder of the case: models/, samples/, targets/, records and out/.
Case = collections.namedtuple("Case", "name model arguments")

STAGES = ["graph", "quantize", "place", "device", "fusion", "layout", "tasks", "kernels", "memory", "schedule"]
DEVICES = ["abstract", "bm1880", "example", "nvdla-small", "nvdla-small-256", "nvdla-medium-512", "nvdla-large",
           "nvdla-full"]
LARGE_DEVICES = [device for device in DEVICES if device != "example"]
DIFFERENT_DEVICES = ["abstract", "bm1880", "nvdla-large"]
VERBS = ["compile", "run", "check", "bench", "tune", "service", "records", "explain", "sweep", "inspect",
         "ops", "targets"]

# The records file of --records, and records.jsonl, whose records are older than the compiler.
RECORDS, OLD_RECORDS = "--records=records", "--records=old-records"

# Small and medium models of every kind: float, int8, recurrent, transformer, control flow, dynamic.
# Together with the targets below they reach every kernel template.
QUICK = [
    "cnn_mnist_pytorch", "mnist-8", "mlperf_tiny_ic_resnet8_fp32", "mlperf_tiny_ic_resnet8_int8_qdq",
    "mlperf_tiny_kws_dscnn_fp32", "mlperf_tiny_kws_dscnn_int8_qdq", "mlperf_tiny_ad_autoencoder_int8_qdq",
    "tflm_micro_speech_int8_qdq", "ppocrv2_cls", "silero_vad_v5", "speech_embedding",
    "moonshine_tiny_encoder_dynint8", "universal_sentence_encoder_lite_L16",
] + models.THREADS + ["stripes", "small", "mnist_cnn"]

# The CPU target of the set `ci`, whose cases must not depend on the host.
FIXED_CPU = "x86-64-v3"

CPU = {
    "host-t1": ["--threads=1"],
    "host-t2": ["--threads=2"],
    "host-t7": ["--threads=7"],
    "c-plain": ["--emit=c", "--loops=plain"],
    "c-vectors": ["--emit=c", "--loops=vectors"],
    "x86-64-v3": ["--target=x86-64-v3"],
    "aarch64": ["--target=aarch64"],
    "rv64gcv-1024": ["--target=rv64gcv-1024", "--emit=c"],
}
# Only for models of the set `quick`: targets that share most of their code with other targets.
MORE_CPU = {
    "x86-64-v2": ["--target=x86-64-v2"],
    "x86-64-v4": ["--target=x86-64-v4", "--threads=4"],
    "rv64gcv-256": ["--target=rv64gcv-256", "--emit=c"],
    "ve": ["--target=ve", "--emit=c"],
    "amx": ["--target=targets/x86-64-amx.json"],
    "amx-t2": ["--target=targets/x86-64-amx.json", "--threads=2"],
    "cortex-m4": ["--target=cortex-m4"],
    "cortex-m55": ["--target=cortex-m55"],
    "c-t3": ["--emit=c", "--threads=3"],
}
# Flags that only the listed models test.
FLAGS = {
    "math-strict": (["--math=strict"], ["squeezenet1.1", "resnet20_cifar10", "mlperf_tiny_ic_resnet8_fp32"]),
    "integer-on": (["--integer=on"], ["mlperf_tiny_kws_dscnn_int8_qdq", "tflm_micro_speech_int8_qdq"]),
    "integer-off": (["--integer=off"], ["mlperf_tiny_ic_resnet8_int8_qdq", "mlperf_tiny_kws_dscnn_int8_qdq",
                                        "mobilenet_v1_1.0_224_uint8_qdq"]),
    "weights-file": (["--weights=file"], ["mnist-8", "mobilenetv2-1.0"]),
    "bands": (["--bands=always", "--threads=2"], ["layers", "mlperf_tiny_vww_mobilenetv1_fp32", "resnet18"]),
    "bands-off": (["--bands=off", "--threads=2"], ["layers", "mlperf_tiny_vww_mobilenetv1_fp32"]),
    "c-bands": (["--bands=always", "--emit=c"], ["layers"]),
    "deadline": (["--target=aarch64", "--emit=c", "--threads=4", "--deadline=1s"], ["residual", "mnist-8"]),
    "deadline-missed": (["--target=aarch64", "--emit=c", "--threads=4", "--deadline=0.1us"], ["residual"]),
    "kernel-times": (["--target=x86-64-v3", "--threads=2", "--kernel-times=times/residual.json"], ["residual"]),
    "schedule-report": (["--threads=2", "--report=out/schedule.html"], ["branches", "mnist-8"]),
    "old-records": (["--target=x86-64-v3", OLD_RECORDS], ["residual"]),
    "sanitize": (["--sanitize=thread", "--threads=2"], ["residual"]),
    "with-test": (["--emit=c", "--with-test"], ["residual", "mlperf_tiny_kws_dscnn_int8_qdq"]),
    "name": (["--name=net"], ["stripes"]),
    "verify-stages": (["--verify-stages"], ["residual", "mlperf_tiny_kws_dscnn_int8_qdq"]),
    "memory": (["--target=nvdla-small", "--emit=program", "--optimize=memory"], ["mlperf_tiny_ic_resnet8_int8_qdq"]),
    # Errors: an unsupported flag or an invalid shape.
    "no-deadline": (["--deadline=5ms", "--threads=4", "--target=x86-64-v3"], ["residual"]),
    "no-input": (["--input-shape=nothing:1x2"], ["residual"]),
    "no-target": (["--target=pdp11"], ["tiny"]),
    "no-loops": (["--loops=plain"], ["tiny"]),
}
# Verbs other than `compile` whose output contains no times. `run` and `bench` print times.
OTHER_VERBS = {
    "residual": {
        "check": ["check", "--target=host,c-plain,reference,nvdla-full", "--input=random:1"],
        "check-json": ["check", "--target=host", "--input=random:1", "--json"],
        "check-exact": ["check", "--target=abstract", "--input=random:1", "--calibrate=samples/residual", "--exact"],
    },
    "mlperf_tiny_kws_dscnn_int8_qdq": {
        "check": ["check", "--target=host,nvdla-small,abstract,bm1880", "--input=random:1", "--layer-errors"],
        "sweep": ["sweep", "--target=abstract", "--pes=64,128", "--report=out/sweep.html"],
        "sweep-json": ["sweep", "--target=abstract", "--memory=64K,1M", "--json"],
        "explain-json": ["explain", "--target=bm1880", "--json"],
    },
}
# Float models that are quantized for devices. Without --calibrate only nvdla-full runs float
# models.
CALIBRATED = ["layers", "residual", "stripes", "mnist_cnn", "mlperf_tiny_ic_resnet8_fp32", "resnet20_cifar10",
              "squeezenet", "mobilenet_v2", "resnet18", "inception_v1", "bvlc_alexnet"]
STOPPED = ["residual", "recurrent", "mlperf_tiny_kws_dscnn_int8_qdq"]
TUNED = ["mobilenet_v2"]
CI_MODELS = ["stripes", "residual", "branches", "recurrent", "layers", "conditional", "small"]


def compile_case(model, configuration, flags, is_printed=False):
    """`is_printed`: the result is text on stdout, which --json does not change."""
    arguments = ["compile", f"models/{model}.onnx", *models.SHAPES.get(model, []), "-o", "out", *flags]
    return Case(f"{model}/{configuration}", model, arguments if is_printed else arguments + ["--json"])


def device_cases(model):
    """Yields device cases. Every model compiles device programs. Building the library for a device
    is slow for a large model, so models of the set `quick` build it for all devices, integer models
    for some devices, and float models for none. The device `example` takes a minute for a large
    model and shares its code with the other devices."""
    for device in DEVICES if model in QUICK else LARGE_DEVICES:
        yield compile_case(model, device, [f"--target={device}", "--emit=program"])
        if model in QUICK or (model in models.QUANTIZED and device in DIFFERENT_DEVICES):
            yield compile_case(model, f"{device}-library", [f"--target={device}"])
        if model in CALIBRATED:
            yield compile_case(model, f"{device}-calibrated", [f"--target={device}", f"--calibrate=samples/{model}",
                                                               "--emit=program"])


def stop_cases(model):
    for stage in STAGES:
        yield compile_case(model, f"stop-{stage}", [f"--stop-after={stage}", "--threads=2"], is_printed=True)
    if model in models.QUANTIZED:
        for stage in ("place", "device", "schedule"):
            yield compile_case(model, f"stop-{stage}-nvdla", [f"--stop-after={stage}", "--target=nvdla-small"],
                               is_printed=True)


def model_cases(model):
    """Yields all cases of one model of the sets `full` and `quick`."""
    for name, flags in {**CPU, **(MORE_CPU if model in QUICK else {})}.items():
        yield compile_case(model, name, flags)
    yield from device_cases(model)
    for name, (flags, wanted) in FLAGS.items():
        if model in wanted:
            yield compile_case(model, name, flags)
    if model in STOPPED:
        yield from stop_cases(model)
    if model in QUICK:
        shape = models.SHAPES.get(model, [])
        yield Case(f"{model}/inspect", model, ["inspect", f"models/{model}.onnx", *shape, "--json"])
        yield Case(f"{model}/tasks", model, ["tune", f"models/{model}.onnx", *shape, "--list-tasks", "--json"])
        for device in DIFFERENT_DEVICES + ["nvdla-full"]:
            yield Case(f"{model}/explain-{device}", model, ["explain", f"models/{model}.onnx", *shape,
                                                            f"--target={device}"])
    for name, (verb, *flags) in (OTHER_VERBS.get(model) or {}).items():
        yield Case(f"{model}/{name}", model, [verb, f"models/{model}.onnx", *flags])


def record_cases(model):
    for threads in (1, 2):
        yield compile_case(model, f"records-t{threads}", [RECORDS, f"--threads={threads}"])
    yield compile_case(model, "records-strict", [RECORDS, "--math=strict"])


def text_cases():
    """Yields cases for the text that the driver prints without a model."""
    yield Case("driver/help", None, ["--help"])
    yield Case("driver/stages", None, ["--help-stages"])
    for verb in VERBS:
        yield Case(f"driver/help-{verb}", None, [verb, "--help-all"])
    for verb in ("list", "export"):
        yield Case(f"driver/records-{verb}", None, ["records", verb, "old-records"])
    yield Case("driver/report", None, ["records", "report", "old-records", "--report", "out/report.html"])
    for name, arguments in {"ops": ["ops"], "ops-json": ["ops", "--json"], "targets": ["targets"],
                            "targets-json": ["targets", "--json"], "targets-markdown": ["targets", "--markdown"],
                            "no-verb": ["compose"], "no-model": ["compile", "models/none.onnx", "-o", "out"]}.items():
        yield Case(f"driver/{name}", None, arguments)


def ci_cases():
    """Yields cases with generated models and fixed targets, which do not depend on the CPU that
    runs the test."""
    cpu = {
        FIXED_CPU: [f"--target={FIXED_CPU}"],
        f"{FIXED_CPU}-t3": [f"--target={FIXED_CPU}", "--threads=3"],
        "aarch64": ["--target=aarch64"],
        "aarch64-c": ["--target=aarch64", "--emit=c"],
        "rv64gcv-1024": ["--target=rv64gcv-1024", "--emit=c"],
        "c-plain": ["--emit=c", "--loops=plain", f"--target={FIXED_CPU}"],
    }
    for model in CI_MODELS:
        for name, flags in cpu.items():
            yield compile_case(model, name, flags)
    for model in ("stripes", "residual", "layers"):
        calibrate = f"--calibrate=samples/{model}"
        yield compile_case(model, "integer", [f"--target={FIXED_CPU}", calibrate])
        for device in ("abstract", "bm1880", "nvdla-small"):
            yield compile_case(model, device, [f"--target={device}", calibrate, "--emit=program"])
        yield compile_case(model, "nvdla-small-c", ["--target=nvdla-small", f"--cpu={FIXED_CPU}", "--emit=c",
                                                    calibrate])
    for stage in STAGES:
        target = [f"--target={FIXED_CPU}", "--threads=3"]
        yield compile_case("residual", f"stop-{stage}", [f"--stop-after={stage}", *target], is_printed=True)
        yield compile_case("layers", f"stop-{stage}-nvdla-small", [
            f"--stop-after={stage}", "--target=nvdla-small", f"--cpu={FIXED_CPU}", "--calibrate=samples/layers"],
            is_printed=True)
    yield compile_case("residual", "math-strict", [f"--target={FIXED_CPU}", "--math=strict"])
    yield compile_case("residual", "weights-file", [f"--target={FIXED_CPU}", "--weights=file"])
    yield compile_case("layers", "bands", [f"--target={FIXED_CPU}", "--threads=2", "--bands=always"])
    yield compile_case("residual", "deadline", ["--target=aarch64", "--emit=c", "--threads=4", "--deadline=1s"])
    yield compile_case("residual", "old-records", [f"--target={FIXED_CPU}", OLD_RECORDS])
    yield compile_case("residual", "no-input", [f"--target={FIXED_CPU}", "--input-shape=nothing:1x2"])
    yield compile_case("tiny", "no-target", ["--target=pdp11"])


def cases_of(name):
    """Returns the cases of a set. `quick` is a subset of `full`, so a recorded file of `full`
    serves for both."""
    if name == "ci":
        return list(ci_cases())
    chosen = QUICK if name == "quick" else models.SHARED + models.BENCH + models.THREADS + ["stripes", "small"]
    found = list(text_cases())
    for model in chosen:
        found += model_cases(model)
    for model in TUNED:
        found += record_cases(model)
    return found
