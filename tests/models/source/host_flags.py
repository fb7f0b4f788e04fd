# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Returns the C compiler flags that enable the features of this machine, taken from `convoy
targets`. Tests use these flags instead of -march=native because clang 19 warns about features that
it supports only in part, such as AVX10.1."""

import json
import subprocess


def host_flags(convoy):
    targets = subprocess.run([convoy, "targets", "--json"], check=True, stdout=subprocess.PIPE).stdout
    host = json.loads(targets)[0]
    return [flag for flag in host["sourceCompiler"] if flag.startswith("-m")]
