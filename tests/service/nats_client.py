# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A minimal client of NATS over TLS, enough to test permissions and to ask JetStream."""

import json
import socket
import ssl
import time
from urllib.parse import urlparse


class NatsClient:
    """A connection of one seat. `errors` collects what the server refuses."""

    def __init__(self, url, authority=None, certificate=None, key=None):
        address = urlparse(url)
        self.buffer, self.errors, self.messages, self.count = b"", [], [], 0
        self.socket = socket.create_connection((address.hostname, address.port), timeout=10)
        try:
            self._line()  # INFO, before TLS
            context = ssl.create_default_context(cafile=authority)
            if certificate:
                context.load_cert_chain(certificate, key)
            self.socket = context.wrap_socket(self.socket, server_hostname=address.hostname)
            self.send('CONNECT {"verbose": false, "pedantic": false, "headers": true}')
            self.flush()
        except OSError:
            self.close()
            raise

    def close(self):
        self.socket.close()

    def send(self, line, payload=None):
        self.socket.sendall(line.encode() + b"\r\n" + (payload + b"\r\n" if payload is not None else b""))

    def publish(self, subject, payload=b"", reply=""):
        self.send(f"PUB {subject} {reply} {len(payload)}".replace("  ", " "), payload)

    def subscribe(self, subject):
        self.count += 1
        self.send(f"SUB {subject} {self.count}")

    def flush(self):
        """Waits until the server has handled everything that was sent."""
        self.send("PING")
        while self._receive() != "PONG":
            pass

    def request(self, subject, value, inbox, seconds=5):
        """Returns the JSON answer, or None after a refusal or the time-out."""
        self.count += 1
        reply = f"{inbox}.{self.count}"
        self.send(f"SUB {reply} {self.count}")
        self.publish(subject, json.dumps(value).encode() if value is not None else b"", reply)
        refused, end = len(self.errors), time.monotonic() + seconds
        while time.monotonic() < end and len(self.errors) == refused:
            self.flush()
            for subject_of, payload in self.messages:
                if subject_of == reply:
                    return json.loads(payload)
            time.sleep(0.01)
        return None

    def _receive(self):
        line = self._line()
        if line.startswith("MSG "):
            words = line.split()
            size = int(words[-1])
            while len(self.buffer) < size + 2:
                self._read()
            self.messages.append((words[1], self.buffer[:size]))
            self.buffer = self.buffer[size + 2:]
        elif line.startswith("-ERR"):
            self.errors.append(line[5:].strip("'"))
        elif line == "PING":
            self.send("PONG")
        return line

    def _line(self):
        while b"\r\n" not in self.buffer:
            self._read()
        line, self.buffer = self.buffer.split(b"\r\n", 1)
        return line.decode()

    def _read(self):
        data = self.socket.recv(65536)
        if not data:
            raise ConnectionError(f"NATS closed the connection; errors: {self.errors}")
        self.buffer += data
