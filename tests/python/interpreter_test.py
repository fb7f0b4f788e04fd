# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An interpreter that cannot import the packages gets a sentence that names the interpreter to run.

  interpreter_test.py EXAMPLES
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import convoy
import convoy_runtime

EXAMPLES = pathlib.Path(sys.argv.pop(1))


def import_error(folder, package, *flags):
    """Returns the last line of the errors of an import."""
    done = subprocess.run([sys.executable, "-B", *flags, "-c", f"import {package}"], env=dict(os.environ, PYTHONPATH=str(folder)),
                          stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1, done
    return done.stderr.splitlines()[-1]


class InterpreterTest(unittest.TestCase):
    def copy(self, module, rename):
        """Copies the packages to a folder and renames the extension of one of them; None removes it."""
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        for package in (convoy_runtime, convoy):
            source = pathlib.Path(package.__file__).parent
            folder = pathlib.Path(scratch.name) / package.__name__
            folder.mkdir()
            for file in list(source.glob("*.py")) + list(source.glob("*.so")):
                name = file.name
                if name.startswith(module) and name.endswith(".so"):
                    if rename is None:
                        continue
                    name = f"{module}.{rename}.so"
                os.symlink(file.resolve(), folder / name)
        return scratch.name

    def test_another_version(self):
        for module, package in (("_runtime", "convoy_runtime"), ("_compiler", "convoy")):
            text = import_error(self.copy(module, "cpython-39-x86_64-linux-gnu"), package)
            self.assertIn(f"ImportError: {package} was built for CPython 3.9 (x86_64-linux-gnu), and this is CPython {sys.version.split()[0]}", text)
            self.assertIn(f"({sys.executable}); run ", text)
            self.assertIn("python3.9, or build Convoy with the headers of this interpreter: cmake -DCONVOY_PYTHON=", text)

    def test_no_extension(self):
        text = import_error(self.copy("_runtime", None), "convoy_runtime")
        self.assertIn("convoy_runtime has no extension module in '", text)
        self.assertIn("build the targets ConvoyPythonRuntime and ConvoyPythonCompiler", text)

    def test_no_numpy(self):
        """-S removes the folders of installed packages, as in a new environment of pyenv or conda."""
        text = import_error(os.environ["PYTHONPATH"], "convoy", "-S")
        self.assertIn(f"ImportError: this package needs numpy, and CPython {sys.version.split()[0]} ({sys.executable}) has none", text)
        self.assertIn("run an interpreter that has it, such as /usr/bin/python3 with Debian's package python3-numpy", text)

    def test_first_line_of_the_readme(self):
        for program in ("digits/train.py", "make_model.py"):
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([sys.executable, "-B", "-S", EXAMPLES / program, folder], stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn(f"{sys.executable} has no module 'numpy'; run /usr/bin/python3, which has Debian's packages", done.stderr)


if __name__ == "__main__":
    unittest.main()
