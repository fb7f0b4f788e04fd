# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that hash_artifacts.py reports each kind of change, on a stand-in compiler of a few lines:
a flag, a message, an exit code, a count of the summary, a file. Also checks the properties of the
case sets that the script relies on."""

import contextlib
import io
import os
import pathlib
import sys
import tempfile
import textwrap
import unittest
from unittest import mock

import cases
import hash_artifacts

# Writes its arguments as a library, and rejects the target `none`.
COMPILER = """\
    #!{python}
    import json, os, sys
    if sys.argv[1] in ("targets", "records"):
        print('[{{"name": "host"}}]')
        sys.exit(0)
    if "--target=none" in sys.argv:
        print("error: no target 'none'", file=sys.stderr)
        sys.exit(1)
    for ending in ("h", "so"):
        with open("out/net." + ending, "w") as file:
            file.write(" ".join(sys.argv[1:]) + ending)
    tuned = int("--records=records" in sys.argv)
    print(json.dumps({{"library_bytes": 7, "records": {{"kernels": 5, "tuned": tuned, "kept": 0}}}}))
    """


def case(name, *arguments):
    return cases.Case(name, None, ["compile", *arguments])


PLAIN = case("net/plain", "--loops=plain")
CASES = [PLAIN, case("net/threads", "--threads=2"), case("net/refused", "--target=none")]


class HashArtifacts(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.write_compiler()
        self.exceptions("")

    def write_compiler(self, old="", new=""):
        path = self.folder / "convoy"
        text = textwrap.dedent(COMPILER).format(python=sys.executable)
        self.assertIn(old, text)
        path.write_text(text.replace(old, new) if old else text)
        path.chmod(0o755)

    def exceptions(self, text):
        (self.folder / "exceptions.txt").write_text(text)

    def call(self, verb, chosen, *arguments):
        """Returns the exit code and the printed text."""
        # Relative names, as a user gives them, so that messages show them.
        command = ["hash_artifacts.py", verb, *arguments, "--convoy", "convoy", "--scratch", "scratch"]
        out = io.StringIO()
        before = os.getcwd()
        os.chdir(self.folder)
        try:
            with mock.patch.object(cases, "cases_of", lambda name: chosen), mock.patch("sys.argv", command), \
                    contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
                args = hash_artifacts.parse_arguments()
                return args.action(args), out.getvalue()
        finally:
            os.chdir(before)

    def record(self, chosen=CASES, *arguments, llvm="19.1.7"):
        code, _ = self.call("record", chosen, "-o", "file.txt", "--llvm", llvm, *arguments)
        self.assertEqual(code, 0)

    def compare(self, chosen=CASES, *arguments, llvm="19.1.7"):
        return self.call("compare", chosen, "file.txt", "--llvm", llvm, "--exceptions", "exceptions.txt", *arguments)

    def assertChanged(self, result, *words):
        code, text = result
        self.assertEqual(code, 1, text)
        for word in words:
            self.assertIn(word, text)

    def test_the_same_compiler_gives_equal_cases(self):
        self.record()
        self.assertEqual(self.compare(), (0, "3 equal, 0 differ, 0 missing\n"))

    def test_a_changed_flag_differs(self):
        self.record()
        changed = [case("net/plain", "--loops=vectors"), *CASES[1:]]
        self.assertChanged(self.compare(changed), "DIFFERS: net/plain\n    files differ: net.h, net.so\n",
                           "convoy compile --loops=vectors", "2 equal, 1 differ, 0 missing",
                           "name it in the commit message", "record --set full --convoy convoy -o file.txt")

    def test_changed_words_of_a_refusal_differ(self):
        self.record()
        self.write_compiler("no target", "unknown target")
        self.assertChanged(self.compare(), "DIFFERS: net/refused\n    stderr differs\n")

    def test_a_changed_exit_code_shows_the_error(self):
        self.record()
        self.write_compiler("sys.exit(1)", "sys.exit(2)")
        self.assertChanged(self.compare(), "exit code 2, recorded 1", "error: no target 'none'")

    def test_files_come_and_go(self):
        self.record()
        self.write_compiler('("h", "so")', '("h", "c")')
        self.assertChanged(self.compare(), "files differ: net.c is new, net.so is not written")

    def test_hits_of_records_are_compared(self):
        chosen = [case("net/records", cases.RECORDS)]
        (self.folder / "records").write_text("")
        self.record(chosen, "--records", "records")
        self.write_compiler('int("--records=records" in sys.argv)', "0")
        self.assertChanged(self.compare(chosen, "--records", "records"),
                           "records: kernels=5 tuned=0 kept=0, recorded kernels=5 tuned=1 kept=0")
        self.assertChanged(self.compare(chosen), "missing: 1 (net/records): needs --records\n")

    def test_missing_cases_are_told(self):
        self.record(CASES[1:])
        self.assertChanged(self.compare(), "missing: 1 (net/plain): not recorded\n", "2 equal, 0 differ, 1 missing")
        self.assertChanged(self.compare(CASES[2:]), "missing: 1 (net/threads): no case has this name\n")

    def test_only_chooses_cases(self):
        self.record(CASES[:2])
        self.assertEqual(self.compare(CASES, "--only", "plain")[1], "1 equal, 0 differ, 0 missing\n")

    def test_results_are_kept(self):
        self.record(CASES, "--keep", "kept")
        kept = self.folder / "kept/net"
        self.assertEqual(sorted(path.name for path in (kept / "plain/out").iterdir()), ["net.h", "net.so"])
        self.assertEqual((kept / "refused/stderr").read_text(), "error: no target 'none'\n")
        self.assertFalse((kept / "plain/models").exists())

    def test_exceptions_have_a_reason(self):
        self.record()
        self.write_compiler("no target", "unknown target")
        self.exceptions("net/ref.*\tthe message is new\n")
        code, text = self.compare()
        self.assertEqual(code, 0)
        self.assertIn("expected to differ: net/refused\n    stderr differs\n    expected: the message is new\n", text)
        self.assertIn("2 equal, 0 differ, 0 missing, 1 expected to differ", text)
        self.exceptions("net/ref.*\n")
        with self.assertRaisesRegex(SystemExit, "exceptions.txt:1: expected case-regex<TAB>reason"):
            self.compare()

    def test_another_llvm_skips_ci_and_warns_otherwise(self):
        self.record()
        code, text = self.compare(llvm="19.1.8")
        self.assertEqual(code, 0)
        self.assertIn("warning: 'file.txt' was recorded with LLVM 19.1.7, and this is 19.1.8", text)
        self.record(CASES, "--set", "ci")
        code, text = self.compare(llvm="19.1.8")
        self.assertEqual(code, hash_artifacts.SKIPPED)
        self.assertTrue(text.startswith("skipped: "), text)

    def test_a_compiler_without_a_runtime_skips_the_case(self):
        self.record()
        self.write_compiler('if "--target=none"', """if "--threads=2" in sys.argv:
    sys.exit("not supported: target 'aarch64': this build of convoy has no runtime for aarch64")
