#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Unpacks trace tests of NVDLA's hardware and runs them on the simulator.
#
#   run-traces.sh convoy-nvdla-trace archive.tar.xz folder MIN_PASSED SKIPPED [configuration]
#
# Without a configuration all of the archive runs. `folder` is made anew; exactly SKIPPED traces
# may be skipped, so that one that stops running is noticed.
set -eu
tool=$1 archive=$2 folder=$3 min_passed=$4 skipped=$5 config=${6:-}
rm -rf "$folder"
mkdir -p "$folder"
tar -C "$folder" -xf "$archive" $config
"$tool" --suite "$folder/$config" --min-passed "$min_passed" | tee "$folder/report.txt"
rm -rf "$folder"/nv_*
tail -n 1 "$folder/report.txt" | grep -q ", 0 failed, $skipped skipped\$"
