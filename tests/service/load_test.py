# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures how many trials per second pass through NATS and PostgreSQL, and the growth of memory.

usage: load_test.py BINARIES SCRATCH [--seconds N] [--least RATE]

Builders and devices answer at once, and the search is random, so the time goes to the transport, the
engine and the database.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import time

import pool
import servers

WARM_UP_SECONDS = 10
SLOTS = 64  # of the builder, and devices
# Caches with a limit fill in the first two minutes. After that, the memory must stay.
LEAST_SECONDS_OF_GROWTH, MOST_GROWTH = 300, 1.05


def memory_mb(process):
    """Returns the resident memory of a process."""
    with open(f"/proc/{process}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmRSS"))


def cpu_seconds(process):
    """Returns the CPU time of a process."""
    with open(f"/proc/{process}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


def postgres_seconds(machine):
    """Returns the CPU time of the server and of all its processes that run."""
    parent = machine.process("postgres")
    children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True, text=True, check=True)
    total = cpu_seconds(parent)
    for child in children.stdout.split():
        try:
            total += cpu_seconds(child)
        except OSError:  # it has ended
            pass
    return total


def exhaustive_job(headers, number):
    """Returns a job that tries all configurations of all tables in random order."""
    spec = pool.job_of(headers, number, trials=1000000, tasks=len(headers))
    return {**spec, "searcher": "random", "batch": 64}


def count(machine):
    """Returns the number of stored results."""
    return int(pool.query(machine, "select count(*) from trials where state = 'done'")[0][0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binaries", type=pathlib.Path)
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--least", type=float, default=0, help="trials per second that are required")
    parser.add_argument("--jobs", type=int, default=8)
    arguments = parser.parse_args()
    shutil.rmtree(arguments.scratch, ignore_errors=True)
    with servers.Servers() as machine, pool.Pool(arguments.binaries, arguments.scratch, machine) as running:
        headers = pool.make_tables(arguments.scratch / "tables.json")
        running.start_daemons(1)
        running.start_builders(1, slots=SLOTS, seconds=0.001)
        running.start_agents(1, SLOTS, arguments.scratch / "tables.json", seconds=0.001)
        created = 0
        for created in range(arguments.jobs):
            running.client.call("POST", "/v1/jobs", exhaustive_job(headers, created))
        time.sleep(WARM_UP_SECONDS)
        daemon = running.programs["tuningd0"].process.pid
        processes = {name: program.process.pid for name, program in running.programs.items()}
        processes["nats"] = machine.process("nats")
        before, begin = count(machine), time.monotonic()
        used = {name: cpu_seconds(one) for name, one in processes.items()}
        watched = {"daemon": daemon, "nats": processes["nats"]}
        memory = [{name: memory_mb(one) for name, one in watched.items()}]
        used["postgres"] = postgres_seconds(machine)
        while time.monotonic() - begin < arguments.seconds:
            time.sleep(min(10, arguments.seconds))
            memory.append({name: memory_mb(one) for name, one in watched.items()})
            if int(pool.query(machine, "select count(*) from jobs where state in ('QUEUED', 'RUNNING')")[0][0]) < 4:
                created += 1
                running.client.call("POST", "/v1/jobs", exhaustive_job(headers, created))
        seconds = time.monotonic() - begin
        rate = (count(machine) - before) / seconds
        now = {name: cpu_seconds(one) for name, one in processes.items()}
        now["postgres"] = postgres_seconds(machine)
        shares = ", ".join(f"{name} {(now[name] - used[name]) / seconds:.2f}" for name in now)
        print(f"{rate:.0f} trials/s for {seconds:.0f} s; cores used: {shares}")
        for name in watched:
            print(f"memory of the {name} in MB, every 10 s:", *(f"{one[name]:.0f}" for one in memory))
        if rate < arguments.least:
            sys.exit(f"expected at least {arguments.least:.0f} trials per second, measured {rate:.0f}")
        sizes = [one["daemon"] for one in memory]
        first, second = max(sizes[:len(sizes) // 2 + 1]), max(sizes[len(sizes) // 2:])
        if arguments.seconds >= LEAST_SECONDS_OF_GROWTH and second > MOST_GROWTH * first:
            sys.exit(f"expected no growth of the daemon's memory, found {first:.0f} MB in the first half "
                     f"and {second:.0f} MB in the second half")


if __name__ == "__main__":
    main()
