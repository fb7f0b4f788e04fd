# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# lit's view of the tree: pass tests sit beside the code, in
# compiler/<Stage>/test/, and those of no single stage in tests/lit/. The site
# file of the build folder sets the paths and loads this one.

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

# A pass that hangs fails by name. lit needs psutil for this; without it the
# limit of the whole run, set in ctest, still holds.
if lit_config.maxIndividualTestTime == 0 and lit.util.killProcessAndChildrenIsSupported()[0]:
    lit_config.maxIndividualTestTime = 60
