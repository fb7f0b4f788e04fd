# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests the networks of bench/zoo: the kinds have the same bytes each time and the shapes that ONNX
infers, and the table of torchvision's networks is consistent. Needs no PyTorch.

  zoo_networks_test.py BENCH
"""

import os
import subprocess
import sys
import tempfile
import unittest

BENCH = os.path.abspath(sys.argv.pop(1))
sys.path.insert(0, BENCH)

import onnx  # noqa: E402

from zoo import catalog, make_kinds, torchvision_models  # noqa: E402


def make(folder, *names):
    return subprocess.run([sys.executable, os.path.join(BENCH, "zoo", "make_kinds.py"), folder, *names],
                          capture_output=True, text=True)


def read(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


class Kinds(unittest.TestCase):
    def test_bytes_are_the_same_each_time(self):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
            # The second network is written after another one: no network depends on an earlier one.
            self.assertEqual(make(one, "scan_gru").returncode, 0)
            self.assertEqual(make(two, "loop_refine", "scan_gru").returncode, 0)
            self.assertEqual(read(one, "scan_gru.onnx"), read(two, "scan_gru.onnx"))
            self.assertEqual(os.listdir(one), ["scan_gru.onnx"])

    def test_onnx_infers_the_declared_outputs(self):
        for name in ("shufflenet_v2", "llama_decode", "audio_conv_stft", "crnn", "branch_if", "graph_net"):
            net, outputs = make_kinds.build(name)
            model = net.model(outputs)
            declared = [output.type.tensor_type.shape.SerializeToString() for output in model.graph.output]
            for output in model.graph.output:
                output.type.tensor_type.ClearField("shape")
            inferred = onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True).graph.output
            self.assertEqual([output.type.tensor_type.shape.SerializeToString() for output in inferred], declared, name)

    def test_half_precision_weights(self):
        net, outputs = make_kinds.build("resnet18_fp16")
        types = {tensor.data_type for tensor in net.model(outputs).graph.initializer}
        self.assertEqual(types, {onnx.TensorProto.FLOAT16})

    def test_every_kind_has_a_description(self):
        for name, (family, builder) in make_kinds.KINDS.items():
            self.assertTrue(family and builder.__doc__, name)

    def test_unknown_names_are_told(self):
        done = make("none", "resnet51")
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stderr.startswith("make_kinds: unknown network 'resnet51'; expected one of wavenet, "), done.stderr)
        self.assertFalse(os.path.exists("none"))


class Catalog(unittest.TestCase):
    def test_the_zoo_is_large(self):
        families = catalog.families()
        self.assertGreaterEqual(len(families), 100)
        self.assertGreaterEqual(len(set(families.values())), 45)

    def test_families_have_one_spelling(self):
        names = set(catalog.families().values())
        self.assertEqual(len({name.lower().replace("-", "").replace(" ", "") for name in names}), len(names))

    def test_no_network_is_both_exported_and_left_out(self):
        self.assertFalse(set(torchvision_models.MODELS) & set(torchvision_models.LEFT_OUT))
        self.assertLessEqual(set(torchvision_models.SIZES) | set(torchvision_models.FRAMES), set(torchvision_models.MODELS))

    def test_left_out_networks_are_told(self):
        done = subprocess.run([sys.executable, os.path.join(BENCH, "zoo", "export_torchvision.py"), "swin_v2_t"],
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "export_torchvision: unknown network 'swin_v2_t'; torch 1.13 cannot export it\n"))


if __name__ == "__main__":
    unittest.main()
