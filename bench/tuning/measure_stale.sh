#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Measures the tables whose templates have changed again, in place:
#
#     measure_stale.sh TUNING_REPLAY TUNING_MEASURE_TABLE CONVOY_MEASURE TABLE.csv.gz...
set -uo pipefail

replay=$1 measure_table=$2 convoy_measure=$3
shift 3
for table in "$@"; do
  "$replay" "$table" >/dev/null 2>&1
  if [[ $? -eq 77 ]]; then
    echo "$table: stale"
    "$measure_table" "$table" "$convoy_measure" || exit 1
  fi
done
