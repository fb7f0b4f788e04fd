# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a whole tuning service for tests: real servers, daemons, builders and agents.

A supervisor restarts each program that ends, as systemd or Kubernetes would. Builders and devices
may be emulated (service/worker/Emulation.h).
"""

import http.client
import json
import pathlib
import ssl
import subprocess
import sys
import threading
import time

import servers

HERE = pathlib.Path(__file__).resolve().parent
FAKETIME = "/usr/$LIB/faketime/libfaketimeMT.so.1"  # of Debian's package libfaketime
TABLES = sorted((HERE.parents[1] / "bench" / "tuning" / "tables").glob("*.csv.gz"))


class Program:
    """A process that is restarted when it ends."""

    def __init__(self, name, command, log, environment, namespace=None):
        self.name, self.command, self.log, self.environment = name, command, log, environment
        self.prefix = ["ip", "netns", "exec", namespace] if namespace else []
        self.starts = 0
        self.is_wanted = True
        self.lock = threading.Lock()
        self.exits = []
        self.start()
        self.thread = threading.Thread(target=self.supervise, daemon=True)
        self.thread.start()

    def start(self):
        """Starts the process."""
        self.starts += 1
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([*self.prefix, *self.command], stdout=log, stderr=log,
                                            stdin=subprocess.DEVNULL, env=self.environment)

    def supervise(self):
        """Restarts the process whenever it ends, until stop() is called."""
        while self.is_wanted:
            self.exits.append(self.process.wait())
            time.sleep(0.2)
            with self.lock:
                if self.is_wanted:
                    self.start()

    def signal(self, number):
        """Sends a signal to the process."""
        self.process.send_signal(number)

    def stop(self):
        """Ends the process for good and returns its exit code."""
        with self.lock:
            self.is_wanted = False
        self.process.terminate()
        try:
            return self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


class ApiError(Exception):
    """The answer of the service to a refused call."""

    def __init__(self, status, text):
        super().__init__(f"{status}: {text}")
        self.status, self.text = status, text


class Client:
    """Calls the JSON interface of the daemons, whichever leads."""

    def __init__(self, addresses, certificate):
        authority, cert, key = certificate
        self.context = ssl.create_default_context(cafile=str(authority))
        self.context.check_hostname = False
        self.context.load_cert_chain(str(cert), str(key))
        self.addresses = addresses

    def call_one(self, address, method, path, body=None, timeout=10):
        """Calls one daemon. Returns the decoded answer."""
        connection = http.client.HTTPSConnection(*address, context=self.context, timeout=timeout)
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None,
                               {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read().decode()
        finally:
            connection.close()
        if answer.status >= 400:
            raise ApiError(answer.status, text)
        return json.loads(text)

    def call(self, method, path, body=None, seconds=60):
        """Calls the leader. Tries again for some time while there is none."""
        end = time.monotonic() + seconds
        while True:
            for address in self.addresses:
                try:
                    return self.call_one(address, method, path, body)
                except ApiError as error:
                    if error.status != 503:
                        raise
                    last = error
                except (OSError, http.client.HTTPException) as error:
                    last = error
            if time.monotonic() > end:
                raise TimeoutError(f"no daemon answers {method} {path}: {last}")
            time.sleep(0.1)

    def leader(self):
        """Returns the index of the leading daemon, or None."""
        for index, address in enumerate(self.addresses):
            try:
                if self.call_one(address, "GET", "/healthz", timeout=2).get("isLeader"):
                    return index
            except (ApiError, OSError, http.client.HTTPException, ValueError):
                pass
        return None


def make_tables(path):
    """Writes the table of the emulated devices. Returns the headers of the measured tables."""
    import gzip  # pylint: disable=import-outside-toplevel
    subprocess.run([sys.executable, HERE / "make_tables.py", path, *TABLES], check=True)
    headers = []
    for table in TABLES:
        with gzip.open(table, "rt", encoding="utf-8") as file:
            headers.append(json.loads(file.readline().removeprefix("# ")))
    return headers


class Pool:
    """Servers and programs in one scratch folder. With `has_clocks`, clock_file() sets a program's clock."""

    def __init__(self, binaries, scratch, running, namespaces=(None, None), has_clocks=False):
        self.binaries, self.scratch, self.running = pathlib.Path(binaries), pathlib.Path(scratch), running
        self.scratch.mkdir(parents=True, exist_ok=True)
        self.namespaces, self.has_clocks = namespaces, has_clocks
        self.programs = {}
        self.client = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for program in self.programs.values():
            with program.lock:
                program.is_wanted = False
        for program in self.programs.values():
            program.process.kill()
            program.process.wait()

    def add(self, name, command, namespace=None, **environment):
        """Starts a supervised program."""
        if self.has_clocks:
            self.clock_file(name).write_text("+0\n", encoding="utf-8")
            environment = {**environment, "LD_PRELOAD": FAKETIME, "DONT_FAKE_MONOTONIC": "1",
                           "FAKETIME_TIMESTAMP_FILE": str(self.clock_file(name)), "FAKETIME_CACHE_DURATION": "1"}
        self.programs[name] = Program(name, command, self.scratch / f"{name}.log",
                                      self.running.environment(**environment), namespace)
        return self.programs[name]

    def clock_file(self, name):
        """Returns the file with the offset of a program's clock, such as `+1h`."""
        return self.scratch / f"{name}.clock"

    def start_daemons(self, count=2, listen=None, **flags):
        """Starts daemons; the first one that connects leads."""
        listen = listen or ["127.0.0.1"] * count
        addresses = []
        for index in range(count):
            ports = self.scratch / f"tuningd{index}.ports"
            port = servers_port()
            command = [self.binaries / "convoy-tuningd", "serve", "--nats", self.running.values["NATS_URL"],
                       "--certs", self.running.folder / "certs", "--listen", listen[index], "--port", str(port),
                       "--grpc-port", "0", "--folder", self.scratch / "tuningd", "--ports-file", ports]
            self.add(f"tuningd{index}", command + words(flags), self.namespaces[index])
            addresses.append((listen[index], port))
        self.client = Client(addresses, self.running.certificate("agent"))
        self.wait(lambda: self.client.leader() is not None, 90, "a leader")

    def start_builders(self, count, slots=1, **flags):
        """Starts emulated builders."""
        for index in range(count):
            self.add(f"builder{index}", self.worker("convoy-builder", "builder", f"b{index}", emulate=True)
                     + ["--count", str(slots)] + words(flags))

    def start_agents(self, processes, devices, tables, device_class="emulated", **flags):
        """Starts emulated devices."""
        for index in range(processes):
            self.add(f"agent{index}", self.worker("convoy-agent", "agent", f"a{index}")
                     + ["--class", device_class, "--emulate", tables, "--count", str(devices)] + words(flags))

    def worker(self, program, seat, name, emulate=False):
        """Returns the command line that all workers share."""
        command = [self.binaries / program, "--nats", self.running.values["NATS_URL"], "--certs",
                   self.running.folder / "certs", "--user", seat, "--name", name]
        return command + (["--emulate"] if emulate else [])

    @staticmethod
    def wait(condition, seconds, what):
        """Waits until a condition holds. Returns the seconds that it took."""
        begin = time.monotonic()
        while not condition():
            if time.monotonic() - begin > seconds:
                raise TimeoutError(f"waited {seconds} s for {what}")
            time.sleep(0.05)
        return time.monotonic() - begin


def words(flags):
    """Returns flags as words of a command line."""
    return [word for key, value in flags.items() for word in ("--" + key.replace("_", "-"), str(value))]


def servers_port():
    """Returns a free port of the loopback."""
    import socket  # pylint: disable=import-outside-toplevel
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def job_of(headers, number, trials, tasks=1, projects=4):
    """Returns the specification of an emulated job. Equal numbers give equal jobs."""
    chosen = [headers[(number + k) % len(headers)] for k in range(tasks)]
    return {
        "project": f"project{number % projects}", "idempotencyKey": f"job{number}",
        "tasks": [{"name": one["name"], "text": one["task"], "count": 1} for one in chosen],
        "targetClass": "emulated", "target": json.dumps(chosen[0]["target"]), "maxTrials": trials,
        "seed": number, "ignoresStored": True,
    }


def query(running, statement):
    """Returns the rows of a statement as lists of text."""
    text = servers.psql(running, statement)
    return [line.split("|") for line in text.splitlines()]
