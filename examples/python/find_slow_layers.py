#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists the layers of a model that take the most time, and why they are slow.

  find_slow_layers.py MODEL [--top N] [--threads N]

Shows: convoy.bench with the time of each kernel, and convoy.explain with the reason why a kernel uses
generic loops. A kernel is slow for one of these reasons:

  - it computes at the machine's peak: only a smaller or quantized model is faster;
  - memory limits it: fusion or a smaller type helps, more cores do not;
  - no template covers it: it runs in generic loops, and `explain` says why;
  - it is far below both limits: tuning may help.
"""

import argparse

import convoy

# A kernel that reaches this share of its limit is as fast as the machine allows.
NEAR_LIMIT = 0.6


def reason_of(kernel):
    """Returns why no template computes a kernel: the reason that the fewest kernels share says the most."""
    reasons = [refusal["reason"] for refusal in kernel["refusals"]]
    rare = sorted(reasons, key=lambda reason: (reasons.count(reason), not reason.startswith("estimated")))
    return rare[0] if rare else "no reason is known"


def verdict(row, kernel):
    """Returns one sentence: what limits the kernel and what to try."""
    reached = row["limit_ms"] / row["ms"] if row["ms"] > 0 else 0
    if kernel["template"] == "reorder":
        return "changes the layout of data between two kernels"
    if reached >= NEAR_LIMIT:
        limit = "the peak of the arithmetic units" if row["limit"] == "compute" else "the speed of the memory"
        return f"at {reached:.0%} of {limit}"
    if kernel["template"] == "loops":
        return f"generic loops: {reason_of(kernel)}"
    return f"at {reached:.0%} of its limit; try convoy.tune"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--top", type=int, default=5, help="number of layers (default: 5)")
    parser.add_argument("--threads", type=int, default=1, help="threads of an inference (default: 1)")
    args = parser.parse_args()

    # begin snippet
    rows = convoy.bench(args.model, threads=args.threads, layers=True)
    kernels = {kernel["layer"]: kernel for kernel in convoy.explain(args.model, threads=args.threads)["kernels"]}
    total = sum(row["ms"] for row in rows)
    slowest = sorted(rows, key=lambda row: row["ms"], reverse=True)[:args.top]
    for row in slowest:
        print(f"{row['ms'] / total:5.1%} {row['ms'] * 1000:10.2f} us  {row['nodes']}")
        print(f"       {verdict(row, kernels[row['layer']])}")
    # end snippet
    shown = sum(row["ms"] for row in slowest)
    loops = sum(row["ms"] for row in rows if row["template"] == "loops")
    print(f"{len(slowest)} of {len(rows)} kernels take {shown / total:.0%} of {total:.3f} ms; "
          f"generic loops take {loops / total:.0%}")


if __name__ == "__main__":
    main()
