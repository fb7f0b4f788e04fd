# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tunes while a busy loop occupies the measuring core for a minute, then the other core for
a minute. The tuner must report it, change the core or wait, end within the budget and the
waiting time, and choose configurations as good as on an idle machine. The machine must be
otherwise idle.

  busy_loop.py CONVOY MAKE_MODELS SCRATCH_DIR [BUDGET_SECONDS]
"""

import json
import multiprocessing
import os
import pathlib
import statistics
import struct
import subprocess
import sys
import time

from tuner import Tuner, expect

BUSY_SECONDS = 60
PAIRS = 60


def occupy(cpu, seconds):
    os.sched_setaffinity(0, {cpu})
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def occupy_in_turn(cpus):
    for cpu in cpus:
        occupy(cpu, BUSY_SECONDS)


class Test(Tuner):
    def search(self, name, budget, cpus):
        """Tunes for `budget` seconds while a busy process occupies the cores in turn; returns the
        records and stderr."""
        records = str(self.scratch / f"{name}.db")
        loop = multiprocessing.Process(target=occupy_in_turn, args=(cpus,))
        begin = time.monotonic()
        tuner = subprocess.Popen([self.convoy, "tune", self.model, "--records", records, "--time", f"{budget}s"],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment)
        time.sleep(5)  # The default has been measured, the search runs.
        loop.start()
        out, err = tuner.communicate()
        seconds = time.monotonic() - begin
        loop.kill()
        loop.join()
        expect(tuner.returncode == 0, f"{name}: the tuner ended with {tuner.returncode}: {err}")
        expect(seconds <= budget + 60, f"{name}: {budget} s became {seconds:.0f} s")
        print(f"{name}: {seconds:.0f} s; {out.splitlines()[1:3]}")
        return records, err

    def compiled(self, name, records):
        folder = self.scratch / f"out_{name}"
        facts = json.loads(self.run("compile", self.model, "--records", records, "-o", str(folder), "--json",
                                    "--name", name))
        inputs = []
        for i, tensor in enumerate(facts["inputs"]):
            path = self.scratch / f"input_{i}.raw"
            path.write_bytes(struct.pack("<f", 0.5) * (tensor["bytes"] // 4))
            inputs.append({"file": str(path), "bytes": tensor["bytes"]})
        return {"library": str(pathlib.Path(facts["library"]).resolve()), "symbol": facts["model"],
                "workspaceBytes": facts["workspace_bytes"], "inputs": inputs,
                "outputs": [{"bytes": tensor["bytes"], "expected": ""} for tensor in facts["outputs"]]}

    def ratio(self, first, second):
        """Returns the time of the second network divided by the time of the first, measured in turn
        in one process."""
        program = str(pathlib.Path(self.convoy).parent / "convoy-measure")
        request = {"kind": "trial", "candidates": [first, second], "policy": "warm", "cpus": [0], "samples": PAIRS,
                   "sampleMs": 10, "giveUpNs": 0, "timeoutMs": 600000}
        # Keeps stdin open until the answer: the server ends when its stdin is closed.
        server = subprocess.Popen([program, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        answer = json.loads(server.stdout.readline())
        server.communicate()
        medians = []
        for result in answer["results"]:
            expect(result["outcome"] == "ok", f"a tuned network failed: {result}")
            times = [wall / runs for runs, wall, _, is_clean in result["samples"] if is_clean]
            expect(times, "the machine is busy: no clean sample")
            medians.append(statistics.median(times))
        return medians[1] / medians[0]


def main():
    convoy, make_models, scratch, *rest = sys.argv[1:]
    budget = int(rest[0]) if rest else 180
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        print("skipped: needs two cores")
        sys.exit(77)
    test = Test(convoy, make_models, scratch, "squeezenet")
    idle, _ = test.search("idle", budget, [])
    busy, words = test.search("busy", budget, cpus[:2])
    expect("is busy" in words or "waiting for an idle machine" in words, f"the tuner does not say that a core is busy:\n{words}")
    ratio = test.ratio(test.compiled("idle", idle), test.compiled("busy", busy))
    expect(ratio <= 1.02, f"tuned beside a busy loop, the network takes {ratio:.3f} of what it takes tuned alone")
    print(f"ok    said: {[line for line in words.splitlines() if 'CPU' in line][:4]}; ratio {ratio:.3f}")


if __name__ == "__main__":
    main()
