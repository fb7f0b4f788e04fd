#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds the libFuzzer targets of tests/fuzz/targets.txt with ASan and UBSan and runs them, two at a
# time, on the committed corpora, on generated seeds and on the inputs that an earlier run found. For
# a finding (crash, sanitizer report, hang, too much memory, a violated guarantee), the script keeps
# the input, prints its path and fails.
#
#   scripts/run-fuzzers.sh [--seconds N] [--ci] [--target NAME]... [--suite DIR] [--minimize]
#       runs each target for N seconds (default: 600); --ci runs the targets of CI, --target runs the
#       named targets; DIR contains newer backend tests of ONNX; --minimize replaces the committed
#       corpora by the smallest inputs that cover the same edges
#   build/fuzz/bin/TARGET FILE
#       runs one finding again
set -uo pipefail

cd "$(dirname "$0")/.." || exit 1
table=tests/fuzz/targets.txt
seconds=600
runs=all
minimizes=
named=()
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
    --ci)
      runs=ci
      shift
      ;;
    --target)
      if ! grep -qE "^${2-?} " "$table"; then
        echo "run-fuzzers: --target expects a name in $table, got '${2-}'" >&2
        exit 1
      fi
      named+=("$2")
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
    --minimize)
      minimizes=yes
      shift
      ;;
    *)
      echo "run-fuzzers: unknown argument '$1'; expected --seconds N, --ci, --target NAME, --suite DIR or --minimize" >&2
      exit 1
      ;;
  esac
done

targets=()
declare -A kinds
while read -r name run kind _; do
  kinds[$name]=$kind
  if [[ ${#named[@]} -gt 0 ]]; then
    [[ " ${named[*]} " == *" $name "* ]] && targets+=("$name")
  elif [[ $runs == all || $run == "$runs" ]]; then
    targets+=("$name")
  fi
done < <(grep -E '^fuzz_' "$table")

build=build/fuzz
cmake --preset fuzz >/dev/null || exit 1
# Builds only the fuzz targets.
cmake --build --preset fuzz --target "${targets[@]}" -- --quiet || exit 1
/usr/bin/python3 -B tests/fuzz/make_seeds.py "$build/seeds" "${suites[@]}" || exit 1

# folders TARGET: the inputs of a target besides those of earlier runs.
folders() {
  local seeds=$build/seeds/$1
  [[ ${kinds[$1]} == model ]] && seeds=$build/seeds/model
  for folder in "tests/fuzz/corpus/$1" "$seeds"; do
    [[ -d $folder ]] && echo "$folder"
  done
}

# The seed is fixed, so that two runs of one commit try the same inputs as far as their
# time allows. Data that a context keeps for later inputs would count as a leak after each
# input, so leaks are checked once at the end.
run_target() {
  local corpus=$build/corpus/$1 length=65536 given
  [[ ${kinds[$1]} == model ]] && length=16384
  mapfile -t given < <(folders "$1")
  mkdir -p "$corpus" "$build/findings"
  "$build/bin/$1" -max_total_time="$seconds" -rss_limit_mb=3072 -timeout=20 -max_len="$length" \
    -seed=1 -detect_leaks=0 -print_final_stats=1 -artifact_prefix="$build/findings/$1-" \
    "$corpus" "${given[@]}" >"$build/$1.log" 2>&1
}

# last PATTERN FILE: prints the number after the last occurrence of a word.
last() {
  grep -oE "$1 *[0-9]+" "$2" | tail -1 | grep -oE '[0-9]+$' || echo 0
}

# report TARGET STATUS: prints the result of a run; fails after a finding.
report() {
  local log=$build/$1.log verdict="no finding" artifact
  if [[ $2 -ne 0 ]]; then
    artifact=$(grep -oE 'Test unit written to .*' "$log" | tail -1 | cut -d' ' -f5-)
    verdict="FINDING ${artifact:-without a file}, see $log"
    tail -n 60 "$log"
  fi
  echo "$1: $(last number_of_executed_units: "$log") runs in $seconds s," \
    "$(last cov: "$log") edges covered, $(last new_units_added: "$log") new inputs, $verdict"
  return "$2"
}

# A model of ONNX's tests may not be committed, so the corpora of models are not minimized.
minimize() {
  local corpus=tests/fuzz/corpus/$1 given file name
  [[ ${kinds[$1]} == model ]] && return
  mapfile -t given < <(folders "$1")
  rm -rf "$build/minimized"
  mkdir -p "$build/minimized" "$build/corpus/$1"
  "$build/bin/$1" -set_cover_merge=1 -detect_leaks=0 -rss_limit_mb=3072 "$build/minimized" "${given[@]}" "$build/corpus/$1" \
    >"$build/$1.merge.log" 2>&1 || return
  rm -rf "$corpus"
  mv "$build/minimized" "$corpus"
  # The extension keeps the lints of texts away.
  for file in "$corpus"/*; do
    name=$(basename "$file")
    mv "$file" "$corpus/${name:0:16}.input"
  done
  echo "$1: $(find "$corpus" -type f | wc -l) inputs, $(du -sb "$corpus" | cut -f1) bytes in $corpus"
}

# The runner of every second target.
run_share() {
  local status=0 i
  for ((i = $1; i < ${#targets[@]}; i += 2)); do
    run_target "${targets[i]}"
    report "${targets[i]}" $? || status=1
  done
  return $status
}

run_share 0 &
other=$!
status=0
run_share 1 || status=1
wait "$other" || status=1
if [[ -n $minimizes ]]; then
  for target in "${targets[@]}"; do
    minimize "$target" || status=1
  done
fi
exit $status
