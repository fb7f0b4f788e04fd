# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tunes a model by counted instructions on four emulated boards through the whole service, and
compares the records with those of a search on this machine.

usage: boards_test.py BINARIES SCRATCH MODEL TARGET [TRIALS]

Counts have no noise, so both searches must propose the same configurations and measure the same
counts. One board is killed during the search; no trial may be lost.
"""

import json
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import pool
import servers

BOARDS = 4
SEED = 5


def run(command, seconds=3600):
    """Runs a command and returns its standard output."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False,
                          timeout=seconds)
    if done.returncode != 0:
        sys.exit(f"{' '.join(str(word) for word in command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def records_of(convoy, file):
    """Returns what a search has measured, without ids, times and hashes of programs."""
    lines = [json.loads(line) for line in run([convoy, "records", "export", file]).splitlines()]
    trials = [line for line in lines if "samples" in line and "configuration" in line]
    assert trials and all(one["policy"] == "instructions" for one in trials), lines[:2]
    keys = ("task", "template", "version", "configuration", "inputLayout", "outputLayout", "outcome", "samples")
    return sorted(json.dumps([one.get(key) for key in keys]) for one in trials)


def start_workers(running, scratch, target):
    """Starts a builder, and two agents with two boards each. A test kills the second agent."""
    host, port = running.client.addresses[0]
    blobs = ["--blobs", f"https://{host}:{port}"]
    running.add("builder", running.worker("convoy-builder", "builder", "builder") + blobs
                + ["--cache", scratch / "builder-cache", "--slots", "2"])
    for index in range(2):
        name = f"agent{index}"
        running.add(name, running.worker("convoy-agent", "agent", name) + blobs
                    + ["--cache", scratch / f"{name}-cache", "--class", target, "--board", target,
                       "--count", str(BOARDS // 2)])
    running.wait(lambda: len(running.client.call("GET", "/v1/devices")["devices"]) == BOARDS, 30, "four boards")


def main():
    binaries, scratch, model = (pathlib.Path(word) for word in sys.argv[1:4])
    target, trials = sys.argv[4], sys.argv[5] if len(sys.argv) > 5 else "16"
    convoy = binaries / "convoy"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    search = [convoy, "tune", model, "--target", target, "--trials", trials, "--seed", SEED, "--json"]
    begin = time.monotonic()
    run([*search, "--no-transfer", "--records", scratch / "local.db"])
    local = records_of(convoy, scratch / "local.db")
    middle = time.monotonic()
    with servers.Servers() as machine, pool.Pool(binaries, scratch / "pool", machine) as running:
        subprocess.run([servers.SCRIPTS / "make-certs.sh", machine.folder / "certs", "client"], check=True)
        running.start_daemons(1, lease=5)
        start_workers(running, scratch, target)
        service = ["--service", ",".join(f"https://{host}:{port}" for host, port in running.client.addresses),
                   "--service-certs", machine.folder / "certs"]
        started = time.monotonic()
        tuning = subprocess.Popen([str(word) for word in [*search, *service, "--records", scratch / "service.db"]],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        running.wait(lambda: any(job["trialsDone"] >= 2 for job in running.client.call("GET", "/v1/jobs")["jobs"]),
                     120, "the first results")
        running.programs["agent1"].signal(signal.SIGKILL)
        out, err = tuning.communicate(timeout=3600)
        assert tuning.returncode == 0, out + err
        seconds = time.monotonic() - started
        job = running.client.call("GET", "/v1/jobs")["jobs"][0]
        assert job["policy"] == "instructions" and job["trialsFailed"] == 0, job
        assert job["trialsDone"] == len(local), (job, len(local))
        shared = records_of(convoy, scratch / "service.db")
    assert shared == local, f"{len(set(shared) ^ set(local))} records differ"
    print(f"{len(local)} equal records; {middle - begin:.1f} s on one machine, {seconds:.1f} s with {BOARDS} boards")


if __name__ == "__main__":
    main()
