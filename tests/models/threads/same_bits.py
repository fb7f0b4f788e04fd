# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that models give the same bits with any number of threads, as libraries and in memory. The
script repeats runs, calls a model from several threads, runs after a fork, and runs several models
in one process, where they share one thread pool.

  same_bits.py CONVOY SCRATCH_DIR [--FLAG...] MODEL...

Flags are for `convoy compile`. The result must equal the result of `convoy run` without these flags.
"""

import ctypes
import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading

import _ctypes
import numpy as np

THREADS = [1, 2, 3, 4, 5, 6, 7, 8]
# The stress tests use only the smaller teams: repeated runs of teams larger than the number of
# cores are slow and test nothing more.
STRESSED = 4
ALIGNMENT = 64
DTYPES = {"float": np.float32, "double": np.float64, "int8": np.int8, "uint8": np.uint8,
          "int32": np.int32, "int64": np.int64, "bool": np.bool_}


def expect(is_true, text):
    if not is_true:
        sys.exit(f"FAILED: {text}")


class Library:
    flags = []  # of every compile

    def __init__(self, convoy, model, folder, threads):
        command = [convoy, "compile", str(model), "-o", str(folder), "--json", "--name",
                   f"m{threads}", "--threads", str(threads), *self.flags]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
        self.facts = json.loads(done.stdout)
        expect(self.facts["threads"] == threads, "the summary has a different number of threads")
        header = pathlib.Path(self.facts["header"]).read_text()
        expect(f"#define M{threads}_THREADS {threads}\n" in header, "the header does not define the number of threads")
        self.handle = ctypes.CDLL(self.facts["library"])
        self.function = getattr(self.handle, f"m{threads}_run")

    def run(self, inputs, workspace=None):
        outputs = [np.full(t["bytes"], 0xAB, np.uint8) for t in self.facts["outputs"]]
        # Fills the workspace with garbage, so that nothing depends on earlier values of the flags.
        raw = workspace if workspace is not None else self.workspace()
        code = self.function(pointers(inputs), pointers(outputs), ctypes.c_void_p(raw.ctypes.data))
        expect(code == 0, f"run returned {code}")
        return [o.tobytes() for o in outputs]

    def workspace(self):
        size = self.facts["workspace_bytes"]
        raw = np.full(size + ALIGNMENT, 0xFF, np.uint8)
        return raw[-raw.ctypes.data % ALIGNMENT:][:size]

    def close(self):
        _ctypes.dlclose(self.handle._handle)


def pointers(arrays):
    return (ctypes.c_void_p * len(arrays))(*[a.ctypes.data for a in arrays])


def random_inputs(facts, seed):
    draw = np.random.default_rng(seed)
    return [np.ascontiguousarray((draw.standard_normal(t["shape"]) * 3).astype(DTYPES[t["type"]]))
            for t in facts["inputs"]]


def check_jit(convoy, model, scratch, facts, inputs, expected):
    flags = []
    for tensor, values in zip(facts["inputs"], inputs):
        path = scratch / f"{len(flags)}.npy"
        np.save(path, values)
        flags += ["--input", f"{tensor['name']}={path}"]
    for threads in THREADS[1:STRESSED]:
        folder = scratch / f"jit_{threads}"
        subprocess.run([convoy, "run", str(model), "--threads", str(threads), "--output",
                        str(folder), *flags], stdout=subprocess.DEVNULL, check=True)
        got = sorted(np.load(path).tobytes() for path in folder.iterdir())
        expect(got == sorted(expected), f"`convoy run` with {threads} threads gives different bits")


def check_stress(libraries, sets, expected):
    """Runs the libraries in sequence on one workspace, then with several concurrent callers."""
    for library in libraries:
        workspace = library.workspace()
        for turn in range(300):
            which = turn % len(sets)
            expect(library.run(sets[which], workspace) == expected[which], "a repeated run gives different bits")
    wrong = []

    def call(index):
        library = libraries[index % len(libraries)]
        for turn in range(50):
            which = (index + turn) % len(sets)
            if library.run(sets[which]) != expected[which]:
                wrong.append(index)

    callers = [threading.Thread(target=call, args=(i,)) for i in range(6)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    expect(not wrong, f"callers {sorted(set(wrong))} of 6 concurrent callers got different bits")


def check_fork(library, inputs, expected):
    child = os.fork()
    if child == 0:
        right = library.run(inputs) == expected
        os.execl("/bin/true" if right else "/bin/false", "verdict")
    _, status = os.waitpid(child, 0)
    expect(status == 0, f"a forked child ended with {status}")


def check_model(convoy, model, scratch):
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    libraries = [Library(convoy, model, scratch / f"t{n}", n) for n in THREADS]
    sets = [random_inputs(libraries[0].facts, seed) for seed in range(3)]
    expected = [libraries[0].run(inputs) for inputs in sets]
    for library, threads in zip(libraries, THREADS):
        for inputs, outputs in zip(sets, expected):
            expect(library.run(inputs) == outputs, f"{threads} threads give different bits")
    check_jit(convoy, model, scratch, libraries[0].facts, sets[0], expected[0])
    check_stress(libraries[:STRESSED], sets, expected)
    check_fork(libraries[2], sets[1], expected[1])
    # NumPy starts its threads at import. Every other thread belongs to the largest team.
    ours = len(os.listdir("/proc/self/task")) - check_model.before
    expect(ours <= max(THREADS) - 1, f"the pool has {ours} threads, expected at most {max(THREADS) - 1}")
    for library in libraries:
        library.close()
    check_stress([Library(convoy, model, scratch / "again", 2)], sets[:1], expected[:1])
    print(f"ok    {pathlib.Path(model).name}: {THREADS} threads give the same bits")


def main():
    convoy, scratch, *rest = sys.argv[1:]
    Library.flags = [text for text in rest if text.startswith("--")]
    models = [text for text in rest if not text.startswith("--")]
    check_model.before = len(os.listdir("/proc/self/task"))
    for model in models:
        check_model(convoy, model, pathlib.Path(scratch) / pathlib.Path(model).stem)


if __name__ == "__main__":
    main()
