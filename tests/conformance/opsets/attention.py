# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases for Attention and RotaryEmbedding: dynamic dimensions and combined masks."""

import numpy as np
from case import Case, random


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attend_stages(q, k, v, allowed=None, bias=None, scale=None, softcap=0):
    """Computes attention on B x H x S x D in float64; `allowed` is a boolean mask. Returns Y and
    the four tensors that qk_matmul_output_mode selects from."""
    q, k, v = (a.astype(np.float64) for a in (q, k, v))
    repeats = q.shape[1] // k.shape[1]
    k, v = k.repeat(repeats, axis=1), v.repeat(repeats, axis=1)
    product = q @ k.swapaxes(-1, -2) * (scale or q.shape[-1] ** -0.5)
    capped = softcap * np.tanh(product / softcap) if softcap else product
    masked = capped + bias if bias is not None else capped
    masked = np.where(allowed, masked, -np.inf) if allowed is not None else masked
    weights = softmax(masked)
    stages = [x.astype(np.float32) for x in (product, capped, masked, weights)]
    return (weights @ v).astype(np.float32), stages


def attend(*inputs, **options):
    return attend_stages(*inputs, **options)[0]


def split(x, heads):
    return x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)


def join(x):
    return x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)


def causal(rows, columns, past=0):
    return np.arange(columns) <= np.arange(rows)[:, None] + past


def attention_cases():
    q, k, v = random(2, 4, 24), random(2, 4, 12, seed=1), random(2, 4, 6, seed=2)
    mask = random(4, 4, seed=3) > -0.5
    np.fill_diagonal(mask, True)
    heads = {"q_num_heads": 6, "kv_num_heads": 3}
    y = join(attend(split(q, 6), split(k, 3), split(v, 3), mask & causal(4, 4)))
    yield Case("attention_23_grouped_3d_causal_and_mask", "Attention", 23, [q, k, v, mask], [y],
               {**heads, "is_causal": 1})
    yield Case("attention_23_open_sequence", "Attention", 23, [q, k, v, mask], [y],
               {**heads, "is_causal": 1, "scale": 0.5}, True)
    q, k, v = random(2, 6, 3, 4), random(2, 2, 5, 4, seed=1), random(2, 2, 5, 7, seed=2)
    past_k, past_v = random(2, 2, 3, 4, seed=4), random(2, 2, 3, 7, seed=5)
    keys, values = np.concatenate([past_k, k], 2), np.concatenate([past_v, v], 2)
    bias = random(2, 1, 3, 8, seed=6)
    y = attend(q, keys, values, causal(3, 8, past=3), bias, scale=0.3)
    yield Case("attention_23_grouped_past_causal_bias", "Attention", 23,
               [q, k, v, bias, past_k, past_v], [y, keys, values], {"is_causal": 1, "scale": 0.3})

    # A mask shorter than the keys, and padding given by sequence lengths.
    lengths = np.array([2, 5], np.int64)
    padding = (np.arange(5) < lengths[:, None]).reshape(2, 1, 1, 5)
    short = np.array([[True, False, True], [True, True, False], [True, True, True]])
    allowed = np.pad(short, ((0, 0), (0, 2))) & padding
    y = attend(q, k, v, allowed)
    yield Case("attention_24_short_mask_and_lengths", "Attention", 24,
               [q, k, v, short, None, None, lengths], [y])
    # Without a past, the queries are the last ones of each sequence.
    lengths = np.array([3, 5], np.int64)
    shifted = np.stack([causal(3, 5, past=length - 3) for length in lengths])[:, None]
    y = attend(q, k, v, shifted & (np.arange(5) < lengths[:, None]).reshape(2, 1, 1, 5))
    yield Case("attention_24_causal_and_lengths", "Attention", 24,
               [q, k, v, None, None, None, lengths], [y], {"is_causal": 1})
    y = attend(q, k, v, softcap=1.5)
    yield Case("attention_24_softmax_precision", "Attention", 24, [q, k, v], [y],
               {"softcap": 1.5, "softmax_precision": 11})


def softcap_cases():
    """Applies softcap before the mask. A softcap after the mask would turn -inf into -0.5, and
    masked keys would get a weight."""
    q, k, v = random(1, 2, 4, 8), random(1, 2, 4, 8, seed=1), random(1, 2, 4, 3, seed=2)
    q *= 4  # makes the softcap change the result
    cap = {"softcap": 0.5, "is_causal": 1}
    y = attend(q, k, v, causal(4, 4), softcap=0.5)
    yield Case("attention_23_causal_softcap", "Attention", 23, [q, k, v], [y], cap)
    bias = random(4, 4, seed=3)
    y, stages = attend_stages(q, k, v, causal(4, 4), bias, softcap=0.5)
    for mode, stage in enumerate(stages):
        yield Case(f"attention_23_causal_softcap_qk_mode_{mode}", "Attention", 23, [q, k, v, bias],
                   [y, k, v, stage], {**cap, "qk_matmul_output_mode": mode})
    allowed = random(4, 4, seed=4) > 0
    np.fill_diagonal(allowed, True)
    lengths = np.array([3], np.int64)
    allowed[3] = [True, False, True, True]
    y = attend(q, k, v, allowed & (np.arange(4) < lengths), softcap=0.5)
    yield Case("attention_24_mask_lengths_softcap", "Attention", 24,
               [q, k, v, allowed, None, None, lengths], [y], {"softcap": 0.5})


def rotate(x, cos, sin, is_interleaved):
    first, second = (x[..., ::2], x[..., 1::2]) if is_interleaved else np.split(x, 2, axis=-1)
    real, imaginary = cos * first - sin * second, sin * first + cos * second
    if is_interleaved:
        return np.stack([real, imaginary], axis=-1).reshape(x.shape)
    return np.concatenate([real, imaginary], axis=-1)


def rotary_cases():
    x = random(2, 3, 24)  # B S H*D
    cos, sin = random(10, 2, seed=1), random(10, 2, seed=2)
    positions = np.array([[0, 4, 9], [3, 2, 1]], np.int64)
    for is_interleaved in (0, 1):
        heads = x.reshape(2, 3, 4, 6)
        turned = rotate(heads[..., :4], cos[positions][:, :, None], sin[positions][:, :, None],
                        is_interleaved)
        y = np.concatenate([turned, heads[..., 4:]], axis=-1).reshape(x.shape)
        yield Case(f"rotary_23_3d_part_{is_interleaved}", "RotaryEmbedding", 23,
                   [x, cos, sin, positions], [y.astype(np.float32)],
                   {"num_heads": 4, "rotary_embedding_dim": 4, "interleaved": is_interleaved})


def cases():
    yield from attention_cases()
    yield from softcap_cases()
    yield from rotary_cases()
