# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that models as C give the same bits for any number of threads: with OpenMP, with fewer
threads than requested, and without OpenMP. ThreadSanitizer reports nothing for a correct model, and
reports the race if the test removes a wait.

  source.py CONVOY PLUGIN MODELS SCRATCH_DIR [THREADS...]

Without THREADS, the test compares 1 to 8 threads.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "source"))
from host_flags import host_flags

OPENMP_COMPILER = "gcc-12" if shutil.which("gcc-12") else "gcc"
COMPILER = "clang-19"
FLAGS = ["-std=c11", "-O1", "-g"]
# ThreadSanitizer does not check accesses of more than 16 bytes.
NARROW = "--target=x86-64-v2"
SHIM = pathlib.Path(__file__).resolve().parents[3] / "bench/vector/threads"
MODELS = ["residual", "branches", "recurrent", "conditional", "tiny", "rounds", "looping"]
BANDS = "--bands=always"
RUNS = 20
PROGRAM = """
#include "net.h"
#include <stdio.h>
#include <stdlib.h>
int main(void) {{
  {declarations}
  net_inputs inputs = {{{inputs}}};
  net_outputs outputs = {{{outputs}}};
  void *workspace = aligned_alloc(64, (NET_WORKSPACE_BYTES + 63) / 64 * 64);
  unsigned seed = 1;
  int turn, code = 0;
  for (turn = 0; turn < 5 && code == 0; ++turn) {{
    {fill}
    code = net_run(&inputs, &outputs, workspace);
    {print}
  }}
  free(workspace);
  return code;
}}
"""
TYPES = {"float": "float", "bool": "unsigned char", "int64": "long long"}


def program_text(facts):
    parts = {"declarations": [], "inputs": [], "outputs": [], "fill": [], "print": []}
    for i, tensor in enumerate(facts["inputs"]):
        count = tensor["bytes"] // {"float": 4, "bool": 1, "int64": 8}[tensor["type"]]
        parts["declarations"].append(f"static {TYPES[tensor['type']]} x{i}[{count}];")
        parts["inputs"].append(f"x{i}")
        value = "(float)(seed >> 20) / 512.0f - 4.0f" if tensor["type"] == "float" else "seed >> 20 & 1"
        parts["fill"].append(f"for (int j = 0; j < {count}; ++j) {{ seed = seed * 1664525u + 1013904223u; "
                             f"x{i}[j] = {value}; }}")
    for i, tensor in enumerate(facts["outputs"]):
        parts["declarations"].append(f"static unsigned char y{i}[{tensor['bytes']}] __attribute__((aligned(64)));")
        parts["outputs"].append(f"(void *)y{i}")
        parts["print"].append(f"fwrite(y{i}, 1, sizeof y{i}, stdout);")
    return PROGRAM.format(**{name: (", " if name in ("inputs", "outputs") else "\n  ").join(lines)
                             for name, lines in parts.items()})


