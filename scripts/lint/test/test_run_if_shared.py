# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests that run-if-shared.sh runs a test if its data exists and skips it otherwise."""

import os
import subprocess
import tempfile
import unittest

SCRIPTS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def run(shared, *needs):
    done = subprocess.run([os.path.join(SCRIPTS, "run-if-shared.sh"), shared, *needs, "--", "sh", "-c", "echo ran; exit 3"],
                          stdout=subprocess.PIPE)
    return done.returncode, done.stdout.decode()


class RunIfShared(unittest.TestCase):
    def test_runs_and_keeps_the_exit_code(self):
        with tempfile.TemporaryDirectory() as shared:
            os.mkdir(os.path.join(shared, "models"))
            self.assertEqual(run(shared, "models"), (3, "ran\n"))

    def test_says_what_is_missing(self):
        with tempfile.TemporaryDirectory() as shared:
            code, text = run(shared, "models/onnx")
            self.assertEqual(code, 77)
            self.assertTrue(text.startswith("skipped: needs ../shared/models/onnx"), text)

    def test_no_shared_folder_at_all(self):
        self.assertEqual(run("", "models")[0], 77)


if __name__ == "__main__":
    unittest.main()
