# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds emitted C with the Makefile beside it and runs the test bench: one file, large weights and
threads, the C file of a custom op, another Makefile that includes it, and a microcontroller. Checks
that the Makefile has the flags that `convoy compile` prints.

  makefile.py CONVOY EXAMPLES_DIR SCRATCH_DIR
"""

import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import numpy
import onnx
from onnx import numpy_helper

convoy, examples, scratch = sys.argv[1], *map(pathlib.Path, sys.argv[2:])


def run(*command, cwd=None):
    done = subprocess.run([str(word) for word in command], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    if done.returncode != 0:
        sys.exit(f"FAILED: {' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def expect(is_true, text):
    if not is_true:
        sys.exit(f"FAILED: {text}")


def write_product(path):
    """Writes a product with 2 MiB of weights, which emitted C keeps in a file beside it."""
    weights = numpy_helper.from_array(numpy.linspace(-1, 1, 1024 * 512, dtype=numpy.float32).reshape(1024, 512), "w")
    ends = [onnx.helper.make_tensor_value_info(name, 1, shape) for name, shape in (("x", [8, 1024]), ("y", [8, 512]))]
    node = onnx.helper.make_node("MatMul", ["x", "w"], ["y"])
    graph = onnx.helper.make_graph([node], "product", ends[:1], ends[1:], [weights])
    opsets = [onnx.helper.make_opsetid("", 17)]
    onnx.save(onnx.helper.make_model(graph, ir_version=8, opset_imports=opsets), str(path))


def emit(model, folder, *flags):
    return json.loads(run(convoy, "compile", model, "--emit=c", "-o", folder, "--json", *flags))


def check_flags(summary):
    """Checks that the Makefile has the command of the row `compiler`."""
    path = pathlib.Path(summary["makefile"])
    variables = dict(re.findall(r"^(\w+) \?= (.*)$", path.read_text(), re.MULTILINE))
    command = [variables[f"{path.stem}_CC"], *shlex.split(variables[f"{path.stem}_CFLAGS"])]
    expect(command == summary["source_compiler"], f"{path} has {command}, printed is {summary['source_compiler']}")
    return path


def build(summary, *variables):
    """Builds everything, runs the test bench and checks that a second make compiles nothing."""
    path = check_flags(summary)
    printed = run("make", "-C", path.parent, "-f", path.name, *variables)
    expect(run(path.parent / f"{path.stem}_test") == "0 wrong\n", f"the test bench of {path} differs")
    again = run("make", "-C", path.parent, "-f", path.name, *variables)
    expect("Nothing to be done" in again, f"a second make compiles again: {again}")
    return printed


def main():
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    run("/usr/bin/python3", examples / "make_model.py", scratch)
    stripes = scratch / "stripes.onnx"
    printed = build(emit(stripes, scratch / "host", "--with-test"))
    expect(" -O3 " in printed, f"make does not optimize: {printed}")
    build(emit(stripes, scratch / "gcc", "--with-test", "--name=net", "--loops=plain"), "net_CC=gcc")

    write_product(scratch / "product.onnx")
    summary = emit(scratch / "product.onnx", scratch / "product", "--with-test", "--threads=2")
    expect(summary["weights_assembly"], "the weights are not in a file")
    expect(" -fopenmp " in build(summary), "make does not use the threads of the model")
    run("make", "-B", "-C", scratch / "product", "-f", "product.mk", "product_OPENMP=")
    run(scratch / "product/product_test")

    custom = scratch / "custom"
    run("/usr/bin/python3", examples / "custom-op/make_model.py", custom)
    own = custom / "op with $x"  # make and the shell must not read the name of the C file
    shutil.copytree(examples / "custom-op", own)
    (own / "scatter_pillars.c").rename(own / "a b$x'.c")
    declaration = (own / "ops.json").read_text().replace("scatter_pillars.c", "a b$x'.c")
    (own / "ops.json").write_text(declaration)
    flags = ["--custom-ops", own / "ops.json", "--input", f"features={custom}/features.npy", "--input",
             f"cells={custom}/cells.npy"]
    expect(" -ffp-contract=off " in build(emit(custom / "pillars.onnx", custom / "c", "--with-test", *flags)),
           "make contracts products and sums of the custom op")

    # Another Makefile includes the Makefile from another folder and links the objects.
    check_flags(emit(stripes, scratch / "included/model"))
    (scratch / "included/main.c").write_text('#include "stripes.h"\nint main(void) { return stripes_model() == 0; }\n')
    (scratch / "included/Makefile").write_text(
        "main: main.c model/stripes.o\n\t$(stripes_COMPILE) -o $@ $< $(stripes_OBJECTS) $(stripes_LDLIBS)\n"
        "include model/stripes.mk\n")
    run("make", cwd=scratch / "included")
    run(scratch / "included/main")

    # The program of a microcontroller has start-up code, so the Makefile does not link a program.
    path = check_flags(emit(stripes, scratch / "board", "--target=cortex-m4", "--with-test"))
    run("make", "-C", path.parent, "-f", path.name)
    header = run("readelf", "-h", path.parent / "stripes.o")
    expect(re.search(r"Machine: +ARM", header) and not (path.parent / "stripes_test").exists(), header)


main()
