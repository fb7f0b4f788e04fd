# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shared by the tests of the tuner: a small model, the command line, and access to the records."""

import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import uuid


def expect(is_true, text):
    if not is_true:
        sys.exit(f"FAILED: {text}")


class Tuner:
    def __init__(self, convoy, make_models, scratch, model="mnist_cnn"):
        self.convoy, self.scratch = convoy, pathlib.Path(scratch)
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.scratch.mkdir(parents=True)
        subprocess.run([sys.executable, make_models, str(self.scratch), model], check=True, stdout=subprocess.DEVNULL)
        self.model = str(self.scratch / f"{model}.onnx")
        self.records = str(self.scratch / "tune.db")
        # The folder holds the temporary files of killed tuners.
        self.temporary = self.scratch / "tmp"
        self.temporary.mkdir()
        self.mark = uuid.uuid4().hex
        self.environment = dict(os.environ, TMPDIR=str(self.temporary), CONVOY_TEST_MARK=self.mark)

    def run(self, *arguments, code=0):
        done = subprocess.run([self.convoy, *arguments], capture_output=True, text=True, env=self.environment)
        expect(done.returncode == code,
               f"{' '.join(arguments)} ended with {done.returncode}, expected {code}: {done.stderr}")
        return done.stdout

    def arguments(self, *more, records=None):
        # The machine may run other processes, so the tuner waits only 3 s for an idle core.
        return ["tune", self.model, "--records", records or self.records, "--wait", "3", "--json", *more]

    def tune(self, trials, *more):
        return json.loads(self.run(*self.arguments("--trials", str(trials), *more)))

    def start(self, *more, environment=None):
        return subprocess.Popen([self.convoy, *self.arguments(*more)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, env=environment or self.environment)

    def exported(self):
        """Returns all records, as `convoy records export` writes them."""
        lines = [json.loads(line) for line in self.run("records", "export", self.records).splitlines()[1:]]
        return [line for line in lines if "trial" in line]

    def stored(self, path=None):
        """Returns the ids of the committed records, read directly from the file."""
        path = path or self.records
        if not pathlib.Path(path).exists():
            return set()
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30) as database:
            try:
                return {row[0] for row in database.execute("SELECT id FROM trial")}
            except sqlite3.OperationalError as error:
                expect("no such table" in str(error), f"{path}: {error}")
                return set()

    def expect_whole(self, promised, path=None):
        """Checks that the file is undamaged and has all earlier records."""
        path = path or self.records
        with sqlite3.connect(path, timeout=30) as database:
            verdict = database.execute("PRAGMA integrity_check").fetchone()[0]
        expect(verdict == "ok", f"{path} is damaged: {verdict}")
        lost = promised - self.stored(path)
        expect(not lost, f"{len(lost)} committed records are lost")

    def processes(self, name):
        """Returns the ids of running programs of that name that this test started, directly or
        indirectly."""
        found = []
        for folder in pathlib.Path("/proc").iterdir():
            if not folder.name.isdigit():
                continue
            try:
                is_ours = self.mark.encode() in (folder / "environ").read_bytes()
                if is_ours and os.path.basename(os.readlink(folder / "exe")) == name:
                    found.append(int(folder.name))
            except OSError:
                continue  # The process has just ended, or belongs to another user.
        return found
