# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes models with invalid weights, inside the model file and external."""

import os

from onnx import TensorProto, numpy_helper

from models.making import F, S, floats, good, graph, ints, model, node, value


def with_weight(weight, op="Add"):
    return graph([node(op, ["x", "w"])], initializers=[weight])


def weight(dims=(2,), element=F, raw=None):
    made = TensorProto(name="w", data_type=element, dims=list(dims))
    if raw is not None:
        made.raw_data = raw
    return made


@model
def weight_raw_too_short():
    return with_weight(weight(raw=b"\0" * 5))


@model
def weight_raw_too_long():
    return with_weight(weight(raw=b"\0" * 500))


@model
def weight_without_data():
    return with_weight(weight())


@model
def weight_typed_too_short():
    made = weight((3,))
    made.float_data.extend([1, 2])
    return with_weight(made)


@model
def weight_of_unknown_type():
    return with_weight(weight(element=1234, raw=b"\0" * 8))


@model
def weight_negative_dimension():
    return with_weight(weight((2, -1), raw=b"\0" * 8))


@model
def weight_shape_overflows():
    return with_weight(weight((1 << 40, 1 << 40), raw=b""))


@model
def weight_claims_much():
    """2^40 elements and no data: the importer must not allocate memory of this size."""
    return with_weight(weight((1 << 40,), raw=b""))


@model
def weight_strings_claim_much():
    return graph([node("Identity", ["w"])], [], [value("y", S, None)],
                 [weight((1 << 40,), S)])


@model
def weight_sparse():
    made = good()
    sparse = made.sparse_initializer.add()
    sparse.values.CopyFrom(numpy_helper.from_array(floats(1), "w"))
    sparse.indices.CopyFrom(numpy_helper.from_array(ints(0), "i"))
    sparse.dims.append(2)
    made.node[0].CopyFrom(node("Add", ["x", "w"]))
    return made


def external(location, **more):
    made = weight()
    made.data_location = TensorProto.EXTERNAL
    for key, text in dict(location=location, **more).items():
        entry = made.external_data.add()
        entry.key, entry.value = key, str(text)
    return with_weight(made)


@model
def external_parent():
    return external("../outside.bin")


@model
def external_absolute():
    return external("/etc/passwd")


@model
def external_symbolic_link():
    return external("link.bin")


@model
def external_linked_folder():
    return external("folder/data.bin")


@model
def external_hard_link():
    return external("hard.bin")


@model
def external_folder():
    return external("plain")


@model
def external_pipe():
    return external("pipe")


@model
def external_missing():
    return external("nowhere.bin")


@model
def external_no_location():
    return external("")


@model
def external_beyond_the_end():
    return external("data.bin", offset=4)


@model
def external_offset_huge():
    return external("data.bin", offset=(1 << 63) - 1)


@model
def external_offset_negative():
    return external("data.bin", offset=-8)


@model
def external_offset_no_number():
    return external("data.bin", offset="eight")


@model
def external_length_wrong():
    return external("data.bin", length=4096)


@model
def external_length_huge():
    return external("data.bin", length=1 << 62)


@model
def external_strings():
    made = external("data.bin")
    made.initializer[0].data_type = S
    return made


def add_files(root):
    """Writes the external data files that the models above refer to."""
    (root / "plain").mkdir(exist_ok=True)
    (root / "data.bin").write_bytes(b"\0" * 8)
    (root / "broken.nvdla").write_bytes(b"\0" * 100)
    (root / "two_by_one.pb").write_bytes(numpy_helper.from_array(ints(2, 1)).SerializeToString())
    outside = root.parent / "outside"
    outside.mkdir(exist_ok=True)
    (outside / "data.bin").write_bytes(b"\0" * 8)
    (root.parent / "outside.bin").write_bytes(b"\0" * 8)
    for link, make in (("link.bin", lambda path: path.symlink_to("data.bin")),
                       ("folder", lambda path: path.symlink_to(outside)),
                       ("hard.bin", lambda path: os.link(outside / "data.bin", path)),
                       ("pipe", os.mkfifo)):
        path = root / link
        if path.is_symlink() or path.exists():
            path.unlink()
        make(path)
