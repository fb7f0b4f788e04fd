#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Unpacks an archive of ONNX backend tests once, then runs convoy.scoreboard on it.

  scoreboard_suite.py ARCHIVE FOLDER [flags of convoy.scoreboard]
"""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "conformance"))

import suite  # noqa: E402

from convoy import scoreboard  # noqa: E402

# A worker process imports this file under another name.
if __name__ == "__main__":
    archive, folder, *flags = sys.argv[1:]
    suite.unpack(archive, pathlib.Path(folder))
    sys.exit(scoreboard.main([str(suite.data_folder(pathlib.Path(folder))), *flags]))
