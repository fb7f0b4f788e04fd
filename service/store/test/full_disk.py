# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The disk of PostgreSQL is full: writes fail with a sentence, and succeed when space is free again.

    full_disk.py store_probe
"""

import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tests" / "service"))
# pylint: disable=wrong-import-position
import namespaces
import servers

SENTENCE = "cannot store trials: PostgreSQL has no disk space or memory left ("


def fill(folder):
    """Fills the file system beside the running server and returns the file."""
    ballast = folder / "ballast"
    with open(ballast, "wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(64 << 10))
        except OSError:
            pass  # full
    return ballast


def check(program, running, folder):
    with subprocess.Popen([program, "fill"], env=running.environment(), stdout=subprocess.PIPE, text=True) as probe:
        events = []
        ballast = None
        for line in probe.stdout:
            _, event, text = line.rstrip("\n").split(" ", 2)
            events.append((event, text))
            if event == "added" and text == "4":
                ballast = fill(folder)
            if event == "full" and ballast:
                assert text.startswith(SENTENCE), text
                print(text)
                # The server lives and answers.
                rows = int(servers.psql(running, "select count(*) from trials"))
                assert rows >= 2000 and rows % 500 == 0, rows
                ballast.unlink()
                ballast = None
        assert probe.wait() == 0, events[-5:]
    kinds = [event for event, _ in events]
    assert "full" in kinds and kinds[-1] == "added", events[-5:]
    rounds = int(events[-1][1])
    assert servers.psql(running, "select count(*) from trials") == str(500 * rounds)
    print(f"recovered: {rounds} rounds, {kinds.count('full')} refused, {kinds.count('failed')} other failures")


def main():
    namespaces.skip_unless_possible()  # mounting needs root, too
    folder = pathlib.Path(tempfile.mkdtemp(prefix="convoy-test-"))
    try:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128m,mode=711", "none", folder], check=True)
        try:
            with servers.Servers(["postgres"], folder=folder / "servers",
                                 options=["--postgres-conf", "max_wal_size = 48MB"]) as running:
                check(sys.argv[1], running, folder)
        finally:
            subprocess.run(["umount", "-l", folder], check=True)
    finally:
        folder.rmdir()


if __name__ == "__main__":
    main()
