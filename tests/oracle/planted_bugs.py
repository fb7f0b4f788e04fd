# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Five bugs of an importer, planted by a change of the model that Convoy reads: the importer has no switch for bugs.
ONNX Runtime reads the unchanged model. Convoy's reference and host import the same wrong model, so they agree."""

import dataclasses

from onnx import helper

SWAPPED = ("Sub", "Div", "Pow", "Less", "Greater", "Mod")
AXES = ("Softmax", "LogSoftmax", "Concat", "Gather", "ArgMax", "ArgMin", "CumSum", "Split")
DEFAULTS = {"LeakyRelu": ("alpha", 0.02), "Elu": ("alpha", 0.9), "HardSigmoid": ("alpha", 1 / 6), "BatchNormalization": ("epsilon", 1e-3),
            "Selu": ("gamma", 1.0), "LRN": ("alpha", 1e-3)}  # fmt: skip
ROUNDINGS = {"round_prefer_floor": "round_prefer_ceil", "floor": "ceil"}


def attribute(node, name):
    return next((entry for entry in node.attribute if entry.name == name), None)


def wrong_default(model, node):
    if node.op_type not in DEFAULTS or attribute(node, DEFAULTS[node.op_type][0]):
        return False
    name, value = DEFAULTS[node.op_type]
    node.attribute.append(helper.make_attribute(name, value))
    return True


def swapped_operands(model, node):
    if node.op_type not in SWAPPED or len(node.input) != 2:
        return False
    node.input[0], node.input[1] = node.input[1], node.input[0]
    return True


def axis_off_by_one(model, node):
    """A negative axis is too small by one, as from rank - 1 + axis instead of rank + axis."""
    axis = attribute(node, "axis")
    if node.op_type not in AXES or axis is None or axis.i >= 0:
        return False
    axis.i -= 1
    return True


def wrong_opset(model, node):
    """Reads softmaxes of opset 11 by the rule of opset 13: along one axis instead of over a flattened matrix."""
    opset = next(entry for entry in model.opset_import if entry.domain == "")
    if node.op_type not in ("Softmax", "LogSoftmax", "Hardmax") or opset.version >= 13:
        return False
    opset.version = 13
    if attribute(node, "axis") is None:
        node.attribute.append(helper.make_attribute("axis", 1))
    return True


def wrong_rounding(model, node):
    """Rounds the coordinates of a nearest element in the wrong direction."""
    if node.op_type != "Resize" or (attribute(node, "mode") or helper.make_attribute("mode", "nearest")).s != b"nearest":
        return False
    rounding = attribute(node, "nearest_mode")
    if rounding is None:
        node.attribute.append(helper.make_attribute("nearest_mode", "round_prefer_ceil"))
        return True
    if rounding.s.decode() not in ROUNDINGS:
        return False
    rounding.s = ROUNDINGS[rounding.s.decode()].encode()
    return True


@dataclasses.dataclass(frozen=True)
class Bug:
    name: str
    change: object  # changes a node in a model; returns whether it did


BUGS = (Bug("wrong default attribute", wrong_default), Bug("swapped operands", swapped_operands), Bug("axis off by one", axis_off_by_one),
        Bug("rule of another opset", wrong_opset), Bug("wrong rounding", wrong_rounding))  # fmt: skip


def with_bug(bug, model):
    """Returns a copy of the model with the bug at the first node that has a place for it, or None."""
    copy = type(model)()
    copy.CopyFrom(model)
    return copy if any(bug.change(copy, node) for node in copy.graph.node) else None
