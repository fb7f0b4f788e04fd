#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Measures a suite of networks on 1 and 2 threads against ONNX Runtime. Run it on an
# idle machine; it takes some minutes. It needs a build of the preset `release` and
# scripts/install-deps.sh --bench.
#
#   bench/run.sh [--suite cnn|int8|transformers] [--output DIR] [--save FILE]
#                [--models "NAME..."] [flags of `convoy bench`...]
#
# cnn (default): eleven fp32 classifiers. int8: two of them in 8 bits. transformers: encoders,
# recurrent networks and networks with gates, of which two are files of ../shared/models/onnx
# (or $CONVOY_SHARED_DIR/models/onnx); a missing file is left out.
# Writes results.json and results.md to DIR (default: build/bench). --save docs/benchmarks/fp32.json
# (int8.json, transformers.json) also keeps the measurement; scripts/generate-docs.sh then
# updates its page, the README and the charts.
set -euo pipefail

cd "$(dirname "$0")/.."
output=build/bench
command="bench/run.sh${1:+ $*}"
save=()
suite=cnn
names=
flags=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --output) output=$2; shift 2 ;;
    --save) save=(--save "$2"); command=${command/ --save $2/}; shift 2 ;;
    --models) names=$2; shift 2 ;;
    --suite) suite=$2; shift 2 ;;
    --int8 | --transformers) echo "bench/run.sh: $1 was removed; write --suite ${1#--}" >&2; exit 1 ;;
    --help) sed -n '4,17s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) flags+=("$1"); shift ;;
  esac
done
case $suite in
  cnn) known="resnet50_v15 resnet50_v2 vgg19 resnet18 mobilenet_v1 mobilenet_v2 squeezenet inception_v1
    densenet121 bvlc_alexnet mnist_cnn" ;;
  int8) known="resnet50_v15_int8 mobilenet_v2_int8" ;;
  transformers) known="minilm_s128 minilm_s16 bert_base_s128 vit_b16 whisper_tiny_encoder lstm_256x2 gru_256x2
    efficientnet_b0 mobilenet_v3 universal_sentence_encoder_lite_L16 moonshine_tiny_encoder_dynint8
    bert_base_s128_dynamic_int8" ;;
  *) echo "bench/run.sh: unknown suite '$suite'; expected cnn, int8 or transformers" >&2; exit 1 ;;
esac
names=${names:-$known}

convoy=build/release/bin/convoy
if [[ ! -x $convoy ]]; then
  echo "bench/run.sh: $convoy does not exist; build it first: cmake --preset release && cmake --build --preset release" >&2
  exit 1
fi
threads=1
[[ $(nproc) -ge 2 ]] && threads=1,2

# Prints the flags that one network needs: `convoy bench` applies a flag to all networks of a command.
own_flags() {
  case $1 in
    moonshine_tiny_encoder_dynint8) echo "--input-shape input_values:1x64000" ;; # 4 s of audio
  esac
}

# Writes the network unless its file is newer than the generator. Files of the shared folder are linked.
provide() {
  local shared=${CONVOY_SHARED_DIR:-../shared}/models/onnx/$1.onnx
  case $1 in
    universal_sentence_encoder_lite_L16 | moonshine_tiny_encoder_dynint8)
      [[ -e $shared ]] || { echo "bench/run.sh: leaves out $1: needs $shared" >&2; return 1; }
      ln -sf "$(realpath "$shared")" "$models/$1.onnx" ;;
    *)
      if [[ ! -e $models/$1.onnx || -n $(find bench/*.py -newer "$models/$1.onnx") ]]; then
        /usr/bin/python3 bench/make_models.py "$models" "$1"
      fi ;;
  esac
}

models=$output/models
parts=$output/parts
rm -rf "$parts"
mkdir -p "$models" "$parts"
files=()
status=0
measure() {
  "$convoy" bench "$@" --threads "$threads" --baseline onnxruntime "${flags[@]}" || status=$?
}
# Measures the collected networks in one command.
measure_files() {
  if [[ ${#files[@]} -gt 0 ]]; then
    measure "${files[@]}" --json="$parts/$(printf %02d "$part").json"
    files=()
    part=$((part + 1))
  fi
}
part=0
for name in $names; do
  provide "$name" || continue
  read -r -a own <<<"$(own_flags "$name")"
  if [[ ${#own[@]} -gt 0 ]]; then
    measure_files
    measure "$models/$name.onnx" "${own[@]}" --json="$parts/$(printf %02d "$part").json"
    part=$((part + 1))
  else
    files+=("$models/$name.onnx")
  fi
done
measure_files

if compgen -G "$parts/*.json" >/dev/null; then
  /usr/bin/python3 bench/table.py "$parts"/*.json --command "$command" --join "$output/results.json" "${save[@]}" \
    >"$output/results.md"
  echo "wrote $output/results.json and $output/results.md"
fi
exit $status
