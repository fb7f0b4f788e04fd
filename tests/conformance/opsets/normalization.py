# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases for normalization: flattening Softmax, training mode, f16 and old attributes."""

import numpy as np
from case import Case, random


def softmax(x, axes):
    e = np.exp(x - x.max(axis=axes, keepdims=True))
    return e / e.sum(axis=axes, keepdims=True)


def flattened(x, axis):
    return x.astype(np.float64).reshape(int(np.prod(x.shape[:axis])), -1)


def hardmax(x):
    y = np.zeros_like(x)
    y[np.arange(x.shape[0]), x.argmax(axis=1)] = 1
    return y


def softmax_cases():
    x = random(2, 3, 4, 5)
    for axis in (0, 1, 2, 3):
        flat = flattened(x, axis)
        for op, y in (
            ("Softmax", softmax(flat, 1)),
            ("LogSoftmax", np.log(softmax(flat, 1))),
            ("Hardmax", hardmax(flat)),
        ):
            y = y.reshape(x.shape).astype(np.float32)
            for is_open in (False, True):
                name = f"{op.lower()}_11_axis_{axis}{'_open' if is_open else ''}"
                yield Case(name, op, 11, [x], [y], {"axis": axis}, is_open)
    y = softmax(flattened(x, 1), 1).reshape(x.shape).astype(np.float32)
    yield Case("softmax_9_default_axis", "Softmax", 9, [x], [y])
    y = softmax(flattened(x, 2), 1).reshape(x.shape).astype(np.float32)
    yield Case("softmax_11_negative_axis", "Softmax", 11, [x], [y], {"axis": -2})


def normalized(x, mean, variance, scale, bias, epsilon):
    return (x - mean) / np.sqrt(variance + epsilon) * scale + bias


def batch_norm_cases():
    x = random(3, 2, 4, 5)
    wide = x.astype(np.float64)
    scale, bias, mean = (random(2, seed=s) for s in (1, 2, 3))
    var = np.abs(random(2, seed=4))

    def channel(v):
        return v.astype(np.float64).reshape(2, 1, 1)

    y = normalized(wide, *map(channel, (mean, var, scale, bias)), 1e-3)
    inputs = [x, scale, bias, mean, var]
    y = y.astype(np.float32)
    yield Case("batchnorm_6_test", "BatchNormalization", 6, inputs, [y], {"is_test": 1, "epsilon": 1e-3})
    yield Case("batchnorm_9_open", "BatchNormalization", 9, inputs, [y], {"epsilon": 1e-3}, True)

    batch_mean = wide.mean(axis=(0, 2, 3))
    batch_var = wide.var(axis=(0, 2, 3))
    y = normalized(wide, *map(channel, (batch_mean, batch_var, scale, bias)), 1e-3)
    running = [0.8 * mean + 0.2 * batch_mean, 0.8 * var + 0.2 * batch_var]
    outputs = [a.astype(np.float32) for a in (y, *running, batch_mean, batch_var)]
    attributes = {"epsilon": 1e-3, "momentum": 0.8}
    yield Case("batchnorm_9_training", "BatchNormalization", 9, inputs, outputs, attributes)
    yield Case("batchnorm_14_training", "BatchNormalization", 14, inputs, outputs[:3],
               {**attributes, "training_mode": 1})

    # One mean and variance per activation.
    stats = [random(2, 4, 5, seed=s) for s in (1, 2, 3)] + [np.abs(random(2, 4, 5, seed=4))]
    s, b, m, v = (a.astype(np.float64) for a in stats)
    y = normalized(wide, m, v, s, b, 1e-5).astype(np.float32)
    yield Case("batchnorm_7_per_activation", "BatchNormalization", 7, [x, *stats], [y], {"spatial": 0})

    half = x.astype(np.float16)
    y = normalized(half.astype(np.float64), *map(channel, (mean, var, scale, bias)), 1e-5)
    yield Case("batchnorm_15_half_input", "BatchNormalization", 15, [half, scale, bias, mean, var],
               [y.astype(np.float16)])

    line = random(7)
    one = [v[:1] for v in (scale, bias, mean, var)]
    y = normalized(line.astype(np.float64), one[2], one[3], one[0], one[1], 1e-5)
    yield Case("batchnorm_15_rank_1", "BatchNormalization", 15, [line, *one], [y.astype(np.float32)])


def layer_cases():
    x = random(2, 6, 3, dtype=np.float16)
    wide = x.astype(np.float64)
    scale = random(3, seed=1, dtype=np.float16)
    mean = wide.mean(axis=-1, keepdims=True)
    inverse = 1 / np.sqrt(wide.var(axis=-1, keepdims=True) + 1e-5)
    y = ((wide - mean) * inverse).astype(np.float16) * scale
    yield Case("layernorm_17_half_without_bias", "LayerNormalization", 17, [x, scale],
               [y, mean.astype(np.float32), inverse.astype(np.float32)])

    # The result has the element type of the scale.
    rms = wide / np.sqrt((wide**2).mean(axis=(1, 2), keepdims=True) + 1e-5)
    scale = random(6, 3, seed=1)
    yield Case("rmsnorm_23_two_types", "RMSNormalization", 23, [x, scale],
               [rms.astype(np.float32) * scale], {"axis": 1})


def group_cases():
    x = random(2, 6, 3, 2)
    groups = x.astype(np.float64).reshape(2, 3, -1)
    mean = groups.mean(axis=2, keepdims=True)
    var = groups.var(axis=2, keepdims=True)
    scale, bias = random(3, seed=1), random(3, seed=2)
    y = normalized(groups, mean, var, scale[:, None], bias[:, None], 1e-5).reshape(x.shape)
    for is_open in (False, True):
        yield Case(f"groupnorm_18{'_open' if is_open else ''}", "GroupNormalization", 18,
                   [x, scale, bias], [y.astype(np.float32)], {"num_groups": 3}, is_open)
    scale, bias = random(6, seed=1), random(6, seed=2)
    y = normalized(groups, mean, var, 1, 0, 1e-5).reshape(x.shape)
    y = y * scale.reshape(6, 1, 1) + bias.reshape(6, 1, 1)
    yield Case("groupnorm_21_open", "GroupNormalization", 21, [x, scale, bias],
               [y.astype(np.float32)], {"num_groups": 3}, True)


def other_cases():
    x = random(2, 3, 4, 5, dtype=np.float16)
    wide = x.astype(np.float64)
    scale, bias = (random(3, seed=s, dtype=np.float16) for s in (1, 2))
    y = normalized(wide, wide.mean(axis=(2, 3), keepdims=True), wide.var(axis=(2, 3), keepdims=True),
                   scale.reshape(3, 1, 1), bias.reshape(3, 1, 1), 1e-5)
    yield Case("instancenorm_6_half", "InstanceNormalization", 6, [x, scale, bias],
               [y.astype(np.float16)])
    x = random(2, 3, 4, 5)
    wide = x.astype(np.float64)
    for name, opset, attributes, axes in (
        ("mvn_9_axes", 9, {"axes": [1, 3]}, (1, 3)),
        ("mvn_9_default_open", 9, {}, (0, 2, 3)),
    ):
        y = (wide - wide.mean(axis=axes, keepdims=True)) / (wide.std(axis=axes, keepdims=True) + 1e-9)
        yield Case(name, "MeanVarianceNormalization", opset, [x], [y.astype(np.float32)], attributes,
                   name.endswith("open"))


def cases():
    for family in (softmax_cases, batch_norm_cases, layer_cases, group_cases, other_cases):
        yield from family()
