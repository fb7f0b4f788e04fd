# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that check_runpath.py reports each kind of invalid element, on generated libraries.

  check_runpath_test.py CC
"""

import pathlib
import subprocess
import sys
import tempfile

CHECK = pathlib.Path(__file__).with_name("check_runpath.py")
HERE = "$ORIGIN/../lib"
# RUNPATH, allowed elements, and the expected finding; empty if the RUNPATH is valid.
CASES = [
    ("", [], None),
    ("/opt/a", ["/opt/a"], None),
    ("/opt/a:/opt/b", ["/opt/a", "/opt/b"], None),
    (f"/opt/a:{HERE}", ["/opt/a", HERE], None),
    ("/opt/a", [], "'/opt/a', which is not allowed"),
    ("/opt/a:", ["/opt/a"], "an empty element, which is the working directory"),
    (":/opt/a", ["/opt/a"], "an empty element, which is the working directory"),
    ("/opt/a::/opt/a", ["/opt/a"], "an empty element, which is the working directory"),
    ("lib", ["/opt/a"], "'lib', which is relative and not allowed"),
    (HERE, ["/opt/a"], f"'{HERE}', which is relative and not allowed"),
]


def check(folder, allowed):
    command = [sys.executable, "-B", str(CHECK), str(folder)]
    for element in allowed:
        command += ["--allow", element]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def main():
    compiler = sys.argv[1]
    failures = []
    with tempfile.TemporaryDirectory() as scratch:
        if check(scratch, []).returncode != 1:
            failures.append("a folder without programs passes")
        for runpath, allowed, words in CASES:
            library = pathlib.Path(scratch) / "part.so"
            flags = ["-Wl,--enable-new-dtags", f"-Wl,-rpath,{runpath}"] if runpath else []
            subprocess.run([compiler, "-shared", "-nostdlib", *flags, "-o", library, "-x", "c", "/dev/null"],
                           check=True)
            done = check(scratch, allowed)
            if done.returncode != (1 if words else 0) or (words or "") not in done.stdout:
                failures.append(f"RUNPATH '{runpath}' with {allowed} allowed: {done.returncode}, {done.stdout}")
    print(f"{len(CASES) - len(failures)} of {len(CASES)} cases")
    return "\n".join(failures) or 0


sys.exit(main())
