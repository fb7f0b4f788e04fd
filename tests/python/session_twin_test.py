# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""examples/python/onnxruntime_session.py prints the same with Convoy and with ONNX Runtime.

  session_twin_test.py PROGRAM PEERS

ONNX Runtime is the library of the npm package onnxruntime-node in PEERS, which scripts/install-deps.sh --bench installs.
peer/onnxruntime.py gives its C interface the names of the Python package.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

import onnx_models

PROGRAM, PEERS = map(pathlib.Path, sys.argv[1:])
IMPORT = "import convoy as onnxruntime  # was: import onnxruntime\n"


def output(program, folder, **variables):
    done = subprocess.run([sys.executable, "-B", program, folder / "model.onnx", folder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, env=dict(os.environ, **variables))
    assert done.returncode == 0, done.stdout
    return done.stdout


def main():
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(os.uname().machine, "none")
    found = sorted(PEERS.glob(f"node_modules/onnxruntime-node/bin/*/linux/{machine}/libonnxruntime.so.1"))
    text = PROGRAM.read_text()
    assert text.count(IMPORT) == 1 and len(re.findall("convoy", text)) == 1, "only the import names Convoy"
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "model.onnx").write_bytes(onnx_models.described())
        ours = output(PROGRAM, folder)
        assert ours.endswith("6 runs in the profile, all of positive time: True\n"), ours
        if not found:
            print(f"skipped: needs ONNX Runtime in {PEERS}; install it with scripts/install-deps.sh --bench")
            return
        twin = folder / "twin.py"
        twin.write_text(text.replace(IMPORT, "import onnxruntime\n"))
        theirs = output(twin, folder, PYTHONPATH=str(pathlib.Path(__file__).parent / "peer"), ONNXRUNTIME_LIBRARY=str(found[-1]))
    assert ours == theirs, f"Convoy prints\n{ours}\nONNX Runtime prints\n{theirs}"
    print(f"{len(ours.splitlines())} lines are equal:\n{ours}", end="")


if __name__ == "__main__":
    main()