if "--target=none\"""")
        code, text = self.compare()
        self.assertEqual(code, 0, text)
        self.assertIn("skipped: 1 (net/threads): not supported: target 'aarch64'", text)
        self.assertIn("2 equal, 0 differ, 0 missing, 1 skipped", text)

    def test_ci_leaves_out_the_library_but_not_its_header(self):
        self.record(CASES, "--set", "ci")
        self.assertIn("\tkernels=5 tuned=0 kept=0\n", (self.folder / "file.txt").read_text())
        self.write_compiler('": 7', '": 8')
        self.assertEqual(self.compare()[0], 0)
        self.write_compiler("file.write(", "file.write('/* other */' + ")
        self.assertChanged(self.compare(), "files differ: net.h\n")


class Sets(unittest.TestCase):
    def test_names_are_unique(self):
        for name in ("full", "quick", "ci"):
            names = [case.name for case in cases.cases_of(name)]
            self.assertEqual(len(names), len(set(names)), name)

    def test_quick_is_a_part_of_full(self):
        full = {case.name: case for case in cases.cases_of("full")}
        for quick in cases.cases_of("quick"):
            self.assertEqual(full.get(quick.name), quick)

    def test_ci_does_not_depend_on_the_host(self):
        for ci in cases.cases_of("ci"):
            targets = [argument for argument in ci.arguments if argument.startswith(("--target=", "--cpu="))]
            self.assertTrue(targets and "--target=host" not in targets, ci.name)
            if "--emit=program" not in ci.arguments and targets[0].partition("=")[2] in cases.DEVICES:
                self.assertIn(f"--cpu={cases.FIXED_CPU}", targets, ci.name)


if __name__ == "__main__":
    unittest.main()