class Test:
    def __init__(self, convoy, plugin, models, scratch, threads):
        self.convoy, self.plugin = convoy, plugin
        self.models, self.scratch = pathlib.Path(models), pathlib.Path(scratch)
        self.flags = [*FLAGS, *host_flags(convoy)]
        self.threads = threads
        self.failures = 0

    def expect(self, is_right, what, text=""):
        print("ok    " if is_right else "WRONG ", what, sep="", flush=True)
        if not is_right:
            self.failures += 1
            print(text)

    def emit(self, name, threads, flags=()):
        """Writes the C of a model and a program that calls it; returns the folder and the files."""
        folder = self.scratch / f"{name}_{threads}{'_watched' if flags else ''}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        done = subprocess.run([self.convoy, "compile", str(self.models / f"{name}.onnx"), "-o", str(folder),
                               "--emit=c", "--name", "net", "--threads", str(threads), "--json", *flags],
                              check=True, stdout=subprocess.PIPE)
        facts = json.loads(done.stdout)
        (folder / "main.c").write_text(program_text(facts))
        sources = [str(folder / "main.c"), facts["source"]]
        if facts.get("weights_assembly"):
            sources.append(facts["weights_assembly"])
        return folder, sources

    def build(self, emitted, name, *flags):
        """Builds with clang, and with threads that ThreadSanitizer supports instead of OpenMP."""
        folder, sources = emitted
        objects = []
        for source in [*sources, str(SHIM / "threads.c")]:
            objects.append(str(folder / (pathlib.Path(source).name + ".o")))
            subprocess.run([COMPILER, *self.flags, *flags, "-fopenmp", "-I", str(SHIM), "-I", str(folder), "-c", source,
                            "-o", objects[-1]], check=True)
        program = folder / name
        subprocess.run([COMPILER, *flags, "-pthread", *objects, "-lm", "-o", str(program)], check=True)
        return program

    def build_plainly(self, compiler, emitted, name, *flags):
        folder, sources = emitted
        program = folder / name
        subprocess.run([compiler, *self.flags, "-I", str(folder), *sources, *flags, "-lm", "-o", str(program)], check=True)
        return program

    def run(self, program, **environment):
        return subprocess.run([str(program)], capture_output=True, timeout=300,
                              env={**os.environ, **environment})

    def same_bits(self, name):
        expected = None
        for threads in self.threads:
            emitted = self.emit(name, threads)
            done = self.run(self.build(emitted, "main"))
            expected = expected or done.stdout
            if done.returncode != 0 or not expected or done.stdout != expected:
                self.expect(False, f"{name} as C with {threads} threads gives the same bits", done.stderr.decode())
                return
        self.expect(True, f"{name} as C: the same bits with {', '.join(map(str, self.threads))} threads")

    def same_in_bands(self, name):
        expected = self.run(self.build(self.emit(name, 1, ["--bands=off"]), "main")).stdout
        for threads in [1, 2, 5]:
            done = self.run(self.build(self.emit(name, threads, [BANDS]), "main"))
            self.expect(done.returncode == 0 and expected and done.stdout == expected,
                        f"{name} as C in bands with {threads} threads", done.stderr.decode())

    def same_with_openmp(self, name, threads):
        """Runs with all threads, with fewer, and without OpenMP; gcc has an OpenMP runtime
        everywhere."""
        emitted = self.emit(name, threads)
        program = self.build_plainly(OPENMP_COMPILER, emitted, "openmp", "-fopenmp")
        expected = self.run(self.build_plainly(OPENMP_COMPILER, emitted, "plain", "-Wno-unknown-pragmas")).stdout
        for limit in [threads, threads - 1, 1]:
            done = self.run(program, OMP_THREAD_LIMIT=str(limit))
            self.expect(done.returncode == 0 and expected and done.stdout == expected,
                        f"{name} as C for {threads} threads, {limit} granted", done.stderr.decode())

    def clean(self, name, threads, *flags):
        done = self.run(self.build(self.emit(name, threads, [NARROW, *flags]), "watched", "-fsanitize=thread"))
        text = done.stderr.decode()
        self.expect(done.returncode == 0 and "ThreadSanitizer" not in text,
                    f"{name} as C with {threads} threads is clean", text[:4000])

    def meets(self, name, layers):
        _, sources = self.emit(name, 2)
        waits = re.findall(r"net_wait\(.*\(uint32_t\)i\d+ \+ 1u\)", pathlib.Path(sources[1]).read_text())
        self.expect(len(waits) == 2 * layers, f"{name} as C: two workers meet in the steps of {layers} layers",
                    f"{len(waits)} waits in loops")

    def complains(self, name):
        fault = "convoy-schedule-plan-workers:injected-drop-wait"
        flags = [NARROW, "--math=strict", f"--load-pass-plugin={self.plugin}", f"--inject={fault}"]
        program = self.build(self.emit(name, 2, flags), "watched", "-fsanitize=thread")
        is_found = any(b"ThreadSanitizer: data race" in self.run(program).stderr for _ in range(RUNS))
        self.expect(is_found, f"ThreadSanitizer reports the race in {name} as C without one wait")


def main():
    test = Test(*sys.argv[1:5], threads=[int(count) for count in sys.argv[5:]] or list(range(1, 9)))
    for name in MODELS:
        test.same_bits(name)
    test.same_in_bands("layers")
    for name in ["tiny", "recurrent", "rounds", "looping"]:
        test.same_with_openmp(name, 3)
    for name in ["residual", "branches", "conditional", "rounds", "looping"]:
        test.clean(name, 3)
    test.clean("layers", 3, BANDS)
    test.meets("rounds", 2)
    test.complains("residual")
    return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main())
