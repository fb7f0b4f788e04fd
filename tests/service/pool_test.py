# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs emulated jobs through the real servers, with and without faults.

usage: pool_test.py BINARIES SCRATCH [--jobs N] [--devices N] [--trials N] [--faults N] [--kinds LIST]

Checks that each trial has exactly one result, that no job is stuck, and that the jobs find the same
configurations with faults as without.
"""

import argparse
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time

import pool
import servers

LEASE_SECONDS = 3
KINDS = ["agent", "builder", "leader", "nats", "postgres", "late", "disk", "clock", "partition"]


def create_jobs(running, headers, arguments):
    """Creates all jobs. Returns their ids in order."""
    ids = []
    for number in range(arguments.jobs):
        spec = pool.job_of(headers, number, arguments.trials, tasks=1 + number % 3)
        ids.append(running.client.call("POST", "/v1/jobs", spec)["id"])
    return ids


def open_jobs(machine):
    """Returns how many jobs have not ended."""
    rows = pool.query(machine, "select count(*) from jobs where state in ('QUEUED', 'RUNNING', 'PAUSED')")
    return int(rows[0][0])


def check_results(machine, arguments):
    """Checks the rows of the database: one result, one usage row and one record per trial."""
    problems = []
    [[trials, done]] = pool.query(machine, "select count(*), count(*) filter (where state = 'done') from trials")
    expected = arguments.jobs * arguments.trials
    if int(trials) != expected or int(done) != expected:
        problems.append(f"expected {expected} trials with results, found {trials} trials, {done} with results")
    for table in ("usage_ledger", "records"):
        [[rows]] = pool.query(machine, f"select count(*) from {table}")
        if int(rows) != expected:
            problems.append(f"expected {expected} rows in {table}, found {rows}")
    states = pool.query(machine, "select state, count(*) from jobs group by state")
    if states != [["BUDGET_DONE", str(arguments.jobs)]]:
        problems.append(f"expected {arguments.jobs} jobs in BUDGET_DONE, found {states}")
    return problems


def best_of(running, ids):
    """Returns the best configuration of each task of each job."""
    best = []
    for job in ids:
        tasks = running.client.call("GET", f"/v1/jobs/{job}")["tasks"]
        best.append([(task["key"], task["configuration"]["text"], task["bestNs"]) for task in tasks])
    return best


class Faults:
    """Injects faults, each kind as often as wanted, in random order."""

    def __init__(self, running, machine, arguments):
        self.pool, self.servers = running, machine
        self.random = random.Random(1)
        self.takeovers = {"leader": [], "partition": []}
        self.left = [kind for kind in arguments.kinds for _ in range(arguments.faults)]
        self.random.shuffle(self.left)

    def program(self, prefix):
        """Returns a random program of a kind."""
        names = [name for name in self.pool.programs if name.startswith(prefix)]
        return self.pool.programs[self.random.choice(names)]

    def inject(self, kind):
        """Injects one fault."""
        getattr(self, kind)()

    def agent(self):
        self.program("agent").signal(signal.SIGKILL)

    def builder(self):
        self.program("builder").signal(signal.SIGKILL)

    def leader(self):
        """Kills the leader and waits until the standby leads."""
        self.take_over("leader", lambda index: self.pool.programs[f"tuningd{index}"].signal(signal.SIGKILL))

    def take_over(self, kind, disturb):
        """Disturbs the leader and notes the time until another daemon leads in a new epoch."""
        leader = None
        while leader is None:
            leader = self.pool.client.leader()
        epoch = None
        while epoch is None:
            epoch = self.epoch()
        disturb(leader)
        # A daemon that is cut off answers after the time limit of the call only, which would delay the others.
        without = leader if kind == "partition" else None
        self.takeovers[kind].append(self.pool.wait(lambda: (self.epoch(without) or 0) > epoch, 40, "a new leader"))

    def epoch(self, without=None):
        """Returns the epoch of the leader that answers, or None."""
        epochs = []
        for index, address in enumerate(self.pool.client.addresses):
            if index == without:
                continue
            try:
                health = self.pool.client.call_one(address, "GET", "/healthz", timeout=1)
                epochs += [health["epoch"]] if health.get("isLeader") else []
            except (OSError, pool.ApiError, ValueError, pool.http.client.HTTPException):
                pass
        return max(epochs, default=None)

    def nats(self):
        self.servers.kill("nats")
        time.sleep(self.random.uniform(0, 2))
        self.servers.start()

    def postgres(self):
        self.servers.kill("postgres")
        time.sleep(self.random.uniform(0, 2))
        self.servers.start()

    def late(self):
        """Stops an agent until its lease has expired; its results and acknowledgements come late."""
        agent = self.program("agent")
        process = agent.process
        process.send_signal(signal.SIGSTOP)
        time.sleep(LEASE_SECONDS + 2)
        process.send_signal(signal.SIGCONT)

    def clock(self):
        """Steps the clock of a running program by an hour."""
        program = self.program(self.random.choice(["agent", "builder", "tuningd"]))
        offset = self.random.choice(["+1h", "-1h", "+0"])
        self.pool.clock_file(program.name).write_text(offset + "\n", encoding="utf-8")

    def disk(self):
        """Fills the disk of NATS, which does not recover by itself, then restarts it with space."""
        folder = self.servers.folder / "nats"
        free = shutil.disk_usage(folder).free
        filler = folder / "filler"
        subprocess.run(["fallocate", "-l", str(max(free - 4096, 0)), filler], check=False, capture_output=True)
        subprocess.run(["dd", "if=/dev/zero", f"of={folder}/filler2", "bs=4096"], check=False, capture_output=True)
        time.sleep(2)
        filler.unlink(missing_ok=True)
        (folder / "filler2").unlink(missing_ok=True)
        self.servers.kill("nats")
        self.servers.start()

    def partition(self):
        """Cuts the leader off from all servers and waits until the standby leads."""
        cut = []

        def disturb(index):
            cut.append(self.pool.namespaces[index])
            subprocess.run(["ip", "netns", "exec", cut[0], "ip", "link", "set", "eth0", "down"], check=True)
        try:
            self.take_over("partition", disturb)
        finally:
            if cut:
                restore_link(cut[0])


def restore_link(namespace):
    """Connects a namespace again. Its address is kept; all peers are in the same network."""
    subprocess.run(["ip", "netns", "exec", namespace, "ip", "link", "set", "eth0", "up"], check=True)


class Network:
    """A bridge, and a namespace per daemon, so that a daemon can be cut off."""

    def __init__(self):
        tag = str(os.getpid() % 10000)
        self.bridge, self.names = f"cvb{tag}", [f"cvn{tag}a", f"cvn{tag}b"]
        self.host = "10.87.0.1"
        self.addresses = ["10.87.0.2", "10.87.0.3"]

    def __enter__(self):
        run = lambda *command: subprocess.run(command, check=True)  # noqa: E731
        run("ip", "link", "add", self.bridge, "type", "bridge")
        run("ip", "addr", "add", f"{self.host}/24", "dev", self.bridge)
        run("ip", "link", "set", self.bridge, "up")
        for name, address in zip(self.names, self.addresses):
            run("ip", "netns", "add", name)
            run("ip", "link", "add", f"v{name}", "type", "veth", "peer", "name", "eth0", "netns", name)
            run("ip", "link", "set", f"v{name}", "master", self.bridge, "up")
            run("ip", "-n", name, "addr", "add", f"{address}/24", "dev", "eth0")
            run("ip", "-n", name, "link", "set", "eth0", "up")
            run("ip", "-n", name, "link", "set", "lo", "up")
        return self

    def __exit__(self, *_):
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], check=False)
        subprocess.run(["ip", "link", "del", self.bridge], check=False)


def run_pool(arguments, scratch, network, with_faults):
    """Runs all jobs. Returns the best configurations, and prints figures."""
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    headers = pool.make_tables(scratch / "tables.json")
    options, namespaces, listen, disk = [], (None, None), None, None
    if with_faults and network:
        options = ["--address", network.host]
        namespaces, listen = network.names, network.addresses
    has_clocks = with_faults and "clock" in arguments.kinds
    if with_faults and "disk" in arguments.kinds:
        disk = scratch / "servers"
        (disk / "nats").mkdir(parents=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256m", "tmpfs", disk / "nats"], check=True)
    begin = time.monotonic()
    try:
        with servers.Servers(options=options, folder=disk) as machine, \
                pool.Pool(arguments.binaries, scratch, machine, namespaces, has_clocks) as running:
            running.start_daemons(2, listen, lease=LEASE_SECONDS, lost=20)
            running.start_builders(2, slots=arguments.devices // 4, seconds=0.1, speed=10)
            running.start_agents(5, arguments.devices // 5, scratch / "tables.json", seconds=0.6, speed=10,
                                 **({"hang_every": 400, "hang_seconds": 8} if with_faults else {}))
            ids = create_jobs(running, headers, arguments)
            faults = Faults(running, machine, arguments) if with_faults else None
            while faults and faults.left:
                kind = faults.left.pop()
                print(f"{time.monotonic() - begin:6.1f} s  {kind}, {open_jobs(machine)} jobs open",
                      flush=True)
                faults.inject(kind)
                time.sleep(arguments.pause)
            running.wait(lambda: open_jobs(machine) == 0, arguments.timeout, "the end of all jobs")
            seconds = time.monotonic() - begin
            problems = check_results(machine, arguments)
            print(f"{arguments.jobs} jobs, {arguments.jobs * arguments.trials} trials, {seconds:.1f} s"
                  f"{', with faults' if with_faults else ''}", flush=True)
            for kind, times in faults.takeovers.items() if faults else ():
                print(f"take-overs after the fault {kind}: {', '.join(f'{one:.1f}' for one in times)} s", flush=True)
                if max(times, default=0) > 10:
                    problems.append(f"a take-over took {max(times):.1f} s; load average {os.getloadavg()[0]:.1f}")
            if problems:
                sys.exit("\n".join(problems))
            return best_of(running, ids)
    finally:
        if disk:
            subprocess.run(["umount", "-l", disk / "nats"], check=False)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binaries", type=pathlib.Path)
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=200)
    parser.add_argument("--devices", type=int, default=50)
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--faults", type=int, default=0, help="of each kind")
    parser.add_argument("--kinds", type=lambda text: text.split(","), default=KINDS)
    parser.add_argument("--pause", type=float, default=1)
    parser.add_argument("--timeout", type=float, default=600)
    arguments = parser.parse_args()
    if arguments.faults and os.geteuid() != 0 and {"disk", "partition"} & set(arguments.kinds):
        print("skipped: the faults disk and partition need root")
        sys.exit(77)
    before = run_pool(arguments, arguments.scratch / "quiet", None, with_faults=False)
    if not arguments.faults:
        return
    if "partition" in arguments.kinds:
        with Network() as network:
            after = run_pool(arguments, arguments.scratch / "faults", network, with_faults=True)
    else:
        after = run_pool(arguments, arguments.scratch / "faults", None, with_faults=True)
    if after != before:
        different = sum(one != two for one, two in zip(before, after))
        sys.exit(f"{different} of {arguments.jobs} jobs found other configurations with faults")
    print("the jobs found the same configurations with and without faults")


if __name__ == "__main__":
    main()
