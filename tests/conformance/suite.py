#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Unpacks an archive of ONNX backend tests once, then runs convoy-conformance on it.

  suite.py ARCHIVE FOLDER [TOOL [flags of convoy-conformance]]
"""

import os
import pathlib
import subprocess
import sys
import tarfile


def unpack(archive, folder):
    """Extracts into a temporary folder beside `folder` and renames it, so an interrupted run leaves
    no partial suite."""
    if folder.exists():
        return
    partial = folder.with_suffix(".partial")
    partial.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive) as tar:
        tar.extractall(partial)
    os.rename(partial, folder)


def data_folder(folder):
    """Returns the folder that contains node/, at any depth of the archive."""
    return next(path.parent for path in sorted(folder.rglob("node")) if path.is_dir())


def main():
    archive, folder, *command = sys.argv[1:]
    folder = pathlib.Path(folder)
    unpack(archive, folder)
    if not command:
        return 0
    tool, *flags = command
    return subprocess.run([tool, "--suite", str(data_folder(folder)), *flags]).returncode


if __name__ == "__main__":
    sys.exit(main())
