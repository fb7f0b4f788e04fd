#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs a test if its shared models exist. Otherwise prints the missing path and ends with
# exit code 77, which ctest counts as skipped.
#
#   run-if-shared.sh SHARED_DIR needed/path... -- command...
shared=$1
shift
while [ "$1" != -- ]; do
  if [ -z "$shared" ] || [ ! -e "$shared/$1" ]; then
    echo "skipped: needs ../shared/$1 (set CONVOY_SHARED_DIR if the folder is elsewhere)"
    exit 77
  fi
  shift
done
shift
exec "$@"
