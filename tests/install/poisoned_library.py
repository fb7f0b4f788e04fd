# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that Convoy's programs load no library from the working directory, because a model and its
folder may come from an untrusted source. The script runs the programs in a folder with a
libwebp.so.7 that ends the process. It also makes the loader resolve every needed library in a
folder that has a file of each name.

  poisoned_library.py CC BIN_DIR MODEL SCRATCH_DIR
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

PROGRAMS = ["convoy", "convoy-opt", "convoy-conformance", "convoy-measure"]
LIBRARY = "libwebp.so.7"
POISON_CODE = 66
POISON = f"""
#include <unistd.h>
__attribute__((constructor)) static void poison(void) {{
  static const char text[] = "POISONED\\n";
  ssize_t ignored = write(2, text, sizeof text - 1);
  (void)ignored;
  _exit({POISON_CODE});
}}
"""


def needed(program):
    text = subprocess.run(["readelf", "-dW", str(program)], check=True, stdout=subprocess.PIPE, text=True).stdout
    return re.findall(r"\(NEEDED\)\s+Shared library: \[(.*)\]", text)


def resolve(program, folder):
    """Returns (name, path) of the libraries that the loader would load, without running the
    program. The path of a library in the working directory is empty, because the loader prints only
    its name."""
    listed = run([str(program)], folder, LD_TRACE_LOADED_OBJECTS="1").stdout
    found = re.findall(r"^\t(\S+?)(?: => (\S+))? \(0x", listed, re.MULTILINE)
    return [(name, path) for name, path in found if not name.startswith(("/", "linux-vdso"))]


def make_poison(compiler, folder, real):
    """Builds a library with all functions of the real library. A missing function would end the
    process before the constructor runs."""
    text = subprocess.run(["readelf", "--dyn-syms", "-W", real], check=True, stdout=subprocess.PIPE, text=True).stdout
    names = re.findall(r"FUNC\s+(?:GLOBAL|WEAK)\s+DEFAULT\s+\d+ (\w+)", text)
    source = folder / "poison.c"
    source.write_text(POISON + "".join(f"void {name}(void);\nvoid {name}(void) {{}}\n" for name in names))
    subprocess.run([compiler, "-shared", "-fPIC", "-w", "-o", folder / LIBRARY, source], check=True)


def run(command, folder, **variables):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LD_")}
    return subprocess.run(command, cwd=folder, env={**environment, **variables}, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def check_runs(commands, folder):
    """Checks that the commands succeed beside the library that ends a process."""
    # Checks first that the library ends a process if a library path names the folder.
    done = run(commands[0], folder, LD_LIBRARY_PATH=str(folder))
    if done.returncode != POISON_CODE:
        sys.exit(f"FAILED: {LIBRARY} does not end a process that loads it: {done.stderr}")
    for command in commands:
        done = run(command, folder)
        if done.returncode != 0:
            sys.exit(f"FAILED: {' '.join(command)} ended with {done.returncode}: {done.stderr}")
    print(f"{len(commands)} commands did not load {LIBRARY} from the working directory")


def check_resolution(programs, folder):
    """Checks that no library that a program needs resolves to the folder."""
    for name in sorted({name for program in programs for name in needed(program)}):
        if not (folder / name).exists():
            shutil.copy(folder / LIBRARY, folder / name)
    for program in programs:
        libraries = resolve(program, folder)
        if not libraries:
            sys.exit(f"FAILED: the loader lists no library of {program.name}")
        for name, path in libraries:
            if not path.startswith("/") or pathlib.Path(path).resolve().parent == folder.resolve():
                sys.exit(f"FAILED: {program.name} would load {name} from the working directory")
        print(f"{program.name}: {len(libraries)} libraries, none from the working directory")


def main():
    compiler, bin_dir, model, scratch = sys.argv[1:]
    folder = pathlib.Path(scratch)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(model, folder / "model.onnx")
    programs = [pathlib.Path(bin_dir) / name for name in PROGRAMS]
    real = dict(resolve(programs[0], folder)).get(LIBRARY)
    if not real:
        sys.exit(f"FAILED: convoy does not load {LIBRARY}; the test must use a library that convoy loads")
    make_poison(compiler, folder, real)
    # convoy-measure has no --help; `convoy bench` starts it.
    check_runs([[str(programs[0]), "inspect", "model.onnx"],
                *([str(program), "--help"] for program in programs[:-1])], folder)
    check_resolution(programs, folder)


main()
