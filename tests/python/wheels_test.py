#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds both wheels, installs them in a virtual environment, runs a model and uninstalls them.

  wheels_test.py ROOT BUILD SCRATCH MODEL
"""

import os
import pathlib
import shutil
import subprocess
import sys
import unittest
import zipfile

ROOT, BUILD, SCRATCH, MODEL = [pathlib.Path(arg).resolve() for arg in sys.argv[1:5]]
# The fixture writes the images beside the model: white stripes from top to bottom.
RUN = """
import numpy
image = numpy.tile((numpy.arange(16) // 2 % 2 * 200 + 20).astype(numpy.float32) / 255, (1, 1, 16, 1))
scores = model.run({"image": image})["scores"]
assert scores.argmax() == 1 and scores[0, 1] > 0.99, scores
"""


def run(*command, code=0):
    """Runs a command without this process's Python path. Returns its output."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run([str(part) for part in command], cwd=SCRATCH, env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode != code:
        raise AssertionError(f"{command} ended with {done.returncode}, expected {code}:\n{done.stdout}")
    return done.stdout


def files_of(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def metadata(wheel):
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return archive.read(name).decode()


class Wheels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(SCRATCH, ignore_errors=True)
        SCRATCH.mkdir(parents=True)
        cls.printed = run(ROOT / "scripts" / "wheels.sh", "--build", BUILD, "--out", SCRATCH / "wheels")
        print(cls.printed)
        cls.runtime = next((SCRATCH / "wheels").glob("convoy_runtime-*.whl"))
        cls.compiler = next((SCRATCH / "wheels").glob("convoy_compiler-*.whl"))

    def environment(self, name):
        """Returns the Python of a new virtual environment and the folder of its packages."""
        folder = SCRATCH / name
        run(sys.executable, "-m", "venv", "--system-site-packages", folder)
        return folder / "bin" / "python3", folder

    def test_the_runtime_wheel_is_small_and_has_no_llvm(self):
        self.assertLess(self.runtime.stat().st_size, 2_000_000)
        with zipfile.ZipFile(self.runtime) as archive:
            archive.extractall(SCRATCH / "runtime")
        needed = run("objdump", "-p", *(SCRATCH / "runtime").rglob("*.so"))
        self.assertNotIn("LLVM", needed)
        self.assertNotIn("MLIR", needed)

    def test_the_metadata_names_the_packages_of_the_system(self):
        for package in ("libllvm19", "libmlir-19"):
            self.assertIn(f"\nRequires-External: {package}\n", metadata(self.compiler))
            self.assertIn(package, self.printed)
        self.assertIn("\nRequires-Dist: convoy-runtime ", metadata(self.compiler))
        self.assertNotIn("Requires-External", metadata(self.runtime))

    def test_the_runtime_runs_a_library_without_the_compiler(self):
        python, folder = self.environment("only_runtime")
        before = files_of(folder)
        run(python, "-m", "pip", "install", "--no-index", "--no-deps", self.runtime)
        run(BUILD / "bin" / "convoy", "compile", MODEL, "-o", SCRATCH / "library")
        run(python, "-c", f"import convoy_runtime\nmodel = convoy_runtime.load({str(SCRATCH / 'library' / 'stripes.so')!r})\n{RUN}")
        text = run(python, "-c", "import convoy", code=1)
        self.assertIn("No module named 'convoy'", text)
        run(python, "-m", "pip", "uninstall", "-y", "convoy-runtime")
        self.assertEqual(files_of(folder), before)

    def test_compile_run_save_load_and_uninstall(self):
        python, folder = self.environment("both")
        before = files_of(folder)
        run(python, "-m", "pip", "install", "--no-index", "--no-deps", self.runtime, self.compiler)
        run(python, "-c", f"import convoy\nmodel = convoy.compile({str(MODEL)!r})\n{RUN}"
            f"model = convoy.load(model.save({str(SCRATCH / 'saved')!r}))\n{RUN}"
            "import convoy._measure as measure\n"
            f"assert measure.measure_program().startswith({str(folder)!r}), measure.measure_program()\n")
        run(python, "-m", "pip", "uninstall", "-y", "convoy-compiler", "convoy-runtime")
        self.assertEqual(files_of(folder), before)

    def test_a_missing_library_is_one_sentence(self):
        folder = SCRATCH / "missing"
        for wheel in (self.runtime, self.compiler):
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(folder)
        for path in (folder / "convoy").glob("_compiler*.so"):
            path.unlink()
        reason = "libMLIR.so.19.1: cannot open shared object file: No such file or directory"
        (folder / "convoy" / "_compiler.py").write_text(f"raise ImportError({reason!r})\n")
        text = run(sys.executable, "-c", f"import sys; sys.path.insert(0, {str(folder)!r}); import convoy", code=1)
        self.assertIn(f"ImportError: the compiler cannot be loaded: {reason}. It uses LLVM 19 and other libraries of the system; "
                      "install them with: apt install ", text)
        self.assertIn(" libmlir-19", text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
