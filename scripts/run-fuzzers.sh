#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds the libFuzzer targets with ASan and UBSan and runs both in parallel on the models
# of ONNX's node tests and on the inputs that an earlier run found. For a finding (crash,
# sanitizer report, hang, too much memory, a failure without an error), the script keeps
# the input, prints its path and fails.
#
#   scripts/run-fuzzers.sh [--seconds N] [--suite DIR]
#       runs each target for N seconds (default: 600); DIR contains newer backend tests of ONNX
#   build/fuzz/bin/TARGET FILE
#       runs one finding again
set -uo pipefail

cd "$(dirname "$0")/.." || exit 1
targets=(fuzz_import fuzz_reference)
seconds=600
suites=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --seconds)
      if [[ ! ${2-} =~ ^[1-9][0-9]*$ ]]; then
        echo "run-fuzzers: --seconds expects a number of seconds, got '${2-}'" >&2
        exit 1
      fi
      seconds=$2
      shift 2
      ;;
    --suite)
      if [[ ! -d ${2-} ]]; then
        echo "run-fuzzers: --suite expects a folder of tests, got '${2-}'" >&2
        exit 1
      fi
      suites+=("$2")
      shift 2
      ;;
    *)
      echo "run-fuzzers: unknown argument '$1'; expected --seconds N or --suite DIR" >&2
      exit 1
      ;;
  esac
done

build=build/fuzz
cmake --preset fuzz >/dev/null || exit 1
# Builds only the fuzz targets.
cmake --build --preset fuzz --target "${targets[@]}" -- --quiet || exit 1
/usr/bin/python3 tests/fuzz/make_seeds.py "$build/seeds" "${suites[@]}" || exit 1

# The seed is fixed, so that two runs of one commit try the same inputs as far as their
# time allows. Data that a context keeps for later inputs would count as a leak after each
# input, so leaks are checked once at the end.
run_target() {
  local corpus=$build/corpus/$1
  mkdir -p "$corpus" "$build/findings"
  "$build/bin/$1" -max_total_time="$seconds" -rss_limit_mb=3072 -timeout=10 -max_len=16384 \
    -seed=1 -detect_leaks=0 -print_final_stats=1 -artifact_prefix="$build/findings/$1-" \
    "$corpus" "$build/seeds" >"$build/$1.log" 2>&1
}

# last PATTERN FILE: prints the number after the last occurrence of a word.
last() {
  grep -oE "$1 *[0-9]+" "$2" | tail -1 | grep -oE '[0-9]+$' || echo 0
}

pids=()
for target in "${targets[@]}"; do
  run_target "$target" &
  pids+=($!)
done
status=0
for i in "${!targets[@]}"; do
  target=${targets[i]}
  log=$build/$target.log
  verdict="no finding"
  if ! wait "${pids[i]}"; then
    status=1
    artifact=$(grep -oE 'Test unit written to .*' "$log" | tail -1 | cut -d' ' -f5-)
    verdict="FINDING ${artifact:-without a file}, see $log"
    tail -n 60 "$log"
  fi
  echo "$target: $(last number_of_executed_units: "$log") runs in $seconds s," \
    "$(last cov: "$log") edges covered, $(last new_units_added: "$log") new inputs, $verdict"
done
exit $status
