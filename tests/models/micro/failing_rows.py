#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs emitted C whose function for the rows of the input fails. The run must fetch the rows in
order, fetch no row after the failure, and return the code of the header.

  failing_rows.py CONVOY MODEL WORK
"""

import os
import re
import shutil
import subprocess
import sys

PROGRAM = """
#include "net.h"
#include <stdio.h>
#include <string.h>

static _Alignas(NET_WORKSPACE_ALIGNMENT) unsigned char workspace[NET_WORKSPACE_BYTES];
static uint32_t next_row, failing_row;

static int read_row(void *context, uint32_t row, void *bytes) {
  if (context != workspace || row != next_row) {
    return 2;
  }
  ++next_row;
  memset(bytes, 1, NET_INPUT_0_ROW_BYTES);
  return row == failing_row;
}

int main(void) {
  net_inputs inputs;
  memset(&inputs, 0, sizeof inputs);
  int null_code = net_run(&inputs, workspace);
  inputs.FIELD.read = read_row;
  inputs.FIELD.context = workspace;
  failing_row = NET_INPUT_0_ROWS / 2;
  int failed_code = net_run(&inputs, workspace);
  uint32_t fetched = next_row;
  next_row = 0;
  failing_row = NET_INPUT_0_ROWS;
  int code = net_run(&inputs, workspace);
  printf("%d %d %d %d %d %d\\n%s\\n", null_code, failed_code, (int)(fetched - NET_INPUT_0_ROWS / 2), code,
         (int)(NET_INPUT_0_ROWS - next_row), NET_INPUT_0_ROWS > 1, net_error_text(failed_code));
  return 0;
}
"""


def main():
    convoy, model, work = sys.argv[1:4]
    shutil.rmtree(work, ignore_errors=True)
    subprocess.run([convoy, "compile", model, "--target=cortex-m3", "--io=rows", "--name=net", "-o", work, "--quiet"],
                   check=True)
    with open(os.path.join(work, "net.h")) as file:
        field = re.search(r"  net_rows (\w+);", file.read()).group(1)
    program = os.path.join(work, "main.c")
    with open(program, "w") as file:
        file.write(PROGRAM.replace("FIELD", field))
    binary = os.path.join(work, "main")
    subprocess.run(["cc", "-std=c11", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", work, program,
                    os.path.join(work, "net.c"), "-lm", "-o", binary], check=True)
    text = subprocess.run([binary], check=True, stdout=subprocess.PIPE, text=True).stdout
    # A null function, a failure after which no row is fetched, and a run that fetches every row.
    expected = "1 13 1 0 0 1\na function that provides the rows of an input failed\n"
    if text != expected:
        sys.exit(f"FAILED: expected\n{expected}got\n{text}")


if __name__ == "__main__":
    main()
