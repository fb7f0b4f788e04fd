#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs every lint. The exit code is not 0 if a lint has a finding.
#
#   scripts/lint/run.sh            run text lints on all files, clang-tidy on changed files
#   scripts/lint/run.sh --all      run clang-tidy on every file, without a time budget
#   scripts/lint/run.sh --no-tidy  run only the text lints, as the pre-commit hook does (seconds)
#   scripts/lint/run.sh --tidy     run only clang-tidy on changed files, which needs the build
#   scripts/lint/run.sh --fix      run clang-format in place, then the text lints
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.." || exit 1
tidy=(--budget 240)
run_text=1
run_tidy=1
for arg in "$@"; do
  case $arg in
    --all) tidy=(--all) ;;
    --no-tidy) run_tidy=0 ;;
    --tidy) run_text=0 ;;
    --fix) run_tidy=0; python3 "$here/clang_format.py" --fix || exit 1 ;;
    *) echo "lint: unknown flag '$arg'; try --all, --no-tidy, --tidy or --fix" >&2; exit 1 ;;
  esac
done

failed=()
lint() {
  local name=$1
  shift
  if ! python3 "$here/$name.py" "$@"; then
    failed+=("$name")
  fi
}
if [[ $run_text -eq 1 ]]; then
  for name in sizes forbidden attributes devices op_facts layers tablegen stages test_names links claims file_text spelling phrases doc_blocks commits clang_format; do
    lint "$name"
  done
fi
if [[ $run_tidy -eq 1 ]]; then
  lint clang_tidy "${tidy[@]}"
fi

if [[ ${#failed[@]} -gt 0 ]]; then
  echo "lint: failed: ${failed[*]}"
  exit 1
fi
echo "lint: clean"
