#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Regenerates docs/reference/ and the stage table of ARCHITECTURE.md from the
# .td files and the built driver. With --check, it only lists outdated pages.
set -euo pipefail

exec python3 "$(dirname "$0")/generate_docs.py" "$@"
