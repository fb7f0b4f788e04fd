# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Network namespaces for tests that cut the connection between processes. Needs root.

The namespace `server` has one address, ADDRESS. Each other namespace has a link of its own to it:

    with namespaces.Network(["one", "two"]) as network:
        subprocess.Popen(network.inside("one", ["program"]))
        network.cut("one")      # drops all packets of the link, without a reset
        network.heal("one")
"""

import os
import shutil
import subprocess
import sys

ADDRESS = "10.213.0.1"
SERVER = "server"


def skip_unless_possible():
    """Ends the test as skipped without root or without the tools."""
    for tool in ("ip", "iptables"):
        if not shutil.which(tool):
            print(f"skipped: needs {tool} (scripts/install-deps.sh)")
            sys.exit(77)
    probe = ["unshare", "--net", "true"]
    if os.geteuid() != 0 or subprocess.run(probe, capture_output=True, check=False).returncode != 0:
        print("skipped: needs root, to create network namespaces")
        sys.exit(77)


class Network:
    """A star of namespaces around the server's namespace."""

    def __init__(self, names):
        self.names = list(names)
        self.prefix = f"convoy{os.getpid()}"

    def __enter__(self):
        self._run("ip", "netns", "add", self._name(SERVER))
        try:
            self._in(SERVER, "ip", "link", "set", "lo", "up")
            self._in(SERVER, "ip", "address", "add", f"{ADDRESS}/32", "dev", "lo")
            for number, name in enumerate(self.names, 1):
                self._connect(number, name)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in [*self.names, SERVER]:
            subprocess.run(["ip", "netns", "delete", self._name(name)], capture_output=True, check=False)

    def inside(self, name, command):
        """Returns a command that runs in a namespace."""
        return ["ip", "netns", "exec", self._name(name), *map(str, command)]

    def cut(self, name):
        """Drops all packets between a namespace and the server. Neither side is told."""
        for chain, flag in (("INPUT", "-i"), ("OUTPUT", "-o")):
            self._in(SERVER, "iptables", "-w", "-A", chain, flag, f"to-{name}", "-j", "DROP")

    def heal(self, name):
        for chain, flag in (("INPUT", "-i"), ("OUTPUT", "-o")):
            self._in(SERVER, "iptables", "-w", "-D", chain, flag, f"to-{name}", "-j", "DROP")

    def _connect(self, number, name):
        here, there = f"10.213.{number}.1", f"10.213.{number}.2"
        self._run("ip", "netns", "add", self._name(name))
        self._in(SERVER, "ip", "link", "add", f"to-{name}", "type", "veth", "peer", "name", "link0",
                 "netns", self._name(name))
        self._in(SERVER, "ip", "address", "add", f"{here}/30", "dev", f"to-{name}")
        self._in(SERVER, "ip", "link", "set", f"to-{name}", "up")
        self._in(name, "ip", "address", "add", f"{there}/30", "dev", "link0")
        self._in(name, "ip", "link", "set", "lo", "up")
        self._in(name, "ip", "link", "set", "link0", "up")
        self._in(name, "ip", "route", "add", f"{ADDRESS}/32", "via", here)

    def _name(self, name):
        return f"{self.prefix}-{name}"

    def _in(self, name, *command):
        self._run(*self.inside(name, command))

    @staticmethod
    def _run(*command):
        subprocess.run(command, check=True)
