# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What identifies a measurement: the sources of the compiler, the CPU class and the bytes of the network. The
measuring scripts of bench/zoo and bench/source use it."""

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


ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# The folders whose code is in compiled libraries or decides what they contain, without tests and pages.
COMPILER = ["compiler", "runtime", "options", "reference", ":!**/test/**", ":!**/*.md"]


def git(*arguments):
    """Returns the output of git in this tree, or nothing if it is not a repository."""
    done = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def head_commit():
    """Names the commit of the tree that contains this file."""
    return git("describe", "--always", "--dirty", "--abbrev=12", "--exclude=*") or "unknown"


def compiler_hash():
    """Identifies the sources of the compiler, with changes that are not committed. Commits that change only documents,
    tests or scripts have equal hashes, because a library that was compiled before them is still the library of the tree."""
    listed = git("ls-files", "-s", "--", *COMPILER)
    changes = git("diff", "HEAD", "--", *COMPILER)
    return hashlib.sha256((listed + changes).encode()).hexdigest()[:16] if listed else "unknown"


def file_hash(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 22), b""):
            digest.update(block)
    return digest.hexdigest()[:16]
