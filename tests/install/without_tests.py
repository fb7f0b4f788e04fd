# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that a build with CONVOY_BUILD_TESTS=OFF, as in the README's quick start, has targets for
the tools, has no test program, and needs no GoogleTest. Configures a new folder and builds nothing.

  without_tests.py SOURCE_DIR SCRATCH_DIR
"""

import re
import shutil
import subprocess
import sys

TOOLS = {"convoy", "convoy-agent", "convoy-builder", "convoy-conformance", "convoy-measure", "convoy-nvdla-trace",
         "convoy-opt", "convoy-tuningd"}

# The driver contains this module: the emulator of a microcontroller loads it to count instructions.
PLUGIN = "convoy_count_instructions"


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"FAILED: {' '.join(command)} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def main():
    source, scratch = sys.argv[1:]
    shutil.rmtree(scratch, ignore_errors=True)
    # With the package disabled, find_package(GTest REQUIRED) is an error.
    run("cmake", "--preset", "release", "-B", scratch, "-DCONVOY_BUILD_TESTS=OFF",
        "-DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON", cwd=source)
    targets = run("ninja", "-C", scratch, "-t", "targets", "all").replace(scratch, "")
    programs = set(re.findall(r"^bin/(\S+): C(?:XX)?_EXECUTABLE_LINKER", targets, re.MULTILINE))
    if programs != TOOLS:
        sys.exit(f"FAILED: the build links {', '.join(sorted(programs))}; expected {', '.join(sorted(TOOLS))}")
    tests = [line for line in targets.splitlines() if re.search(r"\btests?/\S+\.o:|_test\b|gtest|_MODULE_LIBRARY_", line)
             and not line.startswith("python/") and PLUGIN not in line]
    if tests:
        sys.exit(f"FAILED: the build has a test target: {tests[0]}")
    if "Total Tests: 0" not in run("ctest", "--test-dir", scratch, "-N"):
        sys.exit("FAILED: ctest lists tests")
    print(f"{len(targets.splitlines())} targets, {len(programs)} programs, no test")


main()
