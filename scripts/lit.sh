#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds convoy-opt and runs the lit tests of a source path, for work on one pass:
#
#   scripts/lit.sh compiler/Layout/test/choose_conv_block.mlir
#   scripts/lit.sh compiler/Layout -v          run a folder; pass further flags to lit
#   PRESET=dev scripts/lit.sh ...              use a build other than `release`
#   BUILD=0 scripts/lit.sh ...                 do not build the tools first
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build/${PRESET:-release}
lit=/usr/lib/llvm-19/build/utils/lit/lit.py
if [[ ! -f $build/build.ninja ]]; then
  echo "lit.sh: $build contains no build; run: cmake --preset ${PRESET:-release}" >&2
  exit 1
fi

args=()
for arg in "$@"; do
  if [[ $arg != -* && -e $arg ]]; then
    # lit finds its configuration in the build folder, which mirrors the source.
    arg=$build/tests/lit/$(realpath --relative-to="$root" "$arg")
  fi
  args+=("$arg")
done
if [[ ${#args[@]} -eq 0 ]]; then
  args=("$build/tests/lit/compiler" "$build/tests/lit/tests/lit")
fi

if [[ ${BUILD:-1} != 0 ]]; then
  ninja -C "$build" --quiet convoy-opt convoy-translate
fi
exec /usr/bin/python3 "$lit" -sv --no-progress-bar "${args[@]}"
