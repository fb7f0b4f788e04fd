# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The flags that allow a C compiler the features of this machine, as `convoy targets`
has them. Tests take these instead of -march=native: clang 19 warns of features that it
knows in part, AVX10.1 for one."""

import json
import subprocess


def host_flags(convoy):
    targets = subprocess.run([convoy, "targets", "--json"], check=True, stdout=subprocess.PIPE).stdout
    host = json.loads(targets)[0]
    return [flag for flag in host["sourceCompiler"] if flag.startswith("-m")]
