# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures LookupBest through gRPC while a job runs.

usage: lookup_test.py BINARIES SCRATCH [--seconds N]
"""

import argparse
import hashlib
import json
import pathlib
import shutil
import subprocess
import sys

import pool
import servers


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binaries", type=pathlib.Path)
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=20)
    arguments = parser.parse_args()
    shutil.rmtree(arguments.scratch, ignore_errors=True)
    with servers.Servers() as machine, pool.Pool(arguments.binaries, arguments.scratch, machine) as running:
        certs = machine.folder / "certs"
        subprocess.run([servers.SCRIPTS / "make-certs.sh", certs, "client"], check=True)
        headers = pool.make_tables(arguments.scratch / "tables.json")
        running.start_daemons(1)
        running.start_builders(1, slots=2, seconds=0.2)
        running.start_agents(1, 4, arguments.scratch / "tables.json", seconds=0.6)
        spec = pool.job_of(headers, 0, trials=100000, tasks=len(headers))
        job = running.client.call("POST", "/v1/jobs", spec)["id"]
        tasks = len(headers)
        measured = f"select count(distinct task) from trials where state = 'done' and job = '{job}'"
        running.wait(lambda: int(pool.query(machine, measured)[0][0]) >= tasks - 1, 120, "results of all tasks")
        target = pool.query(machine, "select target from records limit 1")[0][0]
        keys = [hashlib.sha256(one["task"].encode()).hexdigest() for one in headers]
        port = (arguments.scratch / "tuningd0.ports").read_text(encoding="ascii").split()[1]
        load = [arguments.binaries / "service_lookup_load", f"127.0.0.1:{port}", certs, str(arguments.seconds), target]
        state = running.client.call("GET", f"/v1/jobs/{job}")["state"]
        done = subprocess.run([*load, *keys], check=False)
        print(json.dumps({"job": state}))
        sys.exit(done.returncode)


if __name__ == "__main__":
    main()
