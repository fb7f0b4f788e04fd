# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles Moonshine's encoder for three lengths of audio and its merged decoder for three pairs of
prompt and cache length, with both values of `use_cache_branch`, and compares each with ONNX Runtime.
`convoy bench --baseline onnxruntime` judges the outputs; docs/howto/benchmark.md has the rule. The
test is skipped if the peer is not installed.

  moonshine.py CONVOY MODELS SCRATCH [encoder|decoder]

MODELS is the folder with onnx/ and transformers/.
"""

import json
import os
import subprocess
import sys

import numpy as np

ENCODER = "onnx/moonshine_tiny_encoder_dynint8.onnx"
DECODER = "transformers/moonshine_tiny_decoder_merged_dynint8.onnx"
SAMPLES = [16000, 37123, 64000]  # of audio at 16 kHz
# Tokens of the prompt, tokens in the cache, positions of the encoder.
PAIRS = [(1, 1, 40), (1, 17, 165), (4, 9, 73)]
TOKENS = 32768


def bench(convoy, scratch, *arguments):
    """Returns the row of the JSON, or the error text."""
    results = os.path.join(scratch, "results.json")
    if os.path.exists(results):
        os.remove(results)
    done = subprocess.run([convoy, "bench", *arguments, "--baseline", "onnxruntime", "--repetitions", "1", "--quiet",
                           f"--json={results}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if "scripts/install-deps.sh --bench" in done.stderr:
        print("skipped: needs the peer: scripts/install-deps.sh --bench")
        sys.exit(77)
    if not os.path.exists(results):
        return done.stderr.strip()
    with open(results, encoding="utf-8") as file:
        rows = json.load(file)
    return rows[0] if rows else done.stderr.strip()


def report(name, row):
    """Prints the verdict on one case and returns whether it is right."""
    is_right = not isinstance(row, str) and row["right"]
    text = row if isinstance(row, str) else f"differs from the peer by {row['relative_error']:.2g}"
    if not isinstance(row, str) and row["plain_error"] is not None:
        text += (f", from its unoptimized graph by {row['plain_error']:.2g}; "
                 f"the peer differs from itself by {row['peer_own_error']:.2g}")
    print(f"{'ok   ' if is_right else 'WRONG'} {name}: {text}", flush=True)
    return is_right


def encoder_cases(models):
    for samples in SAMPLES:
        yield (f"encoder, {samples} samples",
               [os.path.join(models, ENCODER), "--input-shape", f"input_values:1x{samples}"])


def decoder_cases(models, scratch):
    random = np.random.default_rng(1)
    for prompt, cache, positions in PAIRS:
        for uses_cache in (False, True):
            branch = os.path.join(scratch, f"use_cache_{int(uses_cache)}.npy")
            np.save(branch, np.array([uses_cache]))
            tokens = os.path.join(scratch, f"tokens_{prompt}.npy")
            np.save(tokens, random.integers(0, TOKENS, (1, prompt), dtype=np.int64))
            dims = {"batch_size": 1, "decoder_sequence_length": prompt, "encoder_sequence_length": positions,
                    "past_decoder_sequence_length": cache, "encoder_sequence_length_out": positions}
            flags = [flag for name, size in dims.items() for flag in ("--dim", f"{name}={size}")]
            yield (f"decoder, prompt {prompt}, cache {cache}, use_cache_branch {uses_cache}",
                   [os.path.join(models, DECODER), "--const", f"use_cache_branch={branch}", *flags,
                    "--input", f"input_ids={tokens}"])


def main():
    convoy, models, scratch, *which = sys.argv[1:]
    os.makedirs(scratch, exist_ok=True)
    cases = []
    if which != ["decoder"]:
        cases += encoder_cases(models)
    if which != ["encoder"]:
        cases += decoder_cases(models, scratch)
    wrong = [name for name, arguments in cases if not report(name, bench(convoy, scratch, *arguments))]
    print(f"{len(cases) - len(wrong)} of {len(cases)} cases agree with ONNX Runtime")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
