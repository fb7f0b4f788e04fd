#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks a compiled library through its C interface. Two compiles give the same bytes, the outputs
equal those of `convoy run` byte for byte, concurrent calls do not affect each other, invalid
pointers return their error codes, and the library exports only its interface.

  library_matches_jit.py CONVOY RUNTIME_DIR SCRATCH_DIR MODEL [compile flags...]
"""

import ctypes
import filecmp
import json
import pathlib
import shutil
import subprocess
import sys
import threading

import numpy as np

TYPES = {
    "float": np.float32, "double": np.float64, "float16": np.float16, "bool": np.bool_,
    "int8": np.int8, "int16": np.int16, "int32": np.int32, "int64": np.int64,
    "uint8": np.uint8, "uint16": np.uint16, "uint32": np.uint32, "uint64": np.uint64,
}
ALIGNMENT = 64
NULL_POINTER, NOT_OPEN, WORKSPACE, WRONG_WEIGHTS = 1, 5, 4, 7


def expect(is_true, text):
    if not is_true:
        sys.exit(f"FAILED: {text}")


def aligned(byte_count):
    """Returns bytes aligned to ALIGNMENT, as a view that keeps its memory alive."""
    raw = np.zeros(byte_count + ALIGNMENT, np.uint8)
    return raw[-raw.ctypes.data % ALIGNMENT:][:byte_count]


def random_inputs(facts, seed):
    draw = np.random.default_rng(seed)
    inputs = []
    for tensor in facts["inputs"]:
        dtype = TYPES[tensor["type"]]
        values = draw.standard_normal(tensor["shape"])
        inputs.append(np.ascontiguousarray((np.abs(values) * 2).astype(dtype)
                                           if np.issubdtype(dtype, np.integer)
                                           else values.astype(dtype)))
    return inputs


class Library:
    """Calls the C interface through ctypes; inputs and outputs are structures of pointers."""

    def __init__(self, facts):
        self.facts = facts
        self.handle = ctypes.CDLL(facts["library"])
        self.run_function = self.function("run")
        self.error_text = self.function("error_text", ctypes.c_char_p)

    def function(self, name, result=ctypes.c_int):
        function = getattr(self.handle, f"{self.facts['model']}_{name}")
        function.restype = result
        return function

    def call(self, inputs, outputs, workspace_address):
        def structure(tensors):
            pointers = [t.ctypes.data if t is not None else None for t in tensors]
            return (ctypes.c_void_p * len(pointers))(*pointers)

        return self.run_function(structure(inputs), structure(outputs),
                                 ctypes.c_void_p(workspace_address))

    def new_outputs(self):
        # Fills the outputs, so that an element that is never written is detected.
        outputs = []
        for tensor in self.facts["outputs"]:
            outputs.append(np.empty(tensor["shape"], TYPES[tensor["type"]]))
            outputs[-1].view(np.uint8).fill(0xAB) if outputs[-1].ndim else None
        return outputs

    def run(self, inputs):
        outputs = self.new_outputs()
        workspace = aligned(max(self.facts["workspace_bytes"], 1))
        code = self.call(inputs, outputs, workspace.ctypes.data)
        expect(code == 0, f"run returned {code}: {self.error_text(code)}")
        return outputs


def compile_model(convoy, model, folder, flags):
    command = [convoy, "compile", model, "-o", str(folder), "--json", *flags]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def check_same_files(first, second):
    names = sorted(path.name for path in first.iterdir())
    expect(names == sorted(path.name for path in second.iterdir()), "two compiles wrote different files")
    for name in names:
        expect(filecmp.cmp(first / name, second / name, shallow=False),
               f"two compiles give different {name}")
    return names


def check_exports(facts, has_file):
    listed = subprocess.run(["nm", "-D", "--defined-only", facts["library"]],
                            stdout=subprocess.PIPE, check=True, text=True).stdout
    exported = {line.split()[-1] for line in listed.splitlines()}
    functions = ["run", "error_text", "abi_version", "hash", "model"] + (["open", "close"] if has_file else [])
    expected = {f"{facts['model']}_{name}" for name in functions} | {"convoy_library_model"}
    expect(exported == expected, f"the library exports {sorted(exported)}, expected {sorted(expected)}")


def check_pointers(library, inputs):
    workspace = aligned(library.facts["workspace_bytes"] + ALIGNMENT)
    outputs = library.new_outputs()
    cases = [([None] + inputs[1:], outputs, workspace.ctypes.data, NULL_POINTER)]
    if library.facts["workspace_bytes"] > 0:
        cases += [(inputs, outputs, 0, NULL_POINTER),
                  (inputs, outputs, workspace.ctypes.data + 4, WORKSPACE)]
    for case_inputs, case_outputs, address, expected in cases:
        code = library.call(case_inputs, case_outputs, address)
        expect(code == expected, f"run returned {code}, expected {expected}")


def check_threads(library, sets):
    alone = [library.run(inputs) for inputs in sets]
    together = [None] * len(sets)

    def work(index):
        for _ in range(5):
            together[index] = library.run(sets[index])

    threads = [threading.Thread(target=work, args=(index,)) for index in range(len(sets))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for expected, got in zip(alone, together):
        for a, b in zip(expected, got):
            expect(a.tobytes() == b.tobytes(), "concurrent calls gave different outputs")


def check_jit(convoy, model, flags, library, inputs, scratch):
    expected = library.run(inputs)
    command = [convoy, "run", model, "--output", str(scratch / "jit"), *flags]
    for tensor, values in zip(library.facts["inputs"], inputs):
        path = scratch / f"input_{len(command)}.npy"
        np.save(path, values)
        command += ["--input", f"{tensor['name']}={path}"]
    shutil.rmtree(scratch / "jit", ignore_errors=True)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    written = list((scratch / "jit").iterdir())
    expect(len(written) == len(expected), f"run wrote {written}")
    # File names are output names with characters replaced, so compare sets of bytes.
    got = sorted(np.load(path).tobytes() for path in written)
    expect(got == sorted(values.tobytes() for values in expected),
           "the library's outputs are not those of `convoy run`")


def check_weights_file(convoy, model, flags, scratch, inputs, expected):
    folder = scratch / "mapped"
    facts = compile_model(convoy, model, folder, flags + ["--weights", "file", "--name", "mapped"])
    check_exports(facts, has_file=True)
    library = Library(facts)
    workspace = aligned(max(facts["workspace_bytes"], 1))
    code = library.call(inputs, library.new_outputs(), workspace.ctypes.data)
    expect(code == NOT_OPEN, f"run returned {code} before the weights were opened")
    open_file = library.function("open")
    expect(open_file(facts["header"].encode()) == WRONG_WEIGHTS, "the library opened a file without weights")
    expect(open_file(facts["weights"].encode()) == 0, "the library did not open its weights")
    for a, b in zip(library.run(inputs), expected):
        expect(a.tobytes() == b.tobytes(), "the outputs differ if the weights are in a file")
    library.function("close", None)()
    code = library.call(inputs, library.new_outputs(), workspace.ctypes.data)
    expect(code == NOT_OPEN, f"run returned {code} after close")


def main():
    convoy, runtime, scratch, model, *flags = sys.argv[1:]
    scratch = pathlib.Path(scratch)
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    facts = compile_model(convoy, model, scratch / "first", flags)
    compile_model(convoy, model, scratch / "second" / "deeper", flags)
    names = check_same_files(scratch / "first", scratch / "second" / "deeper")
    check_exports(facts, has_file=False)
    strict = pathlib.Path(runtime) / "test/strict_warnings.sh"
    subprocess.run([strict, runtime, facts["header"]], check=True)
    library = Library(facts)
    sets = [random_inputs(facts, seed) for seed in range(3)]
    check_pointers(library, sets[0])
    check_threads(library, sets)
    check_jit(convoy, model, flags, library, sets[0], scratch)
    check_weights_file(convoy, model, flags, scratch, sets[0], library.run(sets[0]))
    print(f"ok: {', '.join(names)} are identical in two compiles; outputs equal those of `convoy run`")


if __name__ == "__main__":
    main()
