# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the table of results of docs/targets/bm1880.md with the compiler, or writes it.

usage: bm1880_results.py CONVOY MODELS WORK docs/targets/bm1880.md [--write]

Instructions are those of the program's text, cycles and bytes those of the description for the runtime.
The last column is not measured here and stays.
"""

import json
import pathlib
import re
import subprocess
import sys

MODELS = {
    "MLPerf Tiny keywords": "mlperf_tiny_kws_dscnn_int8_qdq",
    "MLPerf Tiny ResNet-8": "mlperf_tiny_ic_resnet8_int8_qdq",
    "MLPerf Tiny autoencoder": "mlperf_tiny_ad_autoencoder_int8_qdq",
    "MLPerf Tiny visual wake words": "mlperf_tiny_vww_mobilenetv1_int8_qdq",
    "TFLM person detection": "tflm_person_detect_int8_qdq",
    "MobileNetV1, 224, uint8": "mobilenet_v1_1.0_224_uint8_qdq",
    "MobileNetV2, AIMET": "mobilenetv2_int8_qdq_aimet",
}

FLAGS = {"mobilenetv2_int8_qdq_aimet": ["--dim", "batch=1"]}


def build(convoy, model, folder, target):
    """Compiles a model. Returns the description for the runtime and the number of instructions."""
    subprocess.run([convoy, "compile", model, f"--target={target}", "--emit=program", "-o", folder, *FLAGS.get(model.stem, [])],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    [description] = folder.glob("*.rt.json")
    [program] = folder.glob("*.s")
    return json.loads(description.read_text()), len(re.findall(r"^inst \{", program.read_text(), re.M))


def cells_of(convoy, model, work):
    """Returns the measured cells of a row."""
    with_local, instructions = build(convoy, model, work / model.stem / "on", "bm1880")
    without, _ = build(convoy, model, work / model.stem / "off", "bm1880:local=off")
    return [str(instructions), f"{with_local['estimatedCycles'] / 1e3:,.1f}", f"{without['estimatedCycles'] / 1e3:,.1f}",
            f"{with_local['neuronBytes']:,}", f"{with_local['neuronBytes'] / with_local['neuronBytesWithoutReuse']:.2f}"]


def main():
    words = [word for word in sys.argv[1:] if word != "--write"]
    convoy, models, work, page = (pathlib.Path(word) for word in words)
    text = page.read_text(encoding="utf-8")
    problems = []
    for name, file in MODELS.items():
        row = re.search(rf"^\| {re.escape(name)} \|.*$", text, re.M)
        if not row:
            sys.exit(f"{page} has no row '{name}'")
        golden = row.group().strip("|").split("|")[-1].strip()
        new = f"| {name} | " + " | ".join(cells_of(convoy, models / f"{file}.onnx", work)) + f" | {golden} |"
        new = new.replace("|  |", "| |")
        if new != row.group():
            problems.append(f"expected {new}\n   found {row.group()}")
            text = text.replace(row.group(), new)
    if "--write" in sys.argv:
        page.write_text(text, encoding="utf-8")
    elif problems:
        sys.exit(f"{page} is stale; to write it again: bm1880_results.py ... --write\n" + "\n".join(problems))
    print(f"{len(MODELS)} rows, {len(problems)} changed")


if __name__ == "__main__":
    main()
