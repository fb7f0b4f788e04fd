#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fails if ResNet-50 is much slower, relative to ONNX Runtime, than expected on 1 or 2
# threads. The limit tolerates a noisy machine but detects a lost optimization.
# Needs a build of the preset `release` and scripts/install-deps.sh --bench.
#
#   bench/smoke.sh [--most RATIO]
set -euo pipefail

cd "$(dirname "$0")/.."
most=1.2
[[ ${1:-} == --most ]] && most=$2

output=build/bench/smoke
bench/run.sh --output "$output" --models resnet50_v15 --repetitions 30
/usr/bin/python3 - "$output/results.json" "$most" <<'PY'
import json
import sys

most = float(sys.argv[2])
slow = [row for row in json.load(open(sys.argv[1])) if row["ratio"] > most]
for row in slow:
    print(f"smoke: {row['model']} on {row['threads']} threads takes {row['ratio']:.2f} of the peer's time "
          f"(95 % interval {row['ratio_low']:.2f} to {row['ratio_high']:.2f}), more than {most}; "
          "see which kernel: convoy bench --layers")
sys.exit(1 if slow else 0)
PY
