#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Unpacks an archive of published test data into a new folder, runs a test on it, and removes the
# data whether or not the test passes.
#
#   unpack-and-run.sh archive.tar.xz folder [member...] -- command...
set -eu
archive=$1 folder=$2
shift 2
rm -rf "$folder"
mkdir -p "$folder"
trap 'rm -rf "$folder"' EXIT
members=
while [ "$1" != -- ]; do
  members="$members $1"
  shift
done
shift
# shellcheck disable=SC2086 # several words, or none
tar -C "$folder" -xf "$archive" $members
"$@"
