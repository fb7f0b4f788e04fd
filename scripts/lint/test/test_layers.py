# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests permitted and forbidden includes in the order of folders."""

import unittest

import layers
import lint_case

ORDER = """# Map
<!-- order of folders: checked -->
```
compiler/include   interface
compiler/Support   small
compiler/Graph     dialect
compiler/Devices/* each device
compiler/Devices   what devices share
io                 files
tools/convoy       driver
```
<!-- end of order -->
"""
HEADERS = {"compiler/Support/Tensor.h": "", "compiler/Graph/Graph.h": "",
           "compiler/Devices/Device.h": "", "compiler/Devices/One/One.h": "", "io/Files.h": "",
           "compiler/include/convoy/model.h": "", "ARCHITECTURE.md": ORDER}


class Layers(lint_case.LintCase):
    lint = layers

    def test_an_include_may_go_down(self):
        self.assert_clean({**HEADERS, "io/Files.cpp": '#include "io/Files.h"\n#include "Graph/Graph.h"\n'
                           '#include <convoy/model.h>\n#include <vector>\n#include "mlir/IR/Types.h"\n'})

    def test_an_include_may_not_go_up(self):
        self.assert_one({**HEADERS, "compiler/Graph/Fold.cpp": '\n#include "io/Files.h"\n'},
                        "compiler/Graph/Fold.cpp:2:", "io/Files.h", "below compiler/Graph")

    def test_a_pattern_stands_for_each_folder(self):
        self.assert_clean({**HEADERS, "compiler/Devices/Registry.cpp": '#include "Devices/One/One.h"\n'})
        self.assert_one({**HEADERS, "compiler/Devices/One/One.cpp": '#include "Devices/Device.h"\n'},
                        "compiler/Devices/One/One.cpp:1:", "Devices/Device.h")

    def test_the_driver_knows_neither_mlir_nor_stages(self):
        self.assert_clean({**HEADERS, "tools/convoy/Run.cpp": '#include "io/Files.h"\n#include "Support/Tensor.h"\n'})
        self.assert_one({**HEADERS, "tools/convoy/Run.cpp": '#include "mlir/IR/Types.h"\n'},
                        "tools/convoy/Run.cpp:1:", "MLIR")
        self.assert_one({**HEADERS, "tools/convoy/Run.cpp": '#include "Graph/Graph.h"\n'},
                        "tools/convoy/Run.cpp:1:", "a stage's header")

    def test_every_folder_has_a_place(self):
        self.assert_one({**HEADERS, "elsewhere/A.cpp": ""}, "elsewhere/A.cpp:1:", "not in ARCHITECTURE.md")

    def test_tests_are_free(self):
        self.assert_clean({**HEADERS, "compiler/Graph/test/a_test.cpp": '#include "io/Files.h"\n',
                           "tests/a.cpp": '#include "io/Files.h"\n'})

    def test_the_order_must_be_there(self):
        self.assert_one({"ARCHITECTURE.md": "# Map\n"}, "ARCHITECTURE.md:1:", "no order of folders")


if __name__ == "__main__":
    unittest.main()
