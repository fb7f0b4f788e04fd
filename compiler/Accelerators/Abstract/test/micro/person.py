#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs person detection on a Cortex-M55 with an accelerator under QEMU: the model as C, linked with
the abstract device's generator and simulator, on one image.

  person.py CONVOY MODEL GOLDEN RUNTIME WORK

The result must equal the reference byte for byte. The device's cycles must equal the cycles that
the simulator counts on the host.
"""

import json
import os
import shutil
import subprocess
import sys

import numpy
import onnx
from onnx import numpy_helper

# Parameters that both the device of data.h and the compiler's device use.
DEVICE = {"pes": 64, "memory_bytes": 128 * 1024}
TARGET = "abstract:" + ":".join(f"{key}={value}" for key, value in DEVICE.items())
FLAGS = ["-mcpu=cortex-m55", "-mfloat-abi=hard", "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror",
         "-ffunction-sections", "-Wl,--gc-sections", "-nostartfiles", "--specs=nosys.specs"]


def run(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def expected_on(convoy, model, image, work, target):
    folder = os.path.join(work, target.split(":")[0])
    run(convoy, "run", model, f"--target={target}", "--input", image, "--output", folder)
    files = sorted(os.listdir(folder))
    return numpy.load(os.path.join(folder, files[0])).tobytes()


def write_data(path, image, expected):
    def array(name, data):
        return (f"static const uint8_t {name}[{len(data)}] __attribute__((aligned(16))) = {{" +
                ",".join(str(byte) for byte in data) + "};\n")

    with open(path, "w", encoding="utf-8") as file:
        # Other parameters have the default values of the device.
        file.write("static const convoy_abstract_device device = {"
                   f"{DEVICE['pes']}, CONVOY_ABSTRACT_OUTPUT_PARALLEL, {DEVICE['memory_bytes']}, "
                   "16, 64, 16, 8, 1, 1, 1, 0};\n#define DEVICE_MEMORY_BYTES (4u << 20)\n")
        file.write(array("image", image) + array("expected", expected))


def main():
    convoy, model, golden, runtime, work = sys.argv[1:6]
    here = os.path.dirname(os.path.abspath(__file__))
    for tool in ("arm-none-eabi-gcc", "qemu-system-arm"):
        if shutil.which(tool) is None:
            print(f"skipped: needs {tool}")
            sys.exit(77)
    os.makedirs(work, exist_ok=True)
    image_file = os.path.join(golden, "input_0.pb")
    tensor = onnx.TensorProto()
    with open(image_file, "rb") as file:
        tensor.ParseFromString(file.read())
    expected = expected_on(convoy, model, image_file, work, "reference")
    if expected != expected_on(convoy, model, image_file, work, TARGET):
        sys.exit("FAILED: the bytes of the device on the host differ from the reference")
    write_data(os.path.join(work, "data.h"), numpy_helper.to_array(tensor).tobytes(), expected)
    times = os.path.join(work, "bench.json")
    run(convoy, "bench", model, f"--target={TARGET}", "--samples=1", f"--json={times}")
    with open(times, encoding="utf-8") as file:
        cycles = round(sum(layer["cycles"] for layer in json.load(file)[0]["layers"]))

    run(convoy, "compile", model, f"--target={TARGET}", "--cpu",
        os.path.join(here, "cortex-m55.json"), "--emit=c", "--name=person", "-o", work)
    abstract = os.path.join(runtime, "abstract")
    sources = [os.path.join(here, "start.c"), os.path.join(here, "person_main.c"),
               os.path.join(work, "person.c"), os.path.join(runtime, "core", "device.c")]
    sources += sorted(os.path.join(abstract, name) for name in os.listdir(abstract)
                      if name.endswith(".c"))
    program = os.path.join(work, "person.elf")
    run("arm-none-eabi-gcc", *FLAGS, "-I", work, "-I", runtime,
        "-I", os.path.join(runtime, "include"), "-T", os.path.join(here, "an547_ddr.ld"), *sources,
        "-lm", "-o", program)
    result = subprocess.run(["qemu-system-arm", "-M", "mps3-an547", "-nographic", "-monitor", "none",
                             "-serial", "none", "-semihosting-config", "enable=on,target=native",
                             "-kernel", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, timeout=600)
    print(f"host: cycles {cycles}\n{result.stdout.strip()}")
    if result.returncode != 0 or f"cycles {cycles}\n" not in result.stdout:
        sys.exit(f"the program ended with {result.returncode}")


if __name__ == "__main__":
    main()
