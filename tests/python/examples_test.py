#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the programs of examples/python and checks what they print.

  examples_test.py EXAMPLES MODEL SCRATCH [SHARED]

MODEL is the generated model of examples/make_model.py. With SHARED, a folder with models/, the programs
also classify a photograph.
"""

import pathlib
import re
import subprocess
import sys
import unittest

EXAMPLES, MODEL, SCRATCH = [pathlib.Path(arg).resolve() for arg in sys.argv[1:4]]
SHARED = pathlib.Path(sys.argv[4]) / "models" if len(sys.argv) > 4 and sys.argv[4] else None
MOBILENET = SHARED / "onnx" / "mobilenetv2-1.0.onnx" if SHARED else None
PHOTO = SHARED / "images" / "red_panda_unsplash.jpg" if SHARED else None


def run(program, *arguments):
    done = subprocess.run([sys.executable, "-B", str(EXAMPLES / "python" / program), *map(str, arguments)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{program} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def has_photo():
    return SHARED is not None and MOBILENET.exists() and PHOTO.exists()


class Examples(unittest.TestCase):
    pictures = [MODEL.parent / f"{name}.png" for name in ("horizontal", "vertical")]
    labels = MODEL.parent / "labels.txt"

    def test_classify_pictures(self):
        for flags in ([], ["--save", SCRATCH / "saved"]):
            text = run("classify_pictures.py", MODEL, *self.pictures, "--labels", self.labels, *flags)
            self.assertEqual(text, f"{self.pictures[0]}: horizontal (0.995)\n{self.pictures[1]}: vertical (0.995)\n")

    def test_classify_a_photograph(self):
        if not has_photo():
            self.skipTest("needs ../shared/models")
        text = run("classify_pictures.py", MOBILENET, PHOTO, "--imagenet", "--labels",
                   SHARED / "labels" / "imagenet_labels1000.txt")
        self.assertRegex(text, r"red_panda_unsplash.jpg: .*panda.* \(1\d\.\d+\)\n")

    def test_an_onnxruntime_program(self):
        text = run("onnxruntime_program.py", MODEL, self.pictures[1], self.labels)
        self.assertEqual(text, "input image: tensor(float) [1, 1, 16, 16]\n0.995 vertical\n0.005 horizontal\n")

    def test_an_onnxruntime_program_with_a_photograph(self):
        if not has_photo():
            self.skipTest("needs ../shared/models")
        text = run("onnxruntime_program.py", MOBILENET, PHOTO, SHARED / "labels" / "imagenet_labels1000.txt")
        self.assertRegex(text, r"input data: tensor\(float\) \[1, 3, 224, 224\]\n0\.9\d\d .*panda")

    def test_only_the_import_names_convoy(self):
        text = (EXAMPLES / "python" / "onnxruntime_program.py").read_text()
        code = re.sub(r'""".*?"""', "", text, flags=re.DOTALL)
        self.assertEqual(len(re.findall(r"convoy", code)), 1)
        self.assertIn("import convoy as onnxruntime", code)

    def test_find_slow_layers(self):
        text = run("find_slow_layers.py", MODEL, "--top", 2)
        self.assertRegex(text, r"(?s)^ *\d+\.\d% +\d+\.\d\d us  .*\n       \S.*\n.*\n"
                               r"2 of \d+ kernels take \d+% of \d+\.\d+ ms; generic loops take \d+%\n$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
