# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Interrupts a search by SIGINT and by SIGKILL and runs the same command again. The interrupted
search must propose the configurations that the unbroken search proposes. A program with fixed times
replaces the measuring program, because measured times differ between two runs.

  resume.py CONVOY MAKE_MODELS SCRATCH_DIR
"""

import os
import pathlib
import random
import shutil
import signal
import sys
import time

from tuner import Tuner, expect

TRIALS, RACES = 36, "f"


class Test(Tuner):
    def __init__(self, convoy, make_models, scratch):
        super().__init__(convoy, make_models, scratch)
        # The tuner runs the measuring program of its own folder.
        folder = self.scratch / "bin"
        folder.mkdir()
        self.convoy = str(folder / "convoy")
        try:
            os.link(convoy, self.convoy)
        except OSError:
            shutil.copy(convoy, self.convoy)
        program = folder / "convoy-measure"
        program.write_text(f"#!/bin/sh\nexec {sys.executable} {pathlib.Path(__file__).parent / 'fixed_measure.py'}\n")
        program.chmod(0o755)

    def begin(self, records):
        self.records = str(self.scratch / records)
        return self.start("--trials", str(TRIALS), "--seed", "7")

    def await_trials(self, tuner, count):
        """Waits until the file has that many trials. Returns false if the tuner has ended before."""
        while len(self.stored()) < count:
            if tuner.poll() is not None:
                return False
            time.sleep(0.01)
        return True

    def run_to(self, records, count, how=signal.SIGKILL):
        """Runs the command until the file has that many trials, then interrupts it."""
        tuner = self.begin(records)
        expect(self.await_trials(tuner, count), f"the tuner ended with {tuner.poll()} before {count} trials")
        tuner.send_signal(how)
        tuner.communicate(timeout=300)

    def proposals(self):
        """Returns the configurations of the search, by trial."""
        return {record["trial"]: (record["task"], record["configuration"], record["inputLayout"])
                for record in self.exported() if record["trial"][16] != RACES}

    def check_interrupted(self, how, chance, expected):
        """Interrupts a search twice, then lets it make all trials."""
        records = f"{how.name}.db"
        for share in (1 / 3, 2 / 3):
            self.run_to(records, int(TRIALS * share) + chance.randrange(-5, 6), how)
        expect(len(self.stored()) < TRIALS, f"{how.name} came after the last trial")
        self.run_to(records, TRIALS)
        found = self.proposals()
        differing = {trial: found.get(trial) for trial in expected if found.get(trial) != expected[trial]}
        expect(not differing, f"after {how.name}, {len(differing)} of {len(expected)} trials differ: {differing}")

    def check(self):
        self.run_to("unbroken.db", TRIALS)
        expected = self.proposals()
        expect(len(expected) == TRIALS, f"the search stored {len(expected)} trials, expected {TRIALS}")
        for how in (signal.SIGINT, signal.SIGKILL):
            self.check_interrupted(how, random.Random(how), expected)
        # The trials are used up: the same command starts another search with other configurations.
        self.run_to("unbroken.db", TRIALS + 8)
        both = self.proposals()
        expect(len(set(both.values())) == len(both), "the second search repeats configurations of the first")
        expect(expected.items() <= both.items(), "the second search has replaced records of the first")
        print(f"ok    {TRIALS} trials, interrupted by SIGINT and SIGKILL")


if __name__ == "__main__":
    Test(*sys.argv[1:]).check()
