# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`convoy verify`: digests, files of one compilation, signatures; `convoy compile --lock` and `--locked`.

  verify_files.py --convoy CONVOY --scratch FOLDER [--python FOLDER]

A key of minisign is made for the test. Without minisign, the tests of signatures are left out.
"""

import argparse
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

LEAF = 1 << 20
DIGEST = 64
OPTIONS = None


def write_model(path, seed):
    """A matmul with weights of 1.5 MiB, so that the digest has two leaves or more."""
    weights = np.random.default_rng(seed).standard_normal((512, 768)).astype(np.float32)
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "g",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 512])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 768])],
                              [numpy_helper.from_array(weights, "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def convoy(*arguments):
    done = subprocess.run([OPTIONS.convoy, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def tree(content):
    """The digest by its definition in runtime/load/digest.h."""
    body, end = content[:-DIGEST], content[-DIGEST:]
    leaves = b"".join(hashlib.sha256(b"\0" + body[at:at + LEAF]).digest() for at in range(0, len(body), LEAF))
    return hashlib.sha256(b"\1" + len(body).to_bytes(8, "little") + end[48:] + leaves).digest(), end


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(OPTIONS.scratch) / self.id().split(".")[-1]
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.model = self.folder / "net.onnx"
        write_model(self.model, 0)

    def compile(self, *flags, out="out", model=None):
        code, _, errors = convoy("compile", model or self.model, "-o", self.folder / out, "--threads=1", *flags)
        self.assertEqual(code, 0, errors)
        return self.folder / out / "net.so"

    def refused(self, *arguments, code=1):
        found, _, errors = convoy(*arguments)
        self.assertEqual(found, code, errors)
        return errors

    def flip(self, path, at):
        content = bytearray(path.read_bytes())
        content[at] ^= 1
        path.write_bytes(content)


class Digests(Case):
    def test_digest_is_the_tree(self):
        library = self.compile("--weights=file")
        for path in (library, library.with_suffix(".weights")):
            root, end = tree(path.read_bytes())
            self.assertEqual(end[:16], b"convoy sha256 1\n")
            self.assertEqual(end[16:48], root)
        header = re.search(r'NET_HASH "(\w+)"', library.with_suffix(".h").read_text())[1]
        self.assertEqual(end[48:].hex(), header)

    def test_correct_files(self):
        library = self.compile("--weights=file")
        code, text, errors = convoy("verify", library)
        self.assertEqual(code, 0, errors)
        for ending in (".so", ".weights", ".h"):
            self.assertIn(f"{library.with_suffix(ending)}: correct, hash ", text)
        code, text, _ = convoy("verify", library, "--json")
        files = json.loads(text)["files"]
        self.assertEqual(len({file["hash"] for file in files}), 1)
        self.assertEqual(files[0]["sha256"], tree(library.read_bytes())[0].hex())
        self.assertEqual(convoy("verify", self.compile(out="linked"))[0], 0)

    def test_damaged_files(self):
        library = self.compile("--weights=file")
        weights = library.with_suffix(".weights")
        self.flip(weights, LEAF + 3)
        self.assertIn(f"{weights} is damaged: its bytes do not have the SHA-256 at its end; copy it again", self.refused("verify", library))
        self.flip(weights, LEAF + 3)
        self.flip(library, 5000)
        self.assertIn(f"{library} is damaged", self.refused("verify", library))
        library.write_bytes(library.read_bytes()[:-1])
        self.assertIn("has no SHA-256 at its end: it is incomplete", self.refused("verify", library))

    def test_files_of_different_compilations(self):
        library = self.compile("--weights=file")
        other = self.folder / "other" / "net.onnx"
        other.parent.mkdir()
        write_model(other, 1)
        second = self.compile("--weights=file", out="second", model=other)
        for ending in (".weights", ".h"):
            kept = library.with_suffix(ending).read_bytes()
            shutil.copy(second.with_suffix(ending), library.with_suffix(ending))
            self.assertRegex(self.refused("verify", library), f"net{ending}' has hash .*, and .*net.so' has hash .*; they are of "
                                                              "different compilations: copy the files of one compilation")
            library.with_suffix(ending).write_bytes(kept)
        self.assertEqual(convoy("verify", library)[0], 0)

    def test_other_files(self):
        self.assertIn("net.onnx' is no library, weights file or header of Convoy; give --public-key to verify its signature",
                      self.refused("verify", self.model))
        self.assertIn("cannot be read: No such file or directory", self.refused("verify", self.folder / "none.so"))

    def test_python(self):
        if not OPTIONS.python:
            self.skipTest("this build has no Python packages")
        library = self.compile("--weights=file")
        code = ("import convoy_runtime, sys; model = convoy_runtime.load(sys.argv[1], verify=True)\n"
                "convoy_runtime.load(sys.argv[1], hash=model.hash)\n"
                "try: convoy_runtime.load(sys.argv[1], hash='ff')\n"
                "except convoy_runtime.Error as error: print(error)")
        command = [sys.executable, "-B", "-c", code, str(library)]
        done = subprocess.run(command, env={"PYTHONPATH": OPTIONS.python}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        self.assertIn("and the program was compiled for hash ff", done.stdout, done.stderr)
        self.flip(library.with_suffix(".weights"), 7)
        done = subprocess.run(command, env={"PYTHONPATH": OPTIONS.python}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        self.assertIn("net.weights is damaged", done.stderr)


@unittest.skipUnless(shutil.which("minisign"), "needs minisign; run scripts/install-deps.sh")
class Signatures(Case):
    def key(self, name="key"):
        public, private = self.folder / f"{name}.pub", self.folder / f"{name}.sec"
        subprocess.run(["minisign", "-G", "-W", "-p", public, "-s", private], check=True, stdout=subprocess.DEVNULL)
        return public, private

    def sign(self, private, *files, flags=()):
        for file in files:
            subprocess.run(["minisign", "-S", "-s", private, "-t", "release 1", *flags, "-m", file], check=True, stdout=subprocess.DEVNULL)

    def test_signed_library(self):
        library = self.compile("--weights=file")
        public, private = self.key()
        self.sign(private, library, library.with_suffix(".weights"))
        self.assertIn(f"'{library.with_suffix('.h')}' has no valid signature: cannot read", self.refused("verify", library, "--public-key", public))
        self.sign(private, library.with_suffix(".h"))
        code, text, errors = convoy("verify", library, "--public-key", public)
        self.assertEqual(code, 0, errors)
        number = re.search(r"public key (\w+)", public.read_text())[1].zfill(16)
        self.assertEqual(text.count(f"signed with key {number} (release 1)"), 3)
        key = public.read_text().splitlines()[1]
        self.assertEqual(convoy("verify", library, "--public-key", key)[0], 0)

    def test_changed_after_signing(self):
        public, private = self.key()
        self.sign(private, self.model)
        self.assertEqual(convoy("verify", self.model, "--public-key", public)[0], 0)
        self.flip(self.model, 100)
        self.assertIn("does not match its signature: the file was changed after it was signed",
                      self.refused("verify", self.model, "--public-key", public))
        self.flip(self.model, 100)
        signature = pathlib.Path(f"{self.model}.minisig")
        signature.write_text(signature.read_text().replace("release 1", "release 2"))
        self.assertIn("the trusted comment of", self.refused("verify", self.model, "--public-key", public))

    def test_other_keys_and_formats(self):
        public, private = self.key()
        other, _ = self.key("other")
        self.sign(private, self.model)
        self.assertRegex(self.refused("verify", self.model, "--public-key", other), "is signed with key .*, and the public key is")
        self.assertIn("is no public key of minisign", self.refused("verify", self.model, "--public-key", self.model))
        self.assertIn("cannot read", self.refused("verify", self.model, "--public-key", "nowhere.pub"))
        self.sign(private, self.model, flags=["-l"])
        self.assertIn("minisign's legacy format; sign the file again without the flag -l", self.refused("verify", self.model, "--public-key", public))
        pathlib.Path(f"{self.model}.minisig").write_text("no signature")
        self.assertIn("is no signature of minisign", self.refused("verify", self.model, "--public-key", public))


class Locks(Case):
    def files(self, folder):
        return {path.name: path.read_bytes() for path in (self.folder / folder).iterdir()}

    def lock(self, *flags):
        lock = self.folder / "net.lock"
        self.compile("--target=x86-64-v3", "--lock", lock, *flags)
        return lock

    def locked(self, lock, *flags):
        return self.refused("compile", self.model, "--locked", lock, "-o", self.folder / "again", *flags)

    def test_reproduces_the_bytes(self):
        lock = self.lock("--weights=file")
        code, _, errors = convoy("compile", self.model, "--locked", lock, "-o", self.folder / "again")
        self.assertEqual(code, 0, errors)
        self.assertEqual(self.files("out"), self.files("again"))
        facts = json.loads(lock.read_text())
        self.assertEqual(facts["flags"], ["--target=x86-64-v3", "--threads=1", "--weights=file"])
        self.assertEqual(facts["model"], {"net.onnx": hashlib.sha256(self.model.read_bytes()).hexdigest()})
        self.assertEqual(facts["files"]["net.so"], hashlib.sha256((self.folder / "out/net.so").read_bytes()).hexdigest())

    def test_emitted_c(self):
        lock = self.lock("--emit=c")
        self.assertEqual(convoy("compile", self.model, f"--locked={lock}", "-o", self.folder / "again")[0], 0)
        self.assertEqual(self.files("out"), self.files("again"))

    def test_says_what_differs(self):
        lock = self.lock()
        self.assertIn("flags: expected --target=x86-64-v3 --threads=1, found --math=strict --target=x86-64-v3 --threads=1; no file was written",
                      self.locked(lock, "--math=strict"))
        self.assertFalse((self.folder / "again").exists())
        write_model(self.model, 1)
        self.assertRegex(self.locked(lock), "this compile differs from .*model net.onnx: expected SHA-256 .*, found SHA-256")
        write_model(self.model, 0)
        for fact, value, says in (("version", "0.0.1", "version: expected 0.0.1, found "),
                                  ("target", "x86-64-v3: avx", "target: expected x86-64-v3: avx, found x86-64-v3: "),
                                  ("records", "abc", "tuning records: expected abc, found none; the files were written"),
                                  ("files", {"net.so": "0"}, "file net.so: expected SHA-256 0, found SHA-256 ")):
            with self.subTest(fact):
                facts = json.loads(lock.read_text())
                facts[fact] = value
                changed = self.folder / "changed.lock"
                changed.write_text(json.dumps(facts))
                self.assertIn(says, self.locked(changed))

    def test_refuses_flags_that_run_code(self):
        lock = self.lock()
        for flag in ("--load-pass-plugin=evil.so", "--output=/", "--custom-ops=evil.json", "evil"):
            facts = json.loads(lock.read_text())
            facts["flags"] = [flag]
            lock.write_text(json.dumps(facts))
            self.assertIn(f"has the flag '{flag.split('=')[0]}', which a lock file must not have", self.locked(lock))
        self.assertIn("not supported: --lock or --locked with --stop-after",
                      self.refused("compile", self.model, "--stop-after=graph", "--lock", self.folder / "x", code=2))

    def test_refuses_other_files(self):
        self.assertIn("--locked: cannot read", self.locked(self.folder / "none.lock"))
        (self.folder / "text.lock").write_text("text")
        self.assertIn("is no JSON", self.locked(self.folder / "text.lock"))
        (self.folder / "other.lock").write_text("{}")
        self.assertIn("is no lock file of format 1; write it again with `convoy compile --lock`", self.locked(self.folder / "other.lock"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--convoy", required=True)
    parser.add_argument("--scratch", required=True)
    parser.add_argument("--python")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=sys.argv[:1] + rest)
