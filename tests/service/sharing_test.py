# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares real jobs that share a builder and a device with the same jobs one after the other.

usage: sharing_test.py BINARIES SCRATCH MODEL... [--trials N] [--least-wall X] [--most-regret X]

The builder uses CPU 0 and the device CPU 1 of this machine, which must be idle otherwise. Prints, for
2 jobs and for 4 jobs at once: the wall time against the jobs in series, the error of the times
against the idle machine, and the regret of the chosen configurations.
"""

import argparse
import hashlib
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

import pool
import servers

CONFIGURATION = ("template", "configuration", "inputLayout", "outputLayout")
CONFIRMED = 3  # configurations per task that an import measures again


class Machine:
    """The service with one real builder and one real device."""

    def __init__(self, running, scratch, binaries, trials):
        self.running, self.trials, self.created = running, trials, 0
        text = subprocess.run([binaries / "convoy", "targets", "host", "--json"], capture_output=True, text=True,
                              check=True).stdout
        self.target = json.dumps(json.loads(text)["description"])
        host, port = running.client.addresses[0]
        blobs = ["--blobs", f"https://{host}:{port}"]
        self.builder = running.add("builder", ["taskset", "-c", "0"] + running.worker("convoy-builder", "builder", "builder")
                                   + blobs + ["--cache", scratch / "builder-cache", "--slots", "1"])
        running.add("agent", running.worker("convoy-agent", "agent", "agent") + blobs
                    + ["--cache", scratch / "agent-cache", "--class", "here", "--cpus", "1", "--lock-dir", scratch])
        running.wait(lambda: running.client.call("GET", "/v1/devices")["devices"], 20, "the device")

    def upload(self, model):
        """Stores a model as a blob and returns its name."""
        data = pathlib.Path(model).read_bytes()
        name = hashlib.sha256(data).hexdigest()
        connection = pool.http.client.HTTPSConnection(*self.running.client.addresses[0],
                                                      context=self.running.client.context, timeout=60)
        connection.request("PUT", f"/blobs/{name}", data)
        status = connection.getresponse().status
        if status not in (200, 201):
            sys.exit(f"cannot store {model}: status {status}")
        return name

    def create(self, model):
        """Creates a job that searches, whatever is stored, and returns its id."""
        self.created += 1
        spec = {"project": f"p{self.created}", "model": model, "targetClass": "here", "target": self.target,
                "threads": 1, "maxTrials": self.trials, "seed": 1, "ignoresStored": True}
        return self.running.client.call("POST", "/v1/jobs", spec)["id"]

    def wait(self, ids):
        """Waits until jobs have ended."""
        def is_ended(job):
            return self.running.client.call("GET", f"/v1/jobs/{job}")["state"] not in ("QUEUED", "RUNNING")
        self.running.wait(lambda: all(is_ended(one) for one in ids), 1800, "the jobs")

    def records(self, jobs):
        """Returns the records of jobs as text and the times by task and configuration."""
        lines, times = [], {}
        for job in jobs:
            for line in self.text(f"/v1/records?job={job}").splitlines():
                record = json.loads(line)
                clean = [wall / runs for runs, wall, _, is_clean in record.get("samples", []) if is_clean]
                lines.append(line)
                if record.get("outcome") == "ok" and clean:
                    key = tuple(str(record[field]) for field in CONFIGURATION)
                    times.setdefault(record["task"], {})[key] = statistics.median(clean)
        return "\n".join(lines) + "\n", times

    def text(self, path):
        """Returns the body of an answer that is not one JSON object."""
        connection = pool.http.client.HTTPSConnection(*self.running.client.addresses[0],
                                                      context=self.running.client.context, timeout=60)
        connection.request("GET", path)
        return connection.getresponse().read().decode()

    def confirm(self, lines):
        """Measures the fastest configurations again, after all builds have ended. Returns the times."""
        client = self.running.client
        before = {job["id"] for job in client.call("GET", "/v1/jobs")["jobs"]}
        client.call("POST", "/v1/devices/agent:drain", {"reason": "builds first"})
        connection = pool.http.client.HTTPSConnection(*client.addresses[0], context=client.context, timeout=60)
        connection.request("POST", "/v1/records?project=confirm", lines)
        answer = connection.getresponse()
        body = answer.read().decode()
        if answer.status >= 400:
            sys.exit(f"cannot import: {body}")
        self.wait_for_builder()
        client.call("POST", "/v1/devices/agent:activate", {})
        new = [job["id"] for job in client.call("GET", "/v1/jobs")["jobs"] if job["id"] not in before]
        self.wait(new)
        return self.records(new)[1]

    def wait_for_builder(self):
        """Waits until the builder and its children have used no CPU time for 5 s."""
        def used():
            text = subprocess.run(["ps", "-eo", "cputimes,args"], capture_output=True, text=True, check=True).stdout
            return sum(int(line.split()[0]) for line in text.splitlines() if "convoy-builder" in line)
        time.sleep(5)
        last = -1
        while used() != last:
            last = used()
            time.sleep(5)


def deviation(times, other):
    """Returns the median relative deviation of times that both have."""
    pairs = [(one, other[task][key]) for task, rows in times.items() for key, one in rows.items()
             if key in other.get(task, {})]
    return statistics.median(abs(one - two) / two for one, two in pairs), len(pairs)


def regret(times, idle):
    """Returns the mean regret on the idle machine of the configurations that `times` choose."""
    losses = []
    for task, rows in idle.items():
        chosen = min((times[task][key], key) for key in rows if key in times.get(task, {}))[1]
        losses.append(rows[chosen] / min(rows.values()) - 1)
    return statistics.mean(losses), max(losses)


def compare(machine, models, count):
    """Runs `count` jobs at once. Prints the figures and returns the ratio of wall times and the regret."""
    begin = time.monotonic()
    alone = []
    for model in models[:count]:
        alone.append(machine.create(model))
        machine.wait(alone[-1:])
    series = time.monotonic() - begin
    begin = time.monotonic()
    shared = [machine.create(model) for model in models[:count]]
    machine.wait(shared)
    together = time.monotonic() - begin
    lines, times = machine.records(shared)
    first, second = machine.confirm(lines), machine.confirm(lines)
    error, pairs = deviation(times, first)
    noise, _ = deviation(second, first)
    mean, worst = regret(times, first)
    print(f"{count} jobs at once: {together:.1f} s, in series {series:.1f} s, ratio {together / series:.2f}; error of "
          f"{pairs} times against the idle machine {error:.1%}, idle noise {noise:.1%}; regret {mean:.2%}, "
          f"worst {worst:.2%}", flush=True)
    return together / series, mean


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binaries", type=pathlib.Path)
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--trials", type=int, default=60)
    arguments = parser.parse_args()
    shutil.rmtree(arguments.scratch, ignore_errors=True)
    with servers.Servers() as machine, pool.Pool(arguments.binaries, arguments.scratch, machine) as running:
        running.start_daemons(1)
        real = Machine(running, arguments.scratch, arguments.binaries, arguments.trials)
        models = [real.upload(model) for model in arguments.models]
        while len(models) < 4:
            models += models
        results = [compare(real, models, count) for count in (2, 4)]
    if any(ratio > 0.9 or loss > 0.02 for ratio, loss in results):
        sys.exit("expected at most 0.9 of the wall time and a regret of at most 2 %")


if __name__ == "__main__":
    main()
