# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests the rules for libraries, names and TODO notes."""

import unittest

import lint_case
import forbidden

A = "compiler/Layout/A.cpp"


class Forbidden(lint_case.LintCase):
    lint = forbidden

    def test_options_and_environment(self):
        self.assert_one({A: "void f() {\n  llvm::cl::opt<int> x(\"x\");\n}\n"}, f"{A}:2: cl::opt")
        self.assert_one({A: "auto x() { return getenv(\"X\"); }\n"}, f"{A}:1: getenv(")
        self.assert_clean({"tools/convoy/A.cpp": "static cl::opt<int> x(\"x\"); auto p = getenv(\"X\");\n"})

    def test_stdout(self):
        for text in ("std::cout << 1;", "llvm::outs() << 1;", "printf(\"x\");", "std::printf(\"x\");"):
            self.assert_one({A: "void f() { " + text + " }\n"}, f"{A}:1:", "stdout")
        self.assert_clean({A: "void f() { fprintf(stderr, \"x\"); snprintf(b, 2, \"x\"); op.outs(); }\n"})

    def test_exit(self):
        for text in ("exit(1);", "std::exit(1);", "_exit(1);"):
            self.assert_one({"runtime/core/a.c": "void f(void) { " + text + " }\n"}, "runtime/core/a.c:1:", "tools/")
        self.assert_clean({A: "void f() { x.exit(); atexit(g); loop->exit(); }\n"})
        self.assert_clean({"tools/convoy/A.cpp": "void f() { exit(1); }\n"})

    def test_words_in_comments_and_strings_are_free(self):
        self.assert_clean({A: "// getenv( and std::cout\nauto x() { return \"printf(exit(1))\"; }\n"})

    def test_mutable_globals(self):
        for text in ("static int counter = 0;", "int counter;", "namespace { std::map<int, int> cache; }",
                     "void f() { static int calls = 0; }", "thread_local int depth;", "Registry registry{1};",
                     "struct S { static int count; };", "static std::vector<int> v = {1, 2};"):
            self.assert_one({A: text + "\n"}, f"{A}:1: mutable global")

    def test_constants_and_functions_are_no_mutable_globals(self):
        self.assert_clean({A: """
static constexpr int kSize = 3;
static const char *const kNames[] = {"a", "b"};
constexpr Stage kStages[] = {{"a", f}, {"b", g}};
static int helper(int x);
int declared(const std::vector<int> &v);
using Map = std::map<int, int>;
class Forward;
enum class E { A, B };
struct S { int member = 0; static S make(int x); static constexpr int kN = 1; };
void f() { int local = 0; static const int table[2] = {1, 2}; use(local); }
template <typename T> T maximum(T a, T b);
Truth operator==(Real a, Real b);
using namespace mlir;
"""})

    def test_words_of_errors(self):
        for text in ('text.contains("not supported")', 'message.find(\n"this is a bug")', 'strstr(text, "timed out")'):
            self.assert_one({A: "bool f() { return " + text + "; }\n"}, f"{A}:1:", "searches the words of a text")
        self.assert_clean({A: 'bool f() { return name.contains("gcc") || line.starts_with("# "); } // find("a b")\n',
                           "compiler/Layout/test/A.cpp": 'bool f() { return text.contains("not supported"); }\n'})

    def test_names(self):
        for path in ("compiler/Utils/A.cpp", "compiler/Layout/LayoutUtils.cpp", "tests/common/a.py",
                     "compiler/Misc.h", "runtime/core/string_util.c"):
            found = self.findings({path: ""})
            self.assertTrue(found and "is meaningless" in found[0], path)
        self.assert_clean({"compiler/Graph/UncommonShapes.cpp": "", "compiler/Graph/Utilization.cpp": ""})

    def test_long_path(self):
        self.assert_one({"compiler/" + "a" * 67: ""}, "compiler/a", "76 characters")
        self.assert_clean({"compiler/" + "a" * 66: ""})

    def test_todo_needs_an_issue(self):
        self.assert_one({A: "// TODO: later\n"}, f"{A}:1: TODO without an issue")
        self.assert_one({"compiler/Graph/A.td": "\n// FIXME\n"}, "compiler/Graph/A.td:2: FIXME")
        self.assert_clean({A: "// TODO(#12): split by family.\n"})

    def test_register_all(self):
        self.assert_one({"tools/a/A.cpp": "int main() { mlir::registerAllDialects(r); }\n"}, "tools/a/A.cpp:1:")


if __name__ == "__main__":
    unittest.main()
