# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Injects faults into the tuner: the test kills the tuner or its measuring process, fills the disk,
starts two tuners on the same file, and makes candidates crash, hang or return wrong results. No
committed record is lost, the records file stays valid, and the tuner accepts no wrong candidate.

  faults.py CONVOY MAKE_MODELS SCRATCH_DIR kill N | candidates SABOTEUR | disk | together
"""

import hashlib
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import threading
import time

from tuner import Tuner, expect

SKIPPED = 77


class Test(Tuner):
    def await_end(self, name):
        """Waits until the processes of a killed tuner have ended."""
        for _ in range(100):
            if not self.processes(name):
                return
            time.sleep(0.1)
        expect(False, f"the process {name} of a killed tuner did not end")

    def kill_tuner(self, chance):
        """Kills the tuner at a random time after its start."""
        tuner = self.start("--trials", "16", "--seed", str(chance.randrange(1000)))
        time.sleep(chance.uniform(0, 3))
        promised = self.stored()
        tuner.kill()
        tuner.communicate()
        self.await_end("convoy-measure")
        self.expect_whole(promised)
        return len(promised)

    def kill_measurer(self, chance):
        """Kills the measuring process or the child that runs a candidate."""
        before = self.stored()
        tuner = self.start("--trials", "6", "--seed", str(chance.randrange(1000)))
        kills = 0
        while tuner.poll() is None and kills < 3:
            time.sleep(chance.uniform(0.3, 1.5))
            victims = self.processes("convoy-measure")
            if victims:
                try:
                    os.kill(chance.choice(victims), 9)
                    kills += 1
                except ProcessLookupError:
                    pass
        out, err = tuner.communicate(timeout=120)
        expect(tuner.returncode == 0,
               f"the tuner ended with {tuner.returncode} after its measuring process was killed: {err}")
        trials = json.loads(out)["trials"]
        self.expect_whole(before)
        expect(len(self.stored()) >= len(before) + trials, "trials are missing after the measuring process was killed")
        return kills

    def check_kills(self, count):
        chance = random.Random(count)
        promised = kills = 0
        for i in range(count):
            if i % 2 == 0:
                promised += self.kill_tuner(chance)
            else:
                kills += self.kill_measurer(chance)
        # A killed process must not be recorded as a crash of the candidate, which would exclude it.
        blamed = [record for record in self.exported() if record["outcome"] == "crash"]
        expect(not blamed, f"a killed process is recorded as a crash of the candidate: {blamed[:1]}")
        expect(promised > 0 and kills > 0, "the test killed every process before it measured anything")
        self.tune(8)
        print(f"ok    {count} rounds, {kills} measuring processes killed, {len(self.stored())} records kept")

    def check_candidates(self, saboteur):
        log = self.scratch / "sabotaged.txt"
        environment = dict(self.environment, LD_PRELOAD=saboteur, SABOTEUR_LOG=str(log))
        tuner = self.start("--trials", "32", "--timeout", "1000", environment=environment)
        hashes, is_done = {}, threading.Event()

        def watch():
            # Reads the libraries while the tuner runs, because the tuner removes them at the end.
            while True:
                is_last = is_done.is_set()
                for line in log.read_text().splitlines() if log.exists() else []:
                    kind, path = line.split(" ", 1)
                    if path not in hashes and os.path.exists(path):
                        hashes[path] = (kind, hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest())
                if is_last:
                    return
                time.sleep(0.05)

        watcher = threading.Thread(target=watch)
        watcher.start()
        out, err = tuner.communicate(timeout=300)
        is_done.set()
        watcher.join()
        expect(tuner.returncode == 0, f"the tuner ended with {tuner.returncode} after faulty candidates: {err}")
        self.check_sabotaged(list(hashes.values()), json.loads(out))

    def check_sabotaged(self, sabotaged, state):
        outcomes = {"crash": "crash", "hang": "time-out", "wrong": "wrong-result", "wrong_later": "wrong-result"}
        records = self.exported()
        by_artifact = {}
        for record in records:
            by_artifact.setdefault(record["artefact"], []).append(record)
        kinds = {kind for kind, _ in sabotaged}
        expect(kinds == set(outcomes), f"the test injected only {kinds}, expected {set(outcomes)}")
        ruled_out = set()
        for kind, artifact in sabotaged:
            for record in by_artifact.get(artifact, []):
                expect(record["outcome"] == outcomes[kind],
                       f"a {kind} is recorded as {record['outcome']}: {record['message']}")
                ruled_out.add((record["task"], record["configuration"], record["inputLayout"]))
        expect(ruled_out, "no faulty candidate has a record")
        failed = sum(record["outcome"] != "ok" for record in records)
        expect(state["failed"] > 0 and failed >= state["failed"],
               f"{failed} failures are recorded, the tuner reported {state['failed']}")
        self.check_compiled(records)
        print(f"ok    {len(sabotaged)} faulty candidates, none accepted")

    def check_compiled(self, records):
        """Checks that the compiler uses no recorded configuration that was wrong or crashed. A
        configuration that the compiler chooses without records is allowed."""
        facts = json.loads(self.run("compile", self.model, "--records", self.records, "-o",
                                    str(self.scratch / "out"), "--json"))
        bad = {r["configuration"] for r in records if r["outcome"] in ("crash", "wrong-result")}
        good = {r["configuration"] for r in records if r["outcome"] == "ok"}
        plain = json.loads(self.run("compile", self.model, "-o", str(self.scratch / "plain"), "--json"))
        good |= {layer["config"] for layer in plain["layers"]}
        for layer in facts["layers"]:
            expect(layer["config"] not in bad - good or not layer["config"],
                   f"the compile used a rejected configuration: {layer['config']}")

    def check_disk(self):
        """Runs with a disk of 128 KiB, first for the records and then for the built files."""
        disk = self.scratch / "disk"
        disk.mkdir()
        keep = self.scratch / "keep"
        keep.mkdir()
        script = ("mount -t tmpfs -o size=128k none $DISK || exit 77; $CONVOY tune $MODEL --records $DISK/tune.db "
                  "--trials 400 --time 60s --wait 0 --batch 4; code=$?; cp $DISK/tune.db* $KEEP/; exit $code")
        environment = dict(self.environment, DISK=str(disk), KEEP=str(keep), CONVOY=self.convoy, MODEL=self.model)
        done = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True, env=environment)
        if done.returncode not in (0, 1, 2, 3):
            print(f"skipped: needs the right to mount: {done.stderr.strip()}")
            sys.exit(SKIPPED)
        expect(done.returncode == 1,
               f"the tuner ended with {done.returncode} on a full disk, expected 1: {done.stderr[-300:]}")
        expect("the disk is full" in done.stderr, f"the tuner does not report the full disk: {done.stderr[-300:]}")
        counts = [int(line.split()[0]) for line in done.stderr.splitlines() if " trials, " in line]
        promised = max(counts, default=0)
        kept = str(keep / "tune.db")
        self.expect_whole(set(), kept)
        expect(0 < promised <= len(self.stored(kept)),
               f"the tuner reported {promised} trials, {len(self.stored(kept))} are stored")
        # The disk is full when the object is written, when it is linked, and later.
        for kibibytes in (16, 64, 100, 108, 116, 124, 132, 256):
            self.check_full_scratch(disk, kibibytes)
        print(f"ok    {promised} records kept on a full disk")

    def check_full_scratch(self, disk, kibibytes):
        script = f"mount -t tmpfs -o size={kibibytes}k none $DISK || exit 77; TMPDIR=$DISK exec $CONVOY " + " ".join(
            self.arguments("--trials", "4"))
        environment = dict(self.environment, DISK=str(disk), CONVOY=self.convoy)
        done = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True, env=environment)
        where = f"a scratch disk of {kibibytes} KiB"
        expect(done.returncode in (0, 1), f"the tuner ended with {done.returncode} ({where}): {done.stderr}")
        if done.returncode == 1:
            expect("No space left" in done.stderr and "bug" not in done.stderr,
                   f"{where}: it does not say why: {done.stderr}")

    def check_together(self):
        tuners = [self.start("--trials", "12", "--seed", str(seed), "--searcher", "random") for seed in (1, 2)]
        states = []
        for tuner in tuners:
            out, err = tuner.communicate(timeout=300)
            expect(tuner.returncode == 0, f"one of two tuners ended with {tuner.returncode}: {err}")
            states.append(json.loads(out))
        self.expect_whole(set())
        stored = len(self.stored())
        told = sum(state["trials"] for state in states)
        expect(told == 24 and stored >= told, f"two tuners reported {told} trials, {stored} are stored")
        # A merged copy has the same records.
        self.run("records", "merge", self.records, "--into", str(self.scratch / "merged.db"))
        expect(self.stored(str(self.scratch / "merged.db")) == self.stored(), "the merge lost records")
        print(f"ok    two tuners, {stored} records")


def main():
    convoy, make_models, scratch, what, *rest = sys.argv[1:]
    test = Test(convoy, make_models, scratch)
    if what == "kill":
        test.check_kills(int(rest[0]))
    elif what == "candidates":
        test.check_candidates(rest[0])
    elif what == "disk":
        test.check_disk()
    elif what == "together":
        test.check_together()
    else:
        sys.exit(f"unknown fault '{what}'")
    shutil.rmtree(test.scratch)


if __name__ == "__main__":
    main()
