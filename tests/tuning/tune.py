# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tunes a small model for a few trials: what was measured is kept, also when the tuner
is killed; a second run goes on with other configurations; a compile uses the records and
gives the same bytes again.

  tune.py CONVOY MAKE_MODELS SCRATCH_DIR
"""

import json
import pathlib
import shutil
import signal
import subprocess
import sys
import time


KEYS = ["task", "template", "configuration", "inputLayout", "outputLayout"]


def expect(is_true, text):
    if not is_true:
        sys.exit(f"FAILED: {text}")


class Test:
    def __init__(self, convoy, make_models, scratch):
        self.convoy, self.scratch = convoy, pathlib.Path(scratch)
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.scratch.mkdir(parents=True)
        subprocess.run([sys.executable, make_models, str(self.scratch), "mnist_cnn"], check=True,
                       stdout=subprocess.DEVNULL)
        self.model = str(self.scratch / "mnist_cnn.onnx")
        self.records = str(self.scratch / "tune.db")

    def run(self, *arguments):
        done = subprocess.run([self.convoy, *arguments], capture_output=True, text=True)
        expect(done.returncode == 0, f"{' '.join(arguments)} ends with {done.returncode}: {done.stderr}")
        return done.stdout

    def tune(self, trials):
        return json.loads(self.run("tune", self.model, "--records", self.records, "--trials", str(trials), "--json"))

    def configurations(self):
        """What was tried, by task; races measure some again."""
        tried = []
        for line in self.run("records", "export", self.records).splitlines()[1:]:
            record = json.loads(line)
            tried.append(tuple(str(record[key]) for key in KEYS))
        return tried

    def check_search(self):
        state = self.tune(20)
        expect(state["trials"] == 20, f"20 trials were wanted, {state['trials']} were made")
        expect(0 < state["bestMs"] <= 1.2 * state["defaultMs"], f"the best is no better than the default: {state}")
        first = set(self.configurations())
        expect(len(first) == 20, f"20 trials tried {len(first)} configurations")
        self.tune(10)
        both = set(self.configurations())
        expect(len(both) == 30, f"10 more trials made {len(both)} configurations of 20")

    def check_compile(self):
        texts = []
        for name in ("once", "again"):
            folder = self.scratch / name
            facts = json.loads(self.run("compile", self.model, "--records", self.records, "-o", str(folder), "--json"))
            expect(facts["records"]["tuned"] > 0, f"no kernel is tuned: {facts['records']}")
            header = pathlib.Path(facts["header"]).read_text()
            expect(f'_RECORDS_HASH "{facts["records"]["hash"]}"' in header, "the header does not name the records")
            texts.append(pathlib.Path(facts["library"]).read_bytes())
        expect(texts[0] == texts[1], "the same records give other bytes")

    def check_kill(self):
        tuner = subprocess.Popen([self.convoy, "tune", self.model, "--records", self.records, "--time", "60s"],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        before = len(self.configurations())
        for _ in range(300):
            time.sleep(0.1)
            if len(self.configurations()) > before:
                break
        tuner.send_signal(signal.SIGKILL)
        tuner.wait()
        after = len(self.configurations())
        expect(after > before, "a batch of a killed tuner is lost")
        self.run("records", "list", self.records)


def main():
    test = Test(*sys.argv[1:])
    test.check_search()
    test.check_compile()
    test.check_kill()
    print("ok    searched, resumed, compiled, killed")


if __name__ == "__main__":
    main()
