# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A standby takes over when the leader is killed or cut off, and the old leader cannot write.

    partition.py store_probe

Every take-over must take less than 10 s.
"""

import pathlib
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tests" / "service"))
# pylint: disable=wrong-import-position
import namespaces
import servers

LIMIT_SECONDS = 10


class Probe:
    """A `store_probe lead` in a namespace, and its events."""

    def __init__(self, program, network, running, name):
        self.name, self.events = name, []
        self.process = subprocess.Popen(network.inside(name, [program, "lead"]), env=running.environment(),
                                        stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            moment, event, text = line.rstrip("\n").split(" ", 2)
            self.events.append((float(moment), event, text))

    def wait(self, event, after, seconds):
        """Returns the first event of a kind after a time, or None."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for found in list(self.events):
                if found[1] == event and found[0] >= after:
                    return found
            time.sleep(0.02)
        return None

    def kill(self):
        self.process.kill()
        self.process.wait()


def expect(condition, text, probes):
    if not condition:
        for probe in probes:
            print(f"{probe.name}: {probe.events[-8:]}")
        raise AssertionError(text)


def take_over(leader, standby, disturb, what):
    """Disturbs the leader and returns the seconds until the standby leads."""
    probes = (leader, standby)
    expect(leader.wait("wrote", time.monotonic(), 10), "the leader does not write", probes)
    start = time.monotonic()
    disturb()
    leads = standby.wait("leads", start, 30)
    expect(leads, f"{what}: the standby does not lead after 30 s", probes)
    seconds = leads[0] - start
    print(f"{what}: the standby leads after {seconds:.1f} s, epoch {leads[2]}")
    expect(seconds < LIMIT_SECONDS, f"{what}: expected less than {LIMIT_SECONDS} s", probes)
    expect(standby.wait("wrote", leads[0], 5), f"{what}: the new leader does not write", probes)
    # The clocks are the same: no write of the old epoch follows the begin of the new one.
    epoch = int(leads[2])
    late = [event for event in leader.events
            if event[1] == "wrote" and event[0] > leads[0] and int(event[2].split()[0]) < epoch]
    expect(not late, f"{what}: the old leader wrote after the take-over", probes)
    return leads[0]


def test_partition(probe, network, running):
    leader = Probe(probe, network, running, "one")
    expect(leader.wait("leads", 0, 10), "nobody leads", [leader])
    standby = Probe(probe, network, running, "two")
    for count in range(3):
        moment = take_over(leader, standby, lambda: network.cut(leader.name), f"partition {count + 1}")
        network.heal(leader.name)
        # The old leader notices, is refused if it still writes, and becomes the standby.
        expect(leader.wait("stopped", moment - LIMIT_SECONDS, 20), "the old leader still believes", [leader])
        expect(leader.wait("waits", moment, 20), "the old leader does not come back", [leader])
        leader, standby = standby, leader
    return leader, standby


def test_partition_during_a_write(leader, standby, network, running):
    """An open transaction of the leader delays the new epoch only until the server drops it."""
    writer = subprocess.Popen(network.inside(leader.name, ["psql", "-qAtX"]), env=running.environment(),
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    writer.stdin.write("begin; select epoch from leader for share;\n")
    writer.stdin.flush()
    writer.stdout.readline()
    moment = take_over(leader, standby, lambda: network.cut(leader.name), "partition during a write")
    writer.kill()
    writer.communicate()
    network.heal(leader.name)
    expect(leader.wait("waits", moment, 20), "the old leader does not come back", [leader])


def test_kill(leader, standby):
    take_over(leader, standby, leader.kill, "kill -9")


def main():
    namespaces.skip_unless_possible()
    with namespaces.Network(["one", "two"]) as network, \
            servers.Servers(["postgres"], wrap=network.inside(namespaces.SERVER, []),
                            options=["--address", namespaces.ADDRESS]) as running:
        first, second = test_partition(sys.argv[1], network, running)
        test_partition_during_a_write(first, second, network, running)
        test_kill(second, first)
        first.kill()


if __name__ == "__main__":
    main()
