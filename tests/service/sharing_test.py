# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares real jobs that share a builder and a device with the same jobs one after the other.

usage: sharing_test.py BINARIES SCRATCH MODEL... [--trials N] [--counts LIST] [--times FILE]

The device is CPU 1 of this machine, which must be idle otherwise; all other programs use CPU 0.
Prints, for 2 jobs and for 4 jobs at once: the wall time against the jobs in series, the error of the
times against the idle machine, and the regret of the chosen configurations. `--times` appends the
times of all stages to a file, for `convoy-tuningd simulate --times`.
"""

import argparse
import hashlib
import json
import os
import pathlib
import shutil
import signal
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
        self.servers = running.running
        text = subprocess.run([binaries / "convoy", "targets", "host", "--json"], capture_output=True, text=True,
                              check=True).stdout
        self.target = json.dumps(json.loads(text)["description"])
        host, port = running.client.addresses[0]
        blobs = ["--blobs", f"https://{host}:{port}"]
        self.builder = running.add("builder", running.worker("convoy-builder", "builder", "builder") + blobs
                                   + ["--cache", scratch / "builder-cache", "--slots", "1"])
        running.add("agent", ["taskset", "-c", "0,1"] + running.worker("convoy-agent", "agent", "agent") + blobs
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
        """Waits until the builder and its children have used almost no CPU time for 2 s."""
        def ticks():
            used = 0
            for folder in pathlib.Path("/proc").glob("[0-9]*"):
                try:
                    fields = (folder / "stat").read_text().rsplit(")", 1)
                except OSError:
                    continue
                if "(convoy-builder" in fields[0]:
                    used += sum(int(field) for field in fields[1].split()[11:15])
            return used
        time.sleep(3)
        last = -1000
        while ticks() > last + 10:
            last = ticks()
            time.sleep(2)

    def forget_tasks(self):
        """Starts the builder again, so that it has computed the expected values of no task."""
        self.builder.signal(signal.SIGKILL)
        time.sleep(3)

    def stage_times(self, jobs):
        """Returns the times in seconds of the builds and of the measurements of jobs."""
        names = ",".join(f"'{job}'" for job in jobs)
        rows = pool.query(self.servers, "select build_seconds, measure_seconds from trials "
                                        f"where outcome = 'ok' and job in ({names})")
        return [float(row[0]) for row in rows], [float(row[1]) for row in rows]


def deviation(times, other):
    """Returns the median relative deviation of times that both have."""
    pairs = [(one, other[task][key]) for task, rows in times.items() for key, one in rows.items()
             if key in other.get(task, {})]
    return statistics.median(abs(one - two) / two for one, two in pairs), len(pairs)


def regret(times, first, second):
    """Returns the mean regret on the idle machine of the configurations that `times` choose.

    Of two idle times, the lower one counts: a disturbance only adds time.
    """
    losses = []
    for task in first.keys() & second.keys():
        rows = {key: min(first[task][key], second[task][key]) for key in first[task].keys() & second[task].keys()}
        if not any(key in times.get(task, {}) for key in rows):
            continue
        chosen = min((times[task][key], key) for key in rows if key in times.get(task, {}))[1]
        losses.append(rows[chosen] / min(rows.values()) - 1)
    return statistics.mean(losses), max(losses)


def compare(machine, models, count):
    """Runs `count` jobs at once. Prints the figures and returns what failed."""
    machine.forget_tasks()
    begin = time.monotonic()
    alone = []
    for model in models[:count]:
        alone.append(machine.create(model))
        machine.wait(alone[-1:])
    series = time.monotonic() - begin
    machine.forget_tasks()
    begin = time.monotonic()
    shared = [machine.create(model) for model in models[:count]]
    machine.wait(shared)
    together = time.monotonic() - begin
    for jobs, wall in ((alone, series), (shared, together)):
        builds, measurements = machine.stage_times(jobs)
        print(f"{len(builds)} trials in {wall:.1f} s: builds {sum(builds):.1f} s (median {statistics.median(builds):.3f}, "
              f"longest {max(builds):.2f}), measurements {sum(measurements):.1f} s", flush=True)
    lines, times = machine.records(shared)
    first, second = machine.confirm(lines), machine.confirm(lines)
    error, pairs = deviation(times, first)
    noise, _ = deviation(second, first)
    mean, worst = regret(times, first, second)
    print(f"{count} jobs at once: {together:.1f} s, in series {series:.1f} s, ratio {together / series:.2f}; error of "
          f"{pairs} times against the idle machine {error:.1%}, idle noise {noise:.1%}; regret {mean:.2%}, "
          f"worst {worst:.2%}", flush=True)
    return together / series > 0.9 or mean > 0.02 or error > noise


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binaries", type=pathlib.Path)
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--trials", type=int, default=60)
    parser.add_argument("--counts", type=lambda text: [int(word) for word in text.split(",")], default=[2, 4])
    parser.add_argument("--times", type=pathlib.Path)
    arguments = parser.parse_args()
    shutil.rmtree(arguments.scratch, ignore_errors=True)
    os.sched_setaffinity(0, {0})
    with servers.Servers() as machine, pool.Pool(arguments.binaries, arguments.scratch, machine) as running:
        running.start_daemons(1, **({"times": arguments.times} if arguments.times else {}))
        real = Machine(running, arguments.scratch, arguments.binaries, arguments.trials)
        models = [real.upload(model) for model in arguments.models]
        while len(models) < 4:
            models += models
        failures = [compare(real, models, count) for count in arguments.counts]
    if any(failures):
        sys.exit("expected at most 0.9 of the wall time, a regret of at most 2 % and an error within the idle noise")


if __name__ == "__main__":
    main()
