# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests the scripts that start the servers: certificates, permissions, crash and restart."""

import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

import servers
from nats_client import NatsClient

STREAMS = {"BUILD": "build.>", "MEASURE": "measure.>", "RESULT": "result.>"}


class ServersTest(unittest.TestCase):
    """All tests use the same two servers."""

    @classmethod
    def setUpClass(cls):
        cls.running = servers.Servers(seats=["agent0=x86", "agent1=cortex-a72"])
        cls.addClassCleanup(cls.running.remove)
        cls.running.start()

    def connect(self, seat):
        client = NatsClient(self.running.values["NATS_URL"], *map(str, self.running.certificate(seat)))
        self.addCleanup(client.close)
        return client

    def make_streams(self):
        client = self.connect("tuningd")
        for stream, subject in STREAMS.items():
            answer = client.request(f"$JS.API.STREAM.CREATE.{stream}",
                                    {"name": stream, "subjects": [subject], "retention": "workqueue", "storage": "file"},
                                    "_INBOX_tuningd")
            self.assertNotIn("error", answer)
        for stream, consumer in (("BUILD", "builders"), ("MEASURE", "x86"), ("MEASURE", "cortex-a72")):
            wanted = {"durable_name": consumer, "ack_policy": "explicit"}
            if stream == "MEASURE":
                wanted["filter_subject"] = f"measure.{consumer}"
            answer = client.request(f"$JS.API.CONSUMER.DURABLE.CREATE.{stream}.{consumer}",
                                    {"stream_name": stream, "config": wanted}, "_INBOX_tuningd")
            self.assertNotIn("error", answer)
        return client

    def is_refused(self, seat, subject, verb="publish"):
        """Returns whether the server refuses that a seat publishes or subscribes to a subject."""
        client = self.connect(seat)
        getattr(client, verb)(subject)
        client.flush()
        return any("Permissions Violation" in error and f'"{subject}"' in error for error in client.errors)

    def test_workers_have_only_their_rights(self):
        self.make_streams()
        allowed = {
            "builder": ["$JS.API.CONSUMER.MSG.NEXT.BUILD.builders", "$JS.API.CONSUMER.INFO.BUILD.builders",
                        "$JS.ACK.BUILD.builders.1.1.1.1.1", "result.build.builder", "started.build", "hello.builder"],
            "agent0": ["$JS.API.CONSUMER.MSG.NEXT.MEASURE.x86", "$JS.ACK.MEASURE.x86.1.1.1.1.1",
                       "result.measure.agent0", "started.measure", "hello.agent"],
            "agent": ["$JS.API.CONSUMER.MSG.NEXT.MEASURE.x86", "$JS.API.CONSUMER.MSG.NEXT.MEASURE.cortex-a72"],
        }
        refused = {
            "builder": ["$JS.API.CONSUMER.MSG.NEXT.MEASURE.x86", "$JS.API.STREAM.DELETE.BUILD", "build.job",
                        "result.measure.agent0", "cancel.job", "$JS.API.STREAM.RESTORE.BUILD"],
            "agent0": ["$JS.API.CONSUMER.MSG.NEXT.MEASURE.cortex-a72", "$JS.ACK.MEASURE.cortex-a72.1.1.1.1.1",
                       "$JS.API.CONSUMER.MSG.NEXT.BUILD.builders", "$JS.API.STREAM.PURGE.MEASURE", "measure.x86",
                       "result.build.builder"],
        }
        for seat, subjects in allowed.items():
            for subject in subjects:
                self.assertFalse(self.is_refused(seat, subject), f"{seat} may not publish {subject}")
        for seat, subjects in refused.items():
            for subject in subjects:
                self.assertTrue(self.is_refused(seat, subject), f"{seat} may publish {subject}")
        self.assertFalse(self.is_refused("agent0", "_INBOX_agent0.>", "subscribe"))
        self.assertFalse(self.is_refused("agent0", "cancel.>", "subscribe"))
        for subject in ("_INBOX_agent1.>", "_INBOX.>", "result.>", ">"):
            self.assertTrue(self.is_refused("agent0", subject, "subscribe"), subject)

    def test_certificates_are_valid_for_slow_clocks(self):
        for name in ("tuningd", "server"):
            authority, certificate, _ = self.running.certificate(name)
            for hours in (-23, 23):
                moment = str(int(time.time()) + hours * 3600)
                subprocess.run(["openssl", "verify", "-attime", moment, "-CAfile", authority, certificate],
                               check=True, capture_output=True)

    def test_clients_need_a_certificate(self):
        authority = str(self.running.certificate("tuningd")[0])
        with self.assertRaises(OSError):
            NatsClient(self.running.values["NATS_URL"], authority)
        with self.assertRaisesRegex(RuntimeError, "certificate authentication failed"):
            _, certificate, key = self.running.certificate("builder")
            values = {**self.running.values, "PGSSLCERT": str(certificate), "PGSSLKEY": str(key)}
            stranger = servers.Servers(folder=self.running.folder)
            stranger.values = values
            servers.psql(stranger, "select 1")

    def test_killed_servers_restart_with_their_data(self):
        client = self.make_streams()
        client.request("build.job", {"trial": 1}, "_INBOX_tuningd")
        servers.psql(self.running, "create table kept as select 7 as value")
        before = dict(self.running.values)
        processes = [self.running.process(server) for server in ("nats", "postgres")]
        self.running.kill()
        for process in processes:
            self.assertFalse(is_running(process))
        start = time.monotonic()
        self.running.start()
        print(f"restart of both servers after SIGKILL: {time.monotonic() - start:.1f} s")
        self.assertEqual(self.running.values, before)
        self.assertEqual(servers.psql(self.running, "select value from kept"), "7")
        info = self.connect("tuningd").request("$JS.API.STREAM.INFO.BUILD", None, "_INBOX_tuningd")
        self.assertEqual(info["state"]["messages"], 1)

    def test_second_start_changes_nothing(self):
        before = self.running.process("nats"), self.running.process("postgres")
        self.running.start()
        self.assertEqual((self.running.process("nats"), self.running.process("postgres")), before)

    def test_seat_is_added_to_a_running_server(self):
        subprocess.run([servers.SCRIPTS / "start-servers.sh", self.running.folder, "--seat", "builder9", "nats"],
                       check=True)
        end = time.monotonic() + 5
        while True:
            try:
                self.assertFalse(self.is_refused("builder9", "result.build.builder9"))
                return
            except OSError:  # the server has not read the new seats yet
                self.assertLess(time.monotonic(), end)
                time.sleep(0.05)

    def test_servers_end_with_their_owner(self):
        code = ("import servers, sys, time; running = servers.Servers(['nats']); running.start(); "
                "print(running.folder, running.process('nats'), flush=True); time.sleep(60)")
        with subprocess.Popen([sys.executable, "-c", code], cwd=pathlib.Path(__file__).parent,
                              stdout=subprocess.PIPE, text=True) as owner:
            folder, process = owner.stdout.readline().split()
            owner.send_signal(signal.SIGKILL)
        end = time.monotonic() + 10
        while is_running(int(process)) or pathlib.Path(folder).exists():
            self.assertLess(time.monotonic(), end, "the server did not end")
            time.sleep(0.05)

    def test_errors_are_sentences(self):
        cases = [
            (["start-servers.sh", "--kill"], "usage: start-servers.sh FOLDER"),
            (["start-servers.sh", self.running.folder, "mysql"],
             "expected --seat, --address, --postgres-conf, --owner, nats or postgres, got 'mysql'"),
            (["stop-servers.sh", "/nonexistent"], "'/nonexistent' is not a folder of start-servers.sh"),
            (["stop-servers.sh", self.running.folder, "--now"], "expected --kill, --remove, nats or postgres, got '--now'"),
            (["make-certs.sh", self.running.folder / "certs", "Bad Name"],
             "expected a name of small letters, digits and '-', got 'Bad Name'"),
        ]
        for (script, *words), text in cases:
            done = subprocess.run([servers.SCRIPTS / script, *words], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1, script)
            self.assertIn(text, done.stderr)


def is_running(process):
    try:
        stat = pathlib.Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return stat.rsplit(") ", 1)[1][0] != "Z"


if __name__ == "__main__":
    os.environ["LC_ALL"] = "C.UTF-8"
    unittest.main()
