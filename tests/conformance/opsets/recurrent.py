# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases for recurrent layers with the options that ONNX's own suite does not test."""

import numpy as np
from case import Case, random

T, N, I, H = 5, 3, 4, 2  # time, batch, input, hidden


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def hard_sigmoid(alpha=0.2, beta=0.5):
    return lambda x: np.clip(alpha * x + beta, 0, 1)


def rnn_cell(w, r, wb, rb, act, options):
    def step(x, h, c):
        return act[0](x @ w.T + h @ r.T + wb + rb), c

    return step


def gru_cell(w, r, wb, rb, act, options):
    wz, wr, wh = np.split(w, 3)
    rz, rr, rh = np.split(r, 3)
    wbz, wbr, wbh = np.split(wb, 3)
    rbz, rbr, rbh = np.split(rb, 3)

    def step(x, h, c):
        z = act[0](x @ wz.T + h @ rz.T + wbz + rbz)
        reset = act[0](x @ wr.T + h @ rr.T + wbr + rbr)
        if options.get("linear_before_reset"):
            recurrent = reset * (h @ rh.T + rbh)
        else:
            recurrent = (reset * h) @ rh.T + rbh
        return (1 - z) * act[1](x @ wh.T + recurrent + wbh) + z * h, c

    return step


def lstm_cell(w, r, wb, rb, act, options):
    peepholes = options.get("peepholes")
    pi, po, pf = np.split(peepholes, 3) if peepholes is not None else (0, 0, 0)

    def step(x, h, c):
        i, o, f, g = np.split(x @ w.T + h @ r.T + wb + rb, 4, axis=-1)
        i = act[0](i + pi * c)
        f = 1 - i if options.get("input_forget") else act[0](f + pf * c)
        c = f * c + i * act[1](g)
        return act[0](o + po * c) * act[2](c), c

    return step


CELLS = {"RNN": (1, rnn_cell), "GRU": (3, gru_cell), "LSTM": (4, lstm_cell)}


def run_direction(step, x, h, c, lengths, is_reverse):
    """Runs one direction, batch entry by batch entry. y is zero after the length of an entry."""
    y = np.zeros((T, N, H))
    h, c = h.copy(), c.copy()
    for b in range(N):
        steps = range(lengths[b])
        for t in reversed(steps) if is_reverse else steps:
            h[b], c[b] = step(x[t, b], h[b], c[b])
            y[t, b] = h[b]
    return y, h, c


def layer(op, name, opset, functions, direction="forward", lengths=None, has_state=False,
          has_peepholes=False, attributes=None, clip=None, is_batch_major=False):
    gates, cell = CELLS[op]
    attributes = dict(attributes or {})
    directions = 2 if direction == "bidirectional" else 1
    x = random(T, N, I)
    w = random(directions, gates * H, I, seed=1)
    r = random(directions, gates * H, H, seed=2)
    bias = random(directions, 2 * gates * H, seed=3)
    h0, c0 = (random(directions, N, H, seed=s) if has_state else None for s in (4, 5))
    peepholes = random(directions, 3 * H, seed=6) if has_peepholes else None
    zero = np.zeros((directions, N, H))
    results = []
    for d in range(directions):
        act = [
            (lambda v, f=f: f(np.clip(v, -clip, clip))) if clip else f
            for f in functions[d * len(functions) // directions:]
        ]
        options = {**attributes, "peepholes": peepholes[d] if has_peepholes else None}
        step = cell(w[d], r[d], bias[d, : gates * H], bias[d, gates * H:], act, options)
        h, c = ((s if s is not None else zero)[d].astype(np.float64) for s in (h0, c0))
        is_reverse = direction == "reverse" or d == 1
        results.append(run_direction(step, x, h, c, lengths if lengths else [T] * N, is_reverse))
    y = np.stack([r[0] for r in results], axis=1)
    states = [np.stack([r[k] for r in results]) for k in (1, 2)]
    lens = np.array(lengths, np.int32) if lengths else None
    inputs = [x, w, r, bias, lens, h0]
    outputs = [y, states[0]]
    if op == "LSTM":
        inputs += [c0, peepholes]
        outputs.append(states[1])
    if is_batch_major:
        inputs = [a if a is None or k not in (0, 5, 6) else a.swapaxes(0, 1).copy()
                  for k, a in enumerate(inputs)]
        outputs = [y.transpose(2, 0, 1, 3)] + [s.swapaxes(0, 1) for s in outputs[1:]]
        attributes["layout"] = 1
    attributes.update({"hidden_size": H, "direction": direction})
    if clip:
        attributes["clip"] = clip
    return Case(name, op, opset, inputs, [o.astype(np.float32).copy() for o in outputs], attributes)


def cases():
    lengths = [3, 5, 1]
    gru, lstm = [sigmoid, np.tanh], [sigmoid, np.tanh, np.tanh]
    for direction in ("forward", "reverse", "bidirectional"):
        times = 2 if direction == "bidirectional" else 1
        options = {"direction": direction, "lengths": lengths, "has_state": True}
        yield layer("RNN", f"rnn_7_{direction}", 7, [np.tanh] * times, **options)
        yield layer("GRU", f"gru_7_{direction}", 7, gru * times, **options)
        yield layer("GRU", f"gru_14_linear_{direction}", 14, gru * times,
                    attributes={"linear_before_reset": 1}, is_batch_major=True, **options)
        yield layer("LSTM", f"lstm_14_{direction}", 14, lstm * times, has_peepholes=True,
                    is_batch_major=True, **options)
    yield layer("LSTM", "lstm_7_coupled_and_clipped", 7, lstm, attributes={"input_forget": 1}, clip=0.3)

    # Activations that have parameters take them in order.
    def scaled_tanh(x):
        return 1.5 * np.tanh(0.5 * x)

    def leaky(x):
        return np.where(x < 0, 0.3 * x, x)

    yield layer("GRU", "gru_22_parameters", 22,
                [hard_sigmoid(0.25, 0.4), leaky, np.tanh, scaled_tanh], direction="bidirectional",
                attributes={
                    "activations": ["HardSigmoid", "LeakyRelu", "tanh", "SCALEDTANH"],
                    "activation_alpha": [0.25, 0.3, 1.5], "activation_beta": [0.4, 0.5]})
    yield layer("LSTM", "lstm_22_default_parameters", 22,
                [hard_sigmoid(), lambda x: x / (1 + np.abs(x)), lambda x: np.log1p(np.exp(x))],
                attributes={"activations": ["HardSigmoid", "Softsign", "Softplus"]})
    yield layer("RNN", "rnn_22_elu", 22, [lambda x: np.where(x < 0, np.expm1(x), x)],
                attributes={"activations": ["Elu"]})
    yield layer("RNN", "rnn_22_thresholded_relu", 22, [lambda x: np.where(x > 0.1, x, 0)],
                attributes={"activations": ["ThresholdedRelu"], "activation_alpha": [0.1]})
