# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases for rotary embeddings and for the attention ops."""

import itertools

import numpy as np
from case import Case, Random

INT32 = np.int32


def rotary_cases():
    for k, (rank, interleaved, part, offset) in enumerate(itertools.product((3, 4), (0, 1), (0, 1), (0, 1))):
        r = Random(1500 + k)
        batch, sequence, heads, size = 2, 3, 4, 8
        rotated = 4 if part else size
        shape = [batch, sequence, heads * size] if rank == 3 else [batch, heads, sequence, size]
        positions = np.array([2], np.int64) if offset else r.integers(0, 10, batch, sequence, dtype=np.int64)
        tables = [r.floats(10, rotated // 2), r.floats(10, rotated // 2)]
        attributes = {"interleaved": interleaved}
        if part:
            attributes |= {"rotary_embedding_dim": rotated, "num_heads": heads}
        yield Case(f"rotary_{k}", "RotaryEmbedding", [r.floats(*shape), positions, *tables], attributes, constants=(2, 3),
                   is_quick=k % 5 == 0)


#===-- MultiHeadAttention ----------------------------------------------------------------------===#


def heads_first(x, heads):
    return x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3).copy()


def multi_head_cases():
    batch, sequence, heads, size = 2, 5, 3, 8
    hidden = heads * size
    for k, (has_bias, mask, has_score_bias, causal) in enumerate(
            itertools.product((0, 1), (None, "keys", "all"), (0, 1), (0, 1))):  # fmt: skip
        r = Random(1600 + k)
        keys = sequence if causal or k % 2 else 7
        inputs = [r.floats(batch, sequence, hidden), r.floats(batch, keys, hidden), r.floats(batch, keys, hidden),
                  r.floats(3 * hidden) if has_bias else None, mask_of(r, mask, batch, sequence, keys),
                  r.floats(k % 2 + 1, heads, sequence, keys) if has_score_bias else None]  # fmt: skip
        attributes = {"num_heads": heads, "unidirectional": causal}
        attributes |= {"scale": 0.2} if k % 3 == 0 else {}
        yield Case(f"multi_head_{k}", "MultiHeadAttention", trimmed(inputs), attributes, is_quick=k % 7 == 0)
    for k, (causal, has_mask, length) in enumerate(itertools.product((0, 1), (0, 1), (1, 3))):
        r = Random(1650 + k)
        past = 4
        inputs = [*(r.floats(batch, length, hidden) for _ in range(3)), None,
                  mask_of(r, "keys" if has_mask else None, batch, length, past + length), None,
                  r.floats(batch, heads, past, size), r.floats(batch, heads, past, size)]  # fmt: skip
        yield Case(f"multi_head_past_{k}", "MultiHeadAttention", inputs, {"num_heads": heads, "unidirectional": causal},
                   outputs=(0, 1, 2), is_quick=k % 4 == 1)
    r = Random(1680)
    q, k, v = r.floats(2, 5, 24), r.floats(2, 6, 24), r.floats(2, 6, 36)
    yield Case("multi_head_wide_values", "MultiHeadAttention", [q, k, v], {"num_heads": 3}, is_quick=True)
    yield Case("multi_head_present", "MultiHeadAttention", [q, k, k + 1], {"num_heads": 3}, outputs=(0, 1, 2))
    yield Case("multi_head_crossed", "MultiHeadAttention", [q, heads_first(k, 3), heads_first(k * 2, 3)], {"num_heads": 3})
    yield Case("multi_head_crossed_bias", "MultiHeadAttention",
               [q, heads_first(k, 3), heads_first(k * 2, 3), r.floats(72)], {"num_heads": 3}, peer=biased_query)  # fmt: skip
    packed = r.floats(2, 5, 3, 3, 8)
    yield Case("multi_head_packed", "MultiHeadAttention", [packed], {"num_heads": 3}, peer=unpacked)
    yield Case("multi_head_packed_causal", "MultiHeadAttention", [packed], {"num_heads": 3, "unidirectional": 1}, peer=unpacked)
    yield Case("multi_head_packed_keys", "MultiHeadAttention", [q, r.floats(2, 6, 3, 2, 8)], {"num_heads": 3}, peer=unpacked)


def unpacked(case, run):
    """The CPU kernel of the peer requires three inputs of rank 3."""
    packed = case.inputs[-1]
    parts = [packed[:, :, :, i].reshape(*packed.shape[:2], -1).copy() for i in range(packed.shape[3])]
    return run(Case(case.name, case.op, [*case.inputs[:-1], *parts], case.attributes))


def biased_query(case, run):
    """With keys that have their heads first, the bias applies to the query only."""
    q, k, v, bias = case.inputs
    return run(Case(case.name, case.op, [q + bias[: q.shape[-1]], k, v], case.attributes))


def mask_of(r, form, batch, sequence, keys):
    """Returns a mask with at least one key per query."""
    if form is None:
        return None
    if form == "keys":
        mask = r.integers(0, 2, batch, keys)
    elif form == "all":
        mask = r.integers(0, 2, batch, sequence, keys)
    elif form == "ends":
        return r.integers(1, keys + 1, batch)
    else:
        return np.concatenate([r.integers(keys // 2 + 1, keys + 1, batch), r.integers(0, keys // 2 + 1, batch)])
    mask[..., 0] = 1
    return mask


def trimmed(inputs):
    while inputs[-1] is None:
        inputs = inputs[:-1]
    return inputs


#===-- Attention and QAttention ----------------------------------------------------------------===#


def attention_cases():
    batch, sequence, heads, size, width = 2, 4, 2, 6, 10
    hidden = heads * size
    forms = (None, "ends", "ranges", "keys", "all")
    for k, (mask, past, causal) in enumerate(itertools.product(forms, (0, 3), (0, 1))):
        r = Random(1700 + k)
        keys = past + sequence
        inputs = [r.floats(batch, sequence, width), r.floats(width, 3 * hidden), r.floats(3 * hidden) if k % 3 else None,
                  mask_of(r, mask, batch, sequence, keys), r.floats(2, batch, heads, past, size) if past else None,
                  r.floats(1, heads, sequence, keys) if k % 4 == 1 and not past else None]  # fmt: skip
        attributes = {"num_heads": heads, "unidirectional": causal}
        attributes |= {"mask_filter_value": -1000.0} if k % 5 == 0 else {}
        yield Case(f"attention_{k}", "Attention", trimmed(inputs), attributes, constants=(1,) + (2,) * bool(k % 3),
                   outputs=(0, 1) if past else (0,), is_quick=k % 6 == 0, peer=None if k % 3 else zero_bias,
                   needs_shapes=mask in ("ends", "ranges"))
    r = Random(1750)
    yield Case("attention_sizes", "Attention", [r.floats(2, 4, 10), r.floats(10, 12 + 12 + 8), r.floats(32)],
               {"num_heads": 2, "qkv_hidden_sizes": [12, 12, 8]}, constants=(1, 2))
    yield Case("attention_scale", "Attention", [r.floats(2, 4, 10), r.floats(10, 36), r.floats(36)],
               {"num_heads": 2, "scale": 0.3}, constants=(1, 2), outputs=(0, 1))


def zero_bias(case, run):
    """The CPU kernel of the peer reads the bias even if the node omits it."""
    inputs = [*case.inputs, None][: max(3, len(case.inputs))]
    inputs[2] = np.zeros(inputs[1].shape[1], np.float32)
    return run(Case(case.name, case.op, inputs, case.attributes, outputs=case.outputs))


def quantized_attention_cases():
    batch, sequence, heads, size, width = 2, 4, 2, 6, 16
    hidden = heads * size
    options = itertools.product((np.uint8, np.int8), (None, "ends", "keys"), (0, 1), (0, 1))
    for k, (dtype, mask, per_column, causal) in enumerate(options):
        r = Random(1800 + k)
        past = 3 if k % 4 == 3 else 0
        scale = r.positive(3 * hidden) if per_column else np.array(r.positive())
        zeros = [np.array(r.integers(90, 160), np.uint8), np.array(r.integers(1, 40), dtype)]
        weight_zero = np.full(3 * hidden, zeros[1]) if per_column else zeros[1]
        inputs = [r.bytes(batch, sequence, width), r.bytes(width, 3 * hidden, dtype=dtype), r.floats(3 * hidden),
                  np.array(r.positive(low=0.001, high=0.005)), scale, mask_of(r, mask, batch, sequence, past + sequence),
                  zeros[0], weight_zero, r.floats(2, batch, heads, past, size) if past else None]  # fmt: skip
        yield Case(f"qattention_{k}", "QAttention", trimmed(inputs), {"num_heads": heads, "unidirectional": causal},
                   constants=(1, 2, 3, 4, 6, 7), outputs=(0, 1) if past else (0,), kind="sums", is_quick=k % 9 == 0,
                   needs_shapes=mask == "ends")


#===-- GroupQueryAttention ---------------------------------------------------------------------===#


def grouped(r, name, past, sequence, options, valid=None, capacity=None, packed=False, rotary=None, size=16, **extra):
    """`valid` holds the keys of each batch entry before this step, and `capacity` the size of the past."""
    heads, key_heads = 4, 2
    batch = len(valid) if valid else 2
    valid = valid or [past] * batch
    q, k, v = (r.floats(batch, sequence, count * size) for count in (heads, key_heads, key_heads))
    total = max(valid) + sequence
    cache = [r.floats(batch, key_heads, capacity or past, size) for _ in range(2)] if past or capacity else [None, None]
    inputs = [np.concatenate([q, k, v], -1), None, None] if packed else [q, k, v]
    inputs += [*cache, np.array(valid, INT32) + INT32(sequence - 1), np.array(total, INT32)]
    attributes = {"num_heads": heads, "kv_num_heads": key_heads, **options}
    if rotary is not None:
        angles = np.arange(64)[:, None] * 2.0 ** -np.arange(rotary // 2)
        inputs += [np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)]
        attributes["do_rotary"] = 1
    return Case(name, "GroupQueryAttention", inputs, attributes, constants=(6,), outputs=(0, 1, 2), **extra)


def grouped_cases():
    forms = ({}, {"scale": 0.2}, {"softcap": 1.5}, {"local_window_size": 3}, {"smooth_softmax": 1},
             {"local_window_size": 2, "softcap": 0.7})  # fmt: skip
    steps = ((0, 5), (4, 1), (3, 2), (6, 1))
    for k, (options, (past, sequence), rotary) in enumerate(itertools.product(forms, steps, (None, 16))):
        valid = [past] if sequence > 1 and past else None  # the peer requires one batch entry here
        yield grouped(Random(1900 + k), f"grouped_{k}", past, sequence, options, valid, packed=k % 3 == 0, rotary=rotary,
                      is_quick=k % 7 == 0)
    for k, options in enumerate(({}, {"local_window_size": 4})):
        yield grouped(Random(1980 + k), f"grouped_lengths_{k}", 6, 1, options, valid=[6, 3, 1], rotary=16, is_quick=True)
    for k, interleaved in enumerate((0, 1)):
        yield grouped(Random(1985 + k), f"grouped_part_{k}", 4, 1, {"rotary_interleaved": interleaved}, rotary=16, size=32)
    prompt = grouped(Random(1990), "grouped_prompt_lengths", 0, 5, {}, valid=[0, 0], rotary=16)
    prompt.inputs[5] = np.array([4, 2], INT32)
    yield prompt
    r = Random(1995)
    biased = grouped(r, "grouped_bias", 4, 1, {})
    biased.inputs += [None, None, None, r.floats(1, 1, 1, 5)]
    yield biased
    sink = grouped(r, "grouped_sink", 4, 1, {})
    sink.inputs += [None, None, None, None, r.floats(4)]
    yield sink


def cases():
    for family in (rotary_cases, multi_head_cases, attention_cases, quantized_attention_cases, grouped_cases):
        yield from family()
