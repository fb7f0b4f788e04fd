#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Regenerates docs/reference/, the stage table of ARCHITECTURE.md, the drawings, the
# snippets and the measured tables from the .td files, the built driver, the examples
# and docs/benchmarks/*.json. With --check it only names the stale files.
set -euo pipefail

exec python3 "$(dirname "$0")/generate_docs.py" "$@"
