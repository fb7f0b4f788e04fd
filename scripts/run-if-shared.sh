#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs a test when the shared models it needs are there; else says what is
# missing and ends with 77, which ctest counts as skipped.
#
#   run-if-shared.sh SHARED_DIR needed/path... -- command...
shared=$1
shift
while [ "$1" != -- ]; do
  if [ -z "$shared" ] || [ ! -e "$shared/$1" ]; then
    echo "skipped: needs ../shared/$1 (set CONVOY_SHARED_DIR when it is elsewhere)"
    exit 77
  fi
  shift
done
shift
exec "$@"
