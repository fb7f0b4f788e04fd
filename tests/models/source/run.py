# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Emits a model as C in both variants, compiles it with every compiler and with warnings as errors,
and runs its test bench. The script also checks that a second emission gives the same bytes, that
the code allocates nothing, that no variable outlives a call, and that the test bench can fail.

  run.py CONVOY CC[,CC..] SCRATCH_DIR MODEL [FLAG...]
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from host_flags import host_flags

WARNINGS = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion",
            "-Wshadow", "-Werror"]
# The functions that the code may call: exact functions of the C library, and copies.
ALLOWED = re.compile(r"^(fma|sqrt|rint|floor|ceil|trunc|copysign|fabs)f?$|^mem(cpy|move|set)$|"
                     r"^_GLOBAL_OFFSET_TABLE_$|^net_weights$")


def expect(is_true, text):
    if not is_true:
        sys.exit(f"FAILED: {text}")


def emit(convoy, model, folder, loops, flags):
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([convoy, "compile", str(model), "-o", str(folder), "--name", "net", "--emit=c",
                    "--with-test", "--loops", loops, *flags], check=True,
                   stdout=subprocess.DEVNULL)
    return sorted(p.name for p in folder.iterdir())


def check_same_again(convoy, model, scratch, loops, flags):
    names = [emit(convoy, model, scratch / part, loops, flags) for part in ("first", "again")]
    expect(names[0] == names[1], "a second compile wrote different files")
    for name in names[0]:
        same = (scratch / "first" / name).read_bytes() == (scratch / "again" / name).read_bytes()
        expect(same, f"a second compile wrote a different {name}")


def check_object(cc, folder, machine):
    """Checks that the code calls only exact math functions and has no writable data. A
    position-independent program relocates the pointers of the constant table when it starts."""
    subprocess.run([cc, *WARNINGS, "-O1", *machine, "-fno-math-errno", "-fno-pie", "-c", "-o",
                    folder / "net.o", folder / "net.c"], check=True)
    symbols = subprocess.run(["nm", folder / "net.o"], check=True, stdout=subprocess.PIPE,
                             text=True).stdout
    for line in symbols.splitlines():
        kind, name = line.split()[-2:]
        expect(kind not in "bBdDcC", f"the code has writable data: {name}")
        expect(kind != "U" or ALLOWED.match(name), f"the code calls {name}, which is not allowed")


def build(cc, folder, source_flags, program):
    """`source_flags` start with the flags of this machine."""
    sources = [folder / "net.c", folder / "net_test.c"]
    if (folder / "net_weights.S").exists():
        sources += [folder / "net_weights.S", "-I", folder]
    subprocess.run([cc, *WARNINGS, "-O2", *source_flags, "-o", program, *sources,
                    "-lm"], check=True)


def check_threads(convoy, model, folder, loops, cc, machine):
    """Runs a parallel region with the planned number of threads and with fewer, which run the
    workers in turn."""
    emit(convoy, model, folder, loops, ["--threads", "3"])
    build(cc, folder, [*machine, "-fopenmp"], folder / "program")
    for limit in ("3", "1"):
        done = subprocess.run([folder / "program"], stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "OMP_THREAD_LIMIT": limit})
        expect(done.returncode == 0, f"{loops}, {cc}, at most {limit} threads: {done.stdout}")


def check_addresses(convoy, model, folder, cc, machine):
    """Checks with a sanitizer that the code reads no element outside its arrays. Blocks are short,
    so most layers end in a partial block."""
    for target in ("host", "x86-64-v2"):
        emit(convoy, model, folder, "vectors", ["--target", target])
        build(cc, folder, [*machine, "-O1", "-g", "-fsanitize=address,undefined",
                           "-fno-sanitize-recover=all"], folder / "program")
        done = subprocess.run([folder / "program"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        expect(done.returncode == 0, f"{target}, with sanitizers: {done.stdout}{done.stderr[:3000]}")


def check_failure(cc, folder, machine):
    """Changes one expected number and checks that the test bench reports it."""
    text = (folder / "net_test.c").read_text()
    start = text.index("want_0[")
    at = re.compile(r"\n  \(?-?[0-9][^,]*,").search(text, start)
    (folder / "net_test.c").write_text(text[:at.start()] + "\n  99," + text[at.end():])
    build(cc, folder, machine, folder / "wrong")
    code = subprocess.run([folder / "wrong"], stdout=subprocess.DEVNULL).returncode
    expect(code == 1, f"the test bench returned {code} for a wrong output, expected 1")


def main():
    convoy, compilers, scratch, model, *flags = sys.argv[1:]
    scratch = pathlib.Path(scratch)
    machine = host_flags(convoy)
    for loops in ("vectors", "plain"):
        check_same_again(convoy, model, scratch / loops, loops, flags)
        folder = scratch / loops / "first"
        for cc in compilers.split(","):
            build(cc, folder, machine, folder / "program")
            done = subprocess.run([folder / "program"], stdout=subprocess.PIPE, text=True)
            expect(done.returncode == 0, f"{loops}, {cc}: {done.stdout}")
            check_object(cc, folder, machine)
            check_threads(convoy, model, scratch / loops / "threads", loops, cc, machine)
    check_addresses(convoy, model, scratch / "watched", compilers.split(",")[-1], machine)
    check_failure(compilers.split(",")[0], scratch / "plain" / "first", machine)


main()
