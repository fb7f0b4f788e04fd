# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Configures lit. Tests of one stage are in compiler/<Stage>/test/; tests of several stages are in
# tests/lit/. The site file in the build folder sets the paths and loads this file.

import os

import lit.formats
import lit.util

config.name = "convoy"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".onnxtxt", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = config.convoy_source_dir
config.test_exec_root = os.path.join(config.convoy_build_dir, "tests", "lit")

config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.convoy_build_dir, "bin"), config.llvm_tools_dir, os.environ["PATH"]]
)
config.substitutions.append(("%python", config.convoy_python))
config.substitutions.append(("%source_dir", config.convoy_source_dir))

# Sets a time limit per test, so that a pass that hangs fails by name. lit needs psutil for this
# limit. Without psutil only ctest's limit for the whole run applies.
if lit_config.maxIndividualTestTime == 0 and lit.util.killProcessAndChildrenIsSupported()[0]:
    lit_config.maxIndividualTestTime = 60
