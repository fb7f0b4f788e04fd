# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests lists of graph ops in code, the list of exempt files, and names of computed facts."""

import unittest

import lint_case
import op_facts

TD = {"compiler/Graph/Tensor.td": "".join(f"def Graph_{name}Op : Graph_Op<\"x\", NoneClass> {{}}\n" for name in "ABCD"),
      "compiler/Graph/OpFacts.td": 'InterfaceMethod<"See X.", "bool", "readsOnce", (ins), "", "return false;">\n'}
PASS = "compiler/Fusion/Fuse.cpp"
ALLOW = "scripts/op_list_allow.txt"
LONG = "bool x = isa<graph::AOp, graph::BOp,\n    graph::COp>(op);\n"


class OpFacts(lint_case.LintCase):
    lint = op_facts

    def test_a_list_of_three_ops_is_a_finding(self):
        self.assert_one({**TD, PASS: "int y;\n" + LONG}, f"{PASS}:2:", "3 graph ops", "OpFacts.td")
        self.assert_one({**TD, PASS: LONG.replace("isa<", "isa_and_nonnull<")}, f"{PASS}:1:")

    def test_short_lists_and_other_dialects_are_free(self):
        self.assert_clean({**TD, PASS: "bool x = isa<graph::AOp, graph::BOp, func::ReturnOp>(op);\n"})
        self.assert_clean({**TD, PASS: "bool x = isa<device::AOp, device::BOp, device::COp>(op);\n"})
        self.assert_clean({**TD, PASS: "// isa<graph::AOp, graph::BOp, graph::COp>(op)\n"})

    def test_names_without_namespace_count_where_graph_is_visible(self):
        text = "bool x = isa<AOp, BOp, COp>(op);\n"
        self.assert_clean({**TD, PASS: text})
        self.assert_one({**TD, PASS: "using namespace graph;\n" + text}, f"{PASS}:2:")
        self.assert_one({**TD, PASS: "namespace convoy::graph {\n" + text + "}\n"}, f"{PASS}:2:")

    def test_tests_templates_and_devices_are_free(self):
        for path in ("compiler/Fusion/test/fuse_test.cpp", "compiler/Kernels/Conv/Match.cpp", "compiler/Accelerators/A/Lower.cpp"):
            self.assert_clean({**TD, path: LONG})

    def test_an_entry_with_a_reason_exempts_a_file(self):
        self.assert_clean({**TD, PASS: LONG, ALLOW: f"# comment\n{PASS} the ops that the pass lowers\n"})
        self.assert_one({**TD, PASS: LONG, ALLOW: f"{PASS}\n"}, f"{ALLOW}:1:", "no reason")

    def test_an_entry_that_is_not_needed_is_a_finding(self):
        self.assert_one({**TD, PASS: "int y;\n", ALLOW: f"{PASS} why\n"}, f"{ALLOW}:1:", "remove the entry")
        self.assert_one({**TD, ALLOW: f"{PASS} why\n"}, f"{ALLOW}:1:", "remove the entry")

    def test_a_computed_fact_is_a_method_of_the_interface(self):
        path = "compiler/Graph/NN.td"
        self.assert_clean({**TD, path: 'def Graph_EOp : Graph_Op<"e", NoneClass, [ComputedFact<"readsOnce">]> {}\n'})
        self.assert_one({**TD, path: '\ndef Graph_EOp : Graph_Op<"e", NoneClass, [ComputedFact<"readOnce">]> {}\n'},
                        f"{path}:2:", "readOnce")


if __name__ == "__main__":
    unittest.main()
