# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Starts, kills and restarts the real servers of the tuning service, for tests in Python.

    with servers.Servers(seats=["builder0", "agent0=cortex-a72"]) as running:
        subprocess.run([...], env=running.environment())
        running.kill("nats")
        running.start()

Without the programs of the servers, the test ends with exit code 77: skipped.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "service"


class Servers:
    """Servers in one scratch folder. They end with this process, whatever happens to it."""

    def __init__(self, servers=("nats", "postgres"), seats=(), options=(), folder=None, wrap=()):
        """`options` are options of start-servers.sh. A given `folder` must not exist or be empty.

        The command `wrap` runs the script, for example in a network namespace.
        """
        self.wrap = list(wrap)
        self.servers = list(servers)
        self.options = [word for seat in seats for word in ("--seat", seat)] + list(options)
        self.folder = pathlib.Path(folder or tempfile.mkdtemp(prefix="convoy-test-"))
        self.values = {}

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(self, *_):
        self.remove()

    def start(self):
        """Starts the servers that do not run. A restarted server keeps its ports and data."""
        command = [*self.wrap, SCRIPTS / "start-servers.sh", self.folder, "--owner", str(os.getpid())]
        done = subprocess.run([*command, *self.options, *self.servers], stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode == 77:
            print(done.stderr.strip())
            self.remove()
            sys.exit(77)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())
        text = (self.folder / "services.env").read_text()
        self.values = dict(re.findall(r"^export (\w+)='(.*)'$", text, re.M))

    def stop(self, *servers):
        """Stops the named servers, or all servers, in good order."""
        self._stop(*servers)

    def kill(self, *servers):
        """Ends the named servers, or all servers, with SIGKILL, as in a crash."""
        self._stop("--kill", *servers)

    def remove(self):
        """Kills the servers and removes the folder."""
        if (self.folder / "seats").exists():
            self._stop("--kill", "--remove")
        shutil.rmtree(self.folder, ignore_errors=True)

    def process(self, server):
        """Returns the process id of a server, for a signal or a look at its memory."""
        return int((self.folder / f"{server}.pid").read_text().split()[0])

    def environment(self, **more):
        """Returns the environment of a client: NATS_URL, CONVOY_CERTS, PGHOST, ..."""
        return {**os.environ, **self.values, **more}

    def certificate(self, name):
        """Returns the paths of the authority, the certificate and the key of a seat."""
        certs = self.folder / "certs"
        return certs / "ca.crt", certs / f"{name}.crt", certs / f"{name}.key"

    def _stop(self, *words):
        subprocess.run([SCRIPTS / "stop-servers.sh", self.folder, *words], check=True)


def psql(running, statement):
    """Runs a statement as the service and returns the output without alignment."""
    done = subprocess.run(["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-c", statement],
                          env=running.environment(), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return done.stdout.strip()
