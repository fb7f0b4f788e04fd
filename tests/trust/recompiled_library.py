# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compile replaces the files of a model as one set: processes that loaded the earlier library keep it, a
killed or failed compile leaves a set that loads, and concurrent compiles do not mix their files.

  recompiled_library.py --convoy CONVOY --shim kill_at_rename.so --scratch FOLDER [--processes N] [--kills N]
"""

import argparse
import ctypes
import hashlib
import os
import pathlib
import random
import re
import resource
import select
import signal
import subprocess
import sys
import time

import numpy as np

SIZE = 256
NAME = "net"
FORMS = {"linked": [], "file": ["--weights=file"]}


class Library:
    """The library of a folder, called through its C interface."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.handle = ctypes.CDLL(str(self.folder / f"{NAME}.so"))
        self.handle.net_hash.restype = ctypes.c_char_p
        weights = self.folder / f"{NAME}.weights"
        self.code = self.handle.net_open(os.fsencode(weights)) if hasattr(self.handle, "net_open") else 0

    def hash(self):
        return self.handle.net_hash().decode()

    def header_hash(self):
        return re.search(r'NET_HASH "(\w+)"', (self.folder / f"{NAME}.h").read_text(encoding="utf-8"))[1]

    def run(self, workspace_bytes=1 << 20):
        data = np.ones(SIZE, np.float32)
        result = np.zeros(SIZE, np.float32)
        space = np.zeros(workspace_bytes + 4096, np.uint8)
        start = -(-space.ctypes.data // 4096) * 4096
        inputs, outputs = (ctypes.c_void_p * 1)(data.ctypes.data), (ctypes.c_void_p * 1)(result.ctypes.data)
        code = self.handle.net_run(inputs, outputs, ctypes.c_void_p(start))
        return hashlib.sha256(result.tobytes()).hexdigest() if code == 0 else f"error {code}"


def write_model(path, seed):
    """Two products with weights of 256 KiB each. The seed changes the weights and the hash."""
    import onnx  # slow to import, and the children do not need it
    from onnx import TensorProto, helper, numpy_helper

    rng = np.random.default_rng(seed)
    weights = [numpy_helper.from_array(rng.standard_normal((SIZE, SIZE)).astype(np.float32), name) for name in "ab"]
    nodes = [helper.make_node("MatMul", ["x", "a"], ["h"]), helper.make_node("Relu", ["h"], ["r"]),
             helper.make_node("MatMul", ["r", "b"], ["y"])]
    if seed % 2:
        nodes.append(helper.make_node("Tanh", ["y"], ["z"]))
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, SIZE]) for name in ("x", "z" if seed % 2 else "y")]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def facts_in_child(folder):
    """Loads the set in a process of its own. Returns (code of open, hash of library, hash of header, result)."""
    command = [sys.executable, "-B", __file__, "--facts", str(folder)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        return ("no library", done.returncode, done.stderr[-300:], "")
    return tuple(done.stdout.split())


class Test:
    def __init__(self, options):
        self.options = options
        self.scratch = pathlib.Path(options.scratch)
        self.scratch.mkdir(parents=True, exist_ok=True)
        self.models = [self.scratch / f"model{k}.onnx" for k in range(2)]
        for seed, path in enumerate(self.models):
            write_model(path, seed)
        self.wrong = []

    def expect(self, fact, text):
        if not fact:
            self.wrong.append(text)
            print("WRONG", text, flush=True)

    def command(self, k, folder, form):
        return [self.options.convoy, "compile", str(self.models[k]), "--name", NAME, "--quiet", "-o", str(folder), *FORMS[form]]

    def compile(self, k, folder, form, **how):
        return subprocess.run(self.command(k, folder, form), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how)

    def fresh(self, label, form):
        """A folder with a set of model 0, and what both sets give."""
        folder, sets = self.scratch / f"{label}-{form}", []
        for k in (1, 0):
            done = self.compile(k, folder, form, check=False)
            self.expect(done.returncode == 0, f"{label}-{form}: compile failed: {done.stderr}")
            sets.insert(0, facts_in_child(folder))
        self.expect(sets[0][3] != sets[1][3] and all(facts[0] == "0" for facts in sets), f"{label}: sets {sets}")
        return folder, sets

    def check_set(self, folder, sets, label):
        """The library loads, and library and weights belong together. Returns whether the header does, too."""
        facts = facts_in_child(folder)
        loads = [known for known in sets if facts[:2] == known[:2] and facts[3] == known[3]]
        self.expect(bool(loads), f"{label}: the set does not load: {facts}")
        return bool(loads) and facts[2] == loads[0][2]

    def leftovers(self, folder):
        return sorted(path.name for path in folder.iterdir() if ".convoy-" in path.name or path.name.endswith(".earlier"))

    def processes_keep_their_library(self, form):
        folder, _ = self.fresh("keep", form)
        command = [sys.executable, "-B", __file__, "--hold", str(folder)]
        holders = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
                   for _ in range(self.options.processes)]
        for holder in holders:
            self.expect(holder.stdout.readline() == "loaded\n", f"{form}: a process did not load the library")
        for k in (1, 0):
            self.expect(self.compile(k, folder, form, check=False).returncode == 0, f"{form}: the second compile failed")
        ends = [(holder.communicate("end\n", timeout=120)[0], holder.returncode) for holder in holders]
        kept = sum(end == ("same\n", 0) for end in ends)
        self.expect(kept == len(holders), f"{form}: {ends}")
        self.expect(self.leftovers(folder) == [], f"{form}: {self.leftovers(folder)}")
        print(f"{form}: {kept} of {len(holders)} processes keep their library", flush=True)

    def kills_leave_a_set(self, form):
        folder, sets = self.fresh("kill", form)
        start = time.monotonic()
        self.compile(0, folder, form, check=True)
        seconds = time.monotonic() - start
        rng = random.Random(1)
        before, ended = len(self.wrong), 0
        for number in range(self.options.kills):
            child = subprocess.Popen(self.command(number % 2, folder, form), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                child.wait(rng.uniform(0.3, 1.1) * seconds)
            except subprocess.TimeoutExpired:
                child.send_signal(signal.SIGKILL)
                ended += 1
            child.wait()
            self.expect(self.check_set(folder, sets, f"{form}: kill {number}"), f"{form}: kill {number}: header and library differ")
        self.compile(0, folder, form, check=True)
        self.expect(self.leftovers(folder) == [], f"{form}: a compile leaves {self.leftovers(folder)} of killed ones")
        print(f"{form}: {self.options.kills} compiles, {ended} killed, {len(self.wrong) - before} without a set", flush=True)

    def kills_between_renames_leave_a_set(self, form):
        folder, sets = self.fresh("rename", form)
        renames = 3 if form == "file" else 2
        for after in range(renames):
            for k in (1, 0):
                where = {**os.environ, "LD_PRELOAD": self.options.shim, "CONVOY_KILL_AFTER_RENAMES": str(after)}
                done = self.compile(k, folder, form, env=where, check=False)
                self.expect(done.returncode == -signal.SIGKILL, f"{form}: rename {after} did not kill: {done}")
                belongs = self.check_set(folder, sets, f"{form}: kill before rename {after}")
                # Only the last rename, that of the header, leaves a header of another set; the hash shows it.
                self.expect(belongs == (after < renames - 1), f"{form}: rename {after}: header belongs: {belongs}")
                self.compile(k, folder, form, check=True)
        print(f"{form}: a kill before each of {renames} renames leaves a set that loads", flush=True)

    def full_disks_leave_the_set(self, form):
        folder, sets = self.fresh("full", form)
        # The last limit of the linked form is below the size of the library and above that of its parts.
        for limit in (1000, 200_000, 530_000 if form == "linked" else 400_000):
            done = self.compile(1, folder, form, check=False,
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
            self.expect(done.returncode == 1 and "cannot write '" in done.stderr, f"{form}, limit {limit}: {done}")
            self.expect(facts_in_child(folder) == sets[0], f"{form}, limit {limit}: the earlier set is gone")
            self.expect(self.leftovers(folder) == [], f"{form}, limit {limit}: {self.leftovers(folder)}")

    def concurrent_compiles_do_not_mix(self, form):
        folder, sets = self.fresh("both", form)
        for _ in range(self.options.pairs):
            pair = [subprocess.Popen(self.command(k, folder, form), stdout=subprocess.DEVNULL) for k in (0, 1)]
            self.expect([child.wait() for child in pair] == [0, 0], f"{form}: a concurrent compile failed")
            self.expect(facts_in_child(folder) in sets, f"{form}: mixed files: {facts_in_child(folder)}")

    def links_are_not_followed(self, form):
        folder, victim = self.scratch / f"links-{form}", self.scratch / f"victim-{form}"
        folder.mkdir(exist_ok=True)
        victim.write_text("keep")
        for end in ("so", "h", "weights"):
            path = folder / f"{NAME}.{end}"
            path.unlink(missing_ok=True)
            path.symlink_to(victim.resolve())
        self.compile(0, folder, form, check=True)
        self.expect(victim.read_text() == "keep" and not (folder / f"{NAME}.so").is_symlink(), f"{form}: a link was followed")


def hold(folder):
    library = Library(folder)
    first = library.run()
    print("loaded", flush=True)
    same = library.code == 0
    while not select.select([sys.stdin], [], [], 0)[0]:
        same = same and library.run() == first
    print("same" if same else "different", flush=True)


def main():
    parser = argparse.ArgumentParser()
    for name in ("--convoy", "--shim", "--scratch", "--hold", "--facts"):
        parser.add_argument(name)
    for name, default in (("--processes", 3), ("--kills", 4), ("--pairs", 2)):
        parser.add_argument(name, type=int, default=default)
    options = parser.parse_args()
    if options.hold:
        return hold(options.hold)
    if options.facts:
        library = Library(options.facts)
        return print(library.code, library.hash(), library.header_hash(), library.run().replace(" ", "-"))
    test = Test(options)
    for form in FORMS:
        test.processes_keep_their_library(form)
        test.kills_between_renames_leave_a_set(form)
        test.full_disks_leave_the_set(form)
        test.concurrent_compiles_do_not_mix(form)
        test.links_are_not_followed(form)
        test.kills_leave_a_set(form)
    return sys.exit(1 if test.wrong else 0)


if __name__ == "__main__":
    main()
