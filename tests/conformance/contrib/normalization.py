# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases for normalizations of sums and of embeddings."""

import itertools

import numpy as np
from case import Case, Random

TYPES = ((np.float32, "f32"), (np.float16, "f16"))


def simplified_cases():
    """The peer registers SimplifiedLayerNormalization in ai.onnx."""
    for k, (shape, axis) in enumerate((([3, 8], -1), ([2, 3, 16], -1), ([2, 3, 16], 1), ([2, 4, 6], 2))):
        r = Random(600 + k)
        x, scale = r.floats(*shape, scale=2), r.floats(*shape[axis:])
        yield Case(f"simplified_{k}", "SimplifiedLayerNormalization", [x, scale], {"axis": axis, "epsilon": 1e-5},
                   domain="", is_quick=k == 0)
        yield Case(f"simplified_inverse_{k}", "SimplifiedLayerNormalization", [x, scale],
                   {"axis": axis, "epsilon": 1e-3, "stash_type": 1}, domain="", outputs=(0, 1))


def skip_cases():
    shapes = (([2, 3, 8], [2, 3, 8]), ([1, 5, 24], [1, 5, 24]), ([2, 3, 16], [1, 3, 16]), ([2, 3, 16], [3, 16]),
              ([6, 8], [6, 8]))  # fmt: skip
    for k, ((shape, skip_shape), (dtype, kind)) in enumerate(itertools.product(shapes, TYPES)):
        r = Random(700 + k)
        x, skip = r.floats(*shape, dtype=dtype), r.floats(*skip_shape, dtype=dtype)
        gamma, beta, bias = (r.floats(shape[-1], dtype=dtype) for _ in range(3))
        text, quick = f"{kind}_{k}", k < 2
        yield Case(f"skip_{text}", "SkipLayerNormalization", [x, skip, gamma, beta], {"epsilon": 1e-5}, kind=kind,
                   is_quick=quick)
        yield Case(f"skip_bias_{text}", "SkipLayerNormalization", [x, skip, gamma, beta, bias], {"epsilon": 1e-3},
                   kind=kind, outputs=(0, 3), constants=(2, 3, 4), is_quick=quick)
        yield Case(f"skip_no_beta_{text}", "SkipLayerNormalization", [x, skip, gamma, None, bias], kind=kind)
        yield Case(f"skip_simplified_{text}", "SkipSimplifiedLayerNormalization", [x, skip, gamma], {"epsilon": 1e-6},
                   kind=kind, outputs=(0, 3), is_quick=quick)
        yield Case(f"skip_simplified_bias_{text}", "SkipSimplifiedLayerNormalization", [x, skip, gamma, bias],
                   kind=kind, constants=(2,))


def embed_cases():
    for k, (has_segment, has_mask, has_positions) in enumerate(itertools.product((0, 1), repeat=3)):
        r = Random(800 + k)
        batch, sequence, hidden = 2, 4, 12
        words = r.integers(0, 20, batch, sequence)
        segments = r.integers(0, 2, batch, sequence) if has_segment else None
        mask = (np.arange(sequence) < np.array([[3], [4]])).astype(np.int32) if has_mask else None
        positions = r.integers(0, 8, batch if k % 4 == 1 else 1, sequence) if has_positions else None
        tables = [r.floats(20, hidden), r.floats(8, hidden), r.floats(2, hidden) if has_segment else None]
        inputs = [words, segments, *tables, r.floats(hidden), r.floats(hidden), mask, positions]
        while inputs[-1] is None:
            inputs.pop()
        yield Case(f"embed_{k}", "EmbedLayerNormalization", inputs, {"epsilon": 1e-5}, constants=(2, 3) + (4,) * has_segment,
                   outputs=(0, 1, 2) if k % 2 else (0, 1), is_quick=k in (0, 7))


def cases():
    for family in (simplified_cases, skip_cases, embed_cases):
        yield from family()
