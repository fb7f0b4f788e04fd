# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What identifies a measurement: the commit, the CPU class and the bytes of the network. The measuring
scripts of bench/zoo and bench/source use it."""

import hashlib
import os
import subprocess


def cpu_class():
    """Names the vector instructions that decide which kernels Convoy selects."""
    flags = set()
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("flags"):
                flags = set(line.split(":", 1)[1].split())
                break
    names = [("avx512f", "AVX-512"), ("avx512_vnni", "VNNI"), ("amx_tile", "AMX")]
    found = [name for flag, name in names if flag in flags]
    return " ".join(found) or ("AVX2" if "avx2" in flags else os.uname().machine)


def head_commit():
    """Names the commit of the tree that contains this file."""
    folder = os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run(["git", "-C", folder, "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"],
                          capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def file_hash(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 22), b""):
            digest.update(block)
    return digest.hexdigest()[:16]
