#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs a test if this machine can run code for the target, natively or under the target's
# emulator. Otherwise prints a message and ends with exit code 77, which ctest counts as
# skipped.
#
#   run-if-target.sh CONVOY TARGET -- command...
convoy=$1
target=$2
shift 3
if ! "$convoy" targets "$target" | grep -q "^verbs .*\bcheck\b"; then
  echo "skipped: code for $target does not run here; scripts/install-deps.sh installs the emulator" \
       "and the C library that it needs, and convoy must be built with them"
  exit 77
fi
exec "$@"
