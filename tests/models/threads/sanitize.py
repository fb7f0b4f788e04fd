# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs ThreadSanitizer on compiled models. It reports nothing for a correct model, and reports the
race if the test removes a wait.

  sanitize.py CONVOY PLUGIN MODELS SCRATCH_DIR
"""

import pathlib
import shutil
import subprocess
import sys

COMPILER = "clang-19"
RUNS = 20
PROGRAM = """
#include "{name}.h"
#include <stdlib.h>
int main(void) {{
  static float x[{upper}_INPUT_0_ELEMENTS];
  static float y[{upper}_OUTPUT_0_ELEMENTS];
  static float z[8192];
  {name}_inputs inputs = {{x}};
  {name}_outputs outputs = {{y{more}}};
  void *workspace = aligned_alloc(64, ({upper}_WORKSPACE_BYTES + 63) / 64 * 64);
  int i, j, code = 0;
  (void)z;
  for (i = 0; i < 10 && code == 0; ++i) {{
    for (j = 0; j < {upper}_INPUT_0_ELEMENTS; ++j) {{
      x[j] = (float)((i * 31 + j * 7) % 17) - 8.0f;
    }}
    code = {name}_run(&inputs, &outputs, workspace);
    x[0] += y[0]; /* reads what workers wrote */
  }}
  free(workspace);
  return code;
}}
"""


class Test:
    def __init__(self, convoy, plugin, models, scratch):
        self.convoy, self.plugin = convoy, plugin
        self.models, self.scratch = pathlib.Path(models), pathlib.Path(scratch)
        self.failures = 0

    def expect(self, is_right, what, text):
        print("ok    " if is_right else "WRONG ", what, sep="", flush=True)
        if not is_right:
            self.failures += 1
            print(text)

    def build(self, name, folder, flags):
        """Builds a program that runs the model, with both instrumented."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        subprocess.run([self.convoy, "compile", str(self.models / f"{name}.onnx"), "-o", str(folder),
                        "--sanitize=thread", *flags], check=True, stdout=subprocess.DEVNULL)
        source = folder / "main.c"
        source.write_text(PROGRAM.format(name=name, upper=name.upper(),
                                         more=", z" if name in ("branches", "conditional") else ""))
        program = folder / "main"
        subprocess.run([COMPILER, "-fsanitize=thread", "-g", "-O1", str(source),
                        str(folder / f"{name}.so"), f"-Wl,-rpath,{folder}", "-o", str(program)],
                       check=True)
        return program

    def run(self, program):
        return subprocess.run([str(program)], capture_output=True, text=True, timeout=300)

    def clean(self, name, threads, *flags):
        folder = self.scratch / f"{name}_{threads}"
        done = self.run(self.build(name, folder, ["--threads", str(threads), *flags]))
        self.expect(done.returncode == 0 and "ThreadSanitizer" not in done.stderr,
                    f"{name} with {threads} threads is clean", done.stderr[:4000])

    def complains(self, name):
        fault = "convoy-schedule-plan-workers:injected-drop-wait"
        # Direct sums use plain loads; LLVM does not instrument masked loads.
        flags = ["--threads", "2", "--math=strict", f"--load-pass-plugin={self.plugin}",
                 f"--inject={fault}"]
        program = self.build(name, self.scratch / f"{name}_injected", flags)
        # On a busy machine one worker may run all tasks, and then no race occurs.
        for _ in range(RUNS):
            done = self.run(program)
            is_found = ("WARNING: ThreadSanitizer: data race" in done.stderr and
                        f"{name}_worker_" in done.stderr)
            if is_found:
                break
        self.expect(is_found, f"ThreadSanitizer reports the race in {name} without one wait", done.stderr[:4000] or str(done))


def main():
    test = Test(*sys.argv[1:])
    for name in ["residual", "recurrent", "rounds"]:
        test.clean(name, 2)
    for name in ["branches", "conditional", "looping"]:
        test.clean(name, 3)
    test.clean("layers", 3, "--bands=always")
    test.complains("residual")
    return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main())
