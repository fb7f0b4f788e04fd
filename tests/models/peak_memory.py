#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the peak memory of a C program that runs a model. The limit is the size of weights,
workspace, inputs and outputs, plus 16 MiB for everything else, code and C library included.

  peak_memory.py CONVOY SCRATCH_DIR MODEL [compile flags...]
"""

import json
import pathlib
import shutil
import subprocess
import sys

ELSE_BYTES = 16 << 20
COMPILER = "cc"
PROGRAM = """
#include "{name}.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {{
  {name}_inputs inputs;
  {name}_outputs outputs;
  void **places[] = {{ {places} }};
  size_t sizes[] = {{ {sizes} }};
  void *workspace = aligned_alloc(64, ({upper}_WORKSPACE_BYTES + 63) / 64 * 64);
  char line[256];
  FILE *status;
  size_t i;
  int code = 0;
  for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {{
    *places[i] = calloc(1, sizes[i]);
  }}
  memset(workspace, 1, {upper}_WORKSPACE_BYTES); /* all of it counts */
  for (i = 0; i < 3 && code == 0; ++i) {{
    code = {name}_run(&inputs, &outputs, workspace);
  }}
  status = fopen("/proc/self/status", "r");
  while (fgets(line, sizeof(line), status) != NULL) {{
    if (strncmp(line, "VmHWM:", 6) == 0) {{
      printf("%s", line + 6);
    }}
  }}
  return code;
}}
"""


def main():
    convoy, scratch, model, flags = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4:]
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    result = subprocess.run([convoy, "compile", model, "-o", scratch, "--json", *flags],
                            capture_output=True, text=True, check=True)
    facts = json.loads(result.stdout)
    name = facts["model"]
    fields = header_fields(pathlib.Path(facts["header"]).read_text(), name)
    sizes = [tensor["bytes"] for tensor in facts["inputs"] + facts["outputs"]]
    places = ", ".join(f"(void **)&{field}" for field in fields)
    source = scratch / "program.c"
    source.write_text(PROGRAM.format(name=name, upper=name.upper(), places=places,
                                     sizes=", ".join(str(size) for size in sizes)))
    program = scratch / "program"
    subprocess.run([COMPILER, "-O1", f"-I{sys.argv[2]}", f"-I{include_dir()}", source,
                    facts["library"], f"-Wl,-rpath,{scratch}", "-o", program], check=True)
    peak = int(subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()[0]) * 1024
    known = facts["weights_bytes"] + facts["workspace_bytes"] + sum(sizes)
    print(f"{name} {' '.join(flags)}: peak {peak / 2**20:.1f} MiB, weights, workspace and tensors "
          f"{known / 2**20:.1f} MiB, everything else {(peak - known) / 2**20:.1f} MiB")
    if peak > known + ELSE_BYTES:
        sys.exit(f"FAILED: the program needs more than {ELSE_BYTES >> 20} MiB besides weights, workspace and tensors")


def header_fields(text, name):
    """Returns the pointers of both structures, in order."""
    fields = []
    for kind in ("inputs", "outputs"):
        body = text.split(f"}} {name}_{kind};")[0].rsplit("{", 1)[1]
        fields += [f"{kind}.{line.split('*')[1].split(';')[0].strip()}"
                   for line in body.splitlines() if "*" in line and ";" in line]
    return fields


def include_dir():
    return pathlib.Path(__file__).resolve().parents[2] / "runtime" / "include"


if __name__ == "__main__":
    main()
