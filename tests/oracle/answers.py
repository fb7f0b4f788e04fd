# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs cases in ONNX Runtime and in Convoy. Runs happen in a child process: a crash ends one case, not the test."""

import os
import pathlib
import pickle
import signal
import struct
import sys

import numpy as np

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(TESTS / "conformance"))

import peer  # noqa: E402

# Processor time of one step, more than the slowest model on the reference takes.
LIMIT_SECONDS = 600


def types_of(model):
    """Returns the ONNX types of inputs that NumPy lacks."""
    found = {value.name: value.type.tensor_type.elem_type for value in model.graph.input}
    return {name: number for name, number in found.items() if number in peer.BITS}


def ask_peer(model, inputs):
    """Returns the outputs of ONNX Runtime by name, and their ONNX types."""
    names = [value.name for value in model.graph.output]
    session = peer.Model(model.SerializeToString(), list(inputs), names, types_of(model))
    arrays = session(list(inputs.values()))
    return dict(zip(names, arrays)), dict(zip(names, session.output_types))


def with_types(model, types):
    """Returns a copy of the model whose outputs have element types."""
    copy = type(model)()
    copy.CopyFrom(model)
    for value in copy.graph.output:
        if not value.type.HasField("tensor_type"):
            value.type.tensor_type.elem_type = types[value.name]
    return copy


class Refused(Exception):
    """Convoy reports that it does not compile or run a model."""


def open_shapes(model, inputs):
    """Returns the shapes of the inputs whose declared shape is open, by name."""
    kinds = {value.name: value.type.tensor_type for value in model.graph.input}
    return {name: array.shape for name, array in inputs.items()
            if not kinds[name].HasField("shape") or not all(dim.HasField("dim_value") for dim in kinds[name].shape.dim)}


def ask_convoy(model, inputs, target, is_strict, shapes=None):
    """Returns the outputs of Convoy by name."""
    import convoy

    try:
        compiled = convoy.compile(model.SerializeToString(), target=target, math="strict" if is_strict else "fast",
                                  **({"input_shape": shapes} if shapes else {}))
        return {name: np.asarray(array) for name, array in compiled.run(inputs).items()}
    except convoy.InternalError:
        raise
    except convoy.Error as error:
        reasons = getattr(error, "problems", None) or [error]
        raise Refused(str(reasons[0]).splitlines()[0]) from None


def _child(tasks, first, work, stream):
    """Works from the task `first` on and sends each result."""
    for k in range(first, len(tasks)):
        def begin(step):
            send(stream, ("step", k, step))

        begin("start")
        send(stream, ("done", k, work(tasks[k], begin)))
    send(stream, ("end", len(tasks), None))


def send(stream, value):
    data = pickle.dumps(value)
    stream.write(struct.pack("<I", len(data)) + data)
    stream.flush()


def run_all(tasks, work):
    """Yields (task, result) of work(task, begin) for all tasks. The result of a task that crashed is
    ("crash", step, how)."""
    first = 0
    while first < len(tasks):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            silence()
            with os.fdopen(writing, "wb") as stream:
                try:
                    _child(tasks, first, work, stream)
                finally:
                    stream.flush()
                    os._exit(0)
        os.close(writing)
        first = yield from _results(tasks, first, child, reading)


def silence():
    """The programs print warnings; the test prints its own lines."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)


def processor_seconds(process):
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def limit_step(child):
    """Ends the child if it takes LIMIT_SECONDS of processor time from now on."""
    start = processor_seconds(child)

    def check(*_):
        if processor_seconds(child) - start >= LIMIT_SECONDS:
            os.kill(child, signal.SIGKILL)
        else:
            signal.alarm(LIMIT_SECONDS)

    signal.signal(signal.SIGALRM, check)
    signal.alarm(LIMIT_SECONDS)


def _results(tasks, first, child, reading):
    """Yields the results of one child. Returns the first task that is left."""
    step, position, how = "start", first, ""
    with os.fdopen(reading, "rb") as stream:
        while True:
            limit_step(child)
            head = stream.read(4)
            if len(head) < 4:
                break
            kind, k, value = pickle.loads(stream.read(struct.unpack("<I", head)[0]))
            if kind == "step":
                step, position = value, k
            elif kind == "done":
                position = k + 1
                yield tasks[k], value
            else:
                position = k
                step = None
    signal.alarm(0)
    status = os.waitpid(child, 0)[1]
    if step is None:
        return position
    how = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else f"exit {os.WEXITSTATUS(status)}"
    yield tasks[position], ("crash", step, how)
    return position + 1
