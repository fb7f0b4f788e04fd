# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tuning service with real builders and real devices on this machine, for sharing_test.py.

CPU 1 is the device; the daemon, the searches and the controlled builder use CPU 0.
"""

import hashlib
import json
import pathlib
import statistics
import subprocess
import sys
import time

import pool

CLASS = "here"
CONFIGURATION = ("template", "configuration", "inputLayout", "outputLayout")


class Machine:
    """One service. use() selects how jobs share the machine."""

    def __init__(self, running, scratch, binaries, trials, wait_seconds):
        self.running, self.scratch, self.binaries, self.trials = running, scratch, binaries, trials
        self.created, self.wait_seconds = 0, wait_seconds
        self.workers, self.sets, self.header = [], 0, ""
        text = subprocess.run([binaries / "convoy", "targets", "host", "--json"], capture_output=True, text=True,
                              check=True).stdout
        self.target = json.dumps(json.loads(text)["description"])

    def use(self, is_controlled, count):
        """Starts new workers: one builder and one device, or one of each for every job.

        Uncontrolled builders use both CPUs. Uncontrolled devices are all CPU 1: they do not lock it, do not wait until
        it is idle, and ignore the drift of the sentinel kernel. New workers have computed no expected values yet.
        """
        for worker in self.workers:
            worker.stop()
            del self.running.programs[worker.name]
        self.sets += 1
        count = 1 if is_controlled else count
        self.workers = [self.start("convoy-builder", "builder", 0, ["--slots", str(count)], "0" if is_controlled else "0,1")]
        for index in range(count):
            flags = ["--class", CLASS, "--cpus", "1"]
            flags += ["--wait", str(self.wait_seconds)] if is_controlled else ["--wait", "0", "--max-drift", "1000"]
            self.workers.append(self.start("convoy-agent", "agent", index, flags, "0,1"))
        self.running.wait(lambda: self.reachable() == count, 60, "the devices")

    def start(self, program, seat, index, flags, cpus):
        """Starts a worker on some CPUs, with folders of its own."""
        host, port = self.running.client.addresses[0]
        name = f"{seat}{self.sets}-{index}"
        folder = self.scratch / name
        folder.mkdir(parents=True)
        if seat == "agent":
            flags = flags + ["--lock-dir", folder]
        command = ["taskset", "-c", cpus, *self.running.worker(program, seat, name), "--blobs", f"https://{host}:{port}",
                   "--cache", folder / "cache", *flags]
        return self.running.add(name, command)

    def reachable(self):
        """Returns the number of active devices that use() has started."""
        devices = self.running.client.call("GET", "/v1/devices")["devices"]
        return sum(1 for one in devices if one["name"].startswith(f"agent{self.sets}-") and one["state"] == "ACTIVE")

    def upload(self, model):
        """Stores a model as a blob and returns its name."""
        data = pathlib.Path(model).read_bytes()
        name = hashlib.sha256(data).hexdigest()
        connection = self.connect()
        connection.request("PUT", f"/blobs/{name}", data)
        status = connection.getresponse().status
        if status not in (200, 201):
            sys.exit(f"cannot store {model}: status {status}")
        return name

    def connect(self):
        """Returns a connection for calls without JSON."""
        client = self.running.client
        return pool.http.client.HTTPSConnection(*client.addresses[0], context=client.context, timeout=60)

    def create(self, model):
        """Creates a job that searches, whatever is stored, and returns its id."""
        self.created += 1
        spec = {"project": f"p{self.created}", "model": model, "targetClass": CLASS, "target": self.target,
                "threads": 1, "maxTrials": self.trials, "seed": 1, "ignoresStored": True, "skipsNetwork": True}
        return self.running.client.call("POST", "/v1/jobs", spec)["id"]

    def wait(self, ids):
        """Waits until jobs have ended. Returns the errors of the estimated ends.

        The estimate is that of half of the trials; the error is relative to the time of the job.
        """
        halves, errors = {}, []
        end = time.monotonic() + 3600
        left = list(ids)
        while left:
            if time.monotonic() > end:
                raise TimeoutError(f"waited 3600 s for jobs {left}")
            time.sleep(0.5)
            for job in list(left):
                status = self.running.client.call("GET", f"/v1/jobs/{job}")
                if status["trialsDone"] >= self.trials / 2 and status.get("estimatedEndUs"):
                    halves.setdefault(job, status["estimatedEndUs"])
                if status["state"] not in ("QUEUED", "RUNNING"):
                    left.remove(job)
                    if job in halves:
                        seconds = (status["endedUs"] - status["createdUs"]) * 1e-6
                        errors.append(abs(halves[job] - status["endedUs"]) * 1e-6 / seconds)
        return errors

    def records(self, jobs):
        """Returns the records of jobs as JSON objects."""
        records = []
        for job in jobs:
            connection = self.connect()
            connection.request("GET", f"/v1/records?job={job}")
            lines = connection.getresponse().read().decode().splitlines()
            self.header = lines[0]
            records += [json.loads(line) for line in lines[1:]]
        return records

    def lines(self, records):
        """Returns records as the text that an import reads."""
        return "".join(line + "\n" for line in [self.header, *map(json.dumps, records)])

    def confirm(self, records):
        """Measures configurations again, at most three per task, after all builds have ended. Returns the records."""
        client = self.running.client
        device = self.workers[1].name
        before = {job["id"] for job in client.call("GET", "/v1/jobs")["jobs"]}
        client.call("POST", f"/v1/devices/{device}:drain", {"reason": "builds first"})
        connection = self.connect()
        connection.request("POST", "/v1/records?project=confirm", self.lines(records))
        answer = connection.getresponse()
        body = answer.read().decode()
        if answer.status >= 400:
            sys.exit(f"cannot import: {body}")
        self.wait_for_builder()
        client.call("POST", f"/v1/devices/{device}:activate", {})
        new = [job["id"] for job in client.call("GET", "/v1/jobs")["jobs"] if job["id"] not in before]
        self.wait(new)
        return self.records(new)

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

    def stage_times(self, jobs):
        """Returns the times in seconds of the builds and of the measurements of jobs."""
        names = ",".join(f"'{job}'" for job in jobs)
        rows = pool.query(self.running.running, "select build_seconds, measure_seconds from trials "
                                                f"where outcome = 'ok' and job in ({names})")
        return [float(row[0]) for row in rows], [float(row[1]) for row in rows]


def times_of(records, is_naive=False):
    """Returns the nanoseconds by task and configuration: medians of the undisturbed samples, or of all samples."""
    times = {}
    for record in records:
        samples = [wall / runs for runs, wall, _, is_clean in record.get("samples", []) if is_clean or is_naive]
        if record.get("outcome") == "ok" and samples:
            key = tuple(str(record[field]) for field in CONFIGURATION)
            times.setdefault(record["task"], {})[key] = statistics.median(samples)
    return times
