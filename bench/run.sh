#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Measures eleven networks on 1 and 2 threads against ONNX Runtime. Run it on an
# idle machine; it takes some minutes. It needs a build of the preset `release` and
# scripts/install-deps.sh --bench.
#
#   bench/run.sh [--output DIR] [--save FILE] [--models "NAME..."] [flags of `convoy bench`...]
#   bench/run.sh --int8 [...]           measure two networks in 8 bits instead
#   bench/run.sh --transformers [...]   measure the encoder of MiniLM-L6 instead
#
# Writes results.json and results.md to DIR (default: build/bench). --save docs/benchmarks/fp32.json
# (or int8.json with --int8) also keeps the measurement; scripts/generate-docs.sh then
# updates its page, the README and the charts.
set -euo pipefail

cd "$(dirname "$0")/.."
output=build/bench
command="bench/run.sh${1:+ $*}"
save=()
names="resnet50_v15 resnet50_v2 vgg19 resnet18 mobilenet_v1 mobilenet_v2 squeezenet inception_v1 densenet121
  bvlc_alexnet mnist_cnn"
flags=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --output) output=$2; shift 2 ;;
    --save) save=(--save "$2"); command=${command/ --save $2/}; shift 2 ;;
    --models) names=$2; shift 2 ;;
    --int8) names="resnet50_v15_int8 mobilenet_v2_int8"; shift ;;
    --transformers) names="minilm_s128 minilm_s16"; shift ;;
    --help) sed -n '4,15s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) flags+=("$1"); shift ;;
  esac
done

convoy=build/release/bin/convoy
if [[ ! -x $convoy ]]; then
  echo "bench/run.sh: $convoy does not exist; build it first: cmake --preset release && cmake --build --preset release" >&2
  exit 1
fi
threads=1
[[ $(nproc) -ge 2 ]] && threads=1,2

models=$output/models
mkdir -p "$models"
files=()
for name in $names; do
  # Generates the models again if the generator has changed.
  if [[ ! $models/$name.onnx -nt bench/make_models.py || ! $models/$name.onnx -nt bench/quantize.py ]]; then
    /usr/bin/python3 bench/make_models.py "$models" "$name"
  fi
  files+=("$models/$name.onnx")
done

status=0
"$convoy" bench "${files[@]}" --threads "$threads" --against onnxruntime --json="$output/results.json" \
  "${flags[@]}" || status=$?
if [[ -s $output/results.json ]]; then
  /usr/bin/python3 bench/table.py "$output/results.json" --command "$command" "${save[@]}" >"$output/results.md"
  echo "wrote $output/results.json and $output/results.md"
fi
exit $status
