#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks that the runtime and its headers compile without a warning as C11, C17, C++17 and C++20
# with GCC and clang, and that headers may be included twice.
#
#   strict_warnings.sh RUNTIME_DIR               the runtime
#   strict_warnings.sh RUNTIME_DIR HEADER...     generated headers, with the runtime's
set -eu

runtime=$1
shift
sources="$runtime/core/*.c $runtime/abstract/*.c $runtime/load/*.c $runtime/runner/*.c
  $runtime/micro/count_instructions.c"
if [ $# -gt 0 ]; then
  sources=
fi
warnings="-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wundef -Werror"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

for header in "$runtime/include/convoy/load.h" "$runtime/include/convoy/convoy.h" "$runtime/include/convoy/abstract.h" \
  "$runtime/core/library.h" "$@"; do
  echo "#include \"$header\"" >>"$scratch/headers.c"
  echo "#include \"$header\"" >>"$scratch/headers.c"
done
echo "int convoy_header_is_not_empty;" >>"$scratch/headers.c"
cp "$scratch/headers.c" "$scratch/headers.cpp"
echo '#include <convoy/convoy.hpp>' >>"$scratch/headers.cpp"
echo '#include <convoy/convoy.hpp>' >>"$scratch/headers.cpp"

compiled=0
for c in gcc clang-19; do
  for standard in c11 c17; do
    for source in $sources "$scratch/headers.c"; do
      # shellcheck disable=SC2086
      $c -std=$standard $warnings -Wstrict-prototypes -I"$runtime/include" -fPIC -O2 -c "$source" \
        -o "$scratch/out.o"
      compiled=$((compiled + 1))
    done
  done
done
for cpp in g++ clang++-19; do
  for standard in c++17 c++20; do
    # shellcheck disable=SC2086
    $cpp -std=$standard $warnings -I"$runtime/include" -c "$scratch/headers.cpp" -o "$scratch/out.o"
    compiled=$((compiled + 1))
  done
done
echo "$compiled compilations without a warning"
