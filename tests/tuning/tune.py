# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tunes a small model for a few trials and checks the results. The records keep all measurements,
also if the tuner is killed. A second run continues with different configurations. The tuner times
the network before and after. A compile uses the records and gives the same bytes twice. The report
page shows the records.

  tune.py CONVOY MAKE_MODELS SCRATCH_DIR
"""

import json
import os
import pathlib
import signal
import sys
import time
import xml.etree.ElementTree

from tuner import Tuner, expect

KEYS = ["task", "template", "configuration", "inputLayout", "outputLayout"]


class Test(Tuner):
    def configurations(self):
        """Returns the tried configurations by task. Races measure some configurations again."""
        return [tuple(str(record[key]) for key in KEYS) for record in self.exported()]

    def check_search(self):
        state = self.tune(20)
        expect(state["trials"] == 20, f"the tuner made {state['trials']} trials, expected 20")
        search = state["search"]
        # There is at most one builder per core, and one process that measures beside the builders.
        # Builders also run while the tuner waits for an idle core, which "seconds" does not count.
        builds = len(os.sched_getaffinity(0)) * (search["seconds"] + state["waited_seconds"])
        expect(0 < search["build_seconds"] < builds, f"building took longer than the search: {state}")
        expect(0 < search["measure_seconds"] < search["seconds"], f"measuring took longer than the search: {state}")
        expect(0 < state["best_ms"] <= 1.2 * state["default_ms"],
               f"the best configuration is slower than the default: {state}")
        first = set(self.configurations())
        expect(len(first) == 20, f"20 trials measured {len(first)} distinct configurations, expected 20")
        self.check_network(state["network"])
        self.tune(10)
        both = set(self.configurations())
        expect(len(both) == 30, f"30 trials in two runs measured {len(both)} distinct configurations, expected 30")

    def check_network(self, network):
        """Checks the comparison of the network before and after tuning; the default stays where
        tuning is not faster."""
        if not network["changed"]:
            return
        expect(network["pairs"] >= 5, f"the tuner timed the network {network['pairs']} times, expected at least 5")
        expect(0 < network["low"] <= network["ratio"] <= network["high"],
               f"the ratio is outside its interval: {network}")
        expect(network["keeps_default"] == (network["ratio"] >= 1), f"the tuner kept the slower network: {network}")
        self.check_kept(network["keeps_default"])

    def check_kept(self, keeps_default):
        facts = json.loads(self.run("compile", self.model, "--records", self.records, "-o",
                                    str(self.scratch / "kept"), "--json"))["records"]
        expect((facts["tuned"] == 0 and facts["kept"] > 0) == keeps_default,
               f"the compile ignores the verdict: {facts}")

    def check_liar(self):
        """Checks that timing the network rejects a record with a false time."""
        known = [r for r in self.exported() if r["outcome"] == "ok" and r["configuration"]]
        rivals = self.rivals(known)
        expect(rivals, "no task has two configurations between the same layouts")
        slowest = max(rivals, key=lambda r: min(wall / runs for runs, wall, _, _ in r["samples"]))
        liar = dict(slowest, trial="0" * 32, samples=[[1000, 10000, 10000, 1]] * 999)  # 10 ns
        lies = self.scratch / "lies.jsonl"
        lies.write_text(json.dumps(liar) + "\n")
        records, self.records = self.records, str(self.scratch / "lies.db")
        self.run("records", "merge", records, "--into", self.records)
        self.run("records", "import", str(lies), "--into", self.records)
        network = self.tune(1)["network"]
        expect(network["changed"], "the tuner did not choose the record with the false time")
        self.check_network(network)
        self.records = records

    @staticmethod
    def rivals(known):
        """Returns the records between the layouts of the default of their task. Such a configuration
        is always chosen if its record is the fastest. The default is the first trial of a task; the
        id of a trial is the id of its search, then the round and the place."""
        begin, own = {}, {}
        for record in known:
            search = record["trial"][:16]
            begin[search] = min(begin.get(search, record["unixUs"]), record["unixUs"])
        for record in sorted(known, key=lambda r: (begin[r["trial"][:16]], r["trial"])):
            own.setdefault(record["task"], record)
        return [record for record in known if Test.is_rival(record, own[record["task"]])]

    @staticmethod
    def is_rival(record, own):
        return record["configuration"] != own["configuration"] and all(
            record[key] == own[key] for key in ("inputLayout", "outputLayout"))

    def check_compile(self):
        texts = []
        for name in ("once", "again"):
            folder = self.scratch / name
            facts = json.loads(self.run("compile", self.model, "--records", self.records, "-o", str(folder), "--json"))
            used = facts["records"]
            expect(used["tuned"] + used["kept"] > 0, f"no kernel has a record: {used}")
            header = pathlib.Path(facts["header"]).read_text()
            expect(f'_RECORDS_HASH "{used["hash"]}"' in header, "the header does not name the records")
            texts.append(pathlib.Path(facts["library"]).read_bytes())
        expect(texts[0] == texts[1], "two compiles with the same records gave different bytes")

    def check_used(self):
        """Checks that a compile uses the fastest recorded configuration, not the default."""
        plain = self.run("compile", self.model, "--stop-after", "layout")
        lines = self.run("records", "export", self.records).splitlines()[:1]
        records = self.exported()
        known = [record for record in records if record["outcome"] == "ok" and record["configuration"]]
        others = [record for record in self.rivals(known)
                  if "conv_direct" in record["configuration"] and record["configuration"] not in plain]
        expect(others, "the tuner tried only the default configurations")
        fastest = others[0]["configuration"]
        for record in records:
            if all(record[key] == others[0][key] for key in KEYS):
                record["samples"] = [[1, 10, 10, 1]] * 5
            lines.append(json.dumps(record))
        text, other = self.scratch / "fast.jsonl", str(self.scratch / "fast.db")
        text.write_text("\n".join(lines) + "\n")
        self.run("records", "import", "--into", other, str(text))
        tuned = self.run("compile", self.model, "--stop-after", "layout", "--records", other)
        expect(fastest in tuned, f"the compile does not use the fastest recorded configuration: {fastest}")

    def check_target(self):
        """Checks that a target latency that is already reached ends the search, and that records of
        other tasks have no effect."""
        state = self.tune(40, "--target-latency", "10s")
        expect(state["target_reached"] and state["trials"] == 0,
               f"the search ran although the target was already reached: {state}")

    def check_page(self):
        page = str(self.scratch / "report.html")
        self.run("records", "report", self.records, "--report", page)
        root = xml.etree.ElementTree.parse(page).getroot()
        drawings = [element.get("id") for element in root.iter("{http://www.w3.org/2000/svg}svg")]
        for kind in ("trial", "time", "knob"):
            expect(any(name.startswith(kind) for name in drawings), f"the page has no drawing '{kind}'")
        dots = [title for title in root.iter("{http://www.w3.org/2000/svg}circle")]
        expect(len(dots) >= len(self.exported()),
               f"the page shows {len(dots)} points for {len(self.exported())} trials")

    def check_interrupt(self):
        """Checks that Ctrl-C keeps the results so far and removes temporary files."""
        tuner = self.start("--time", "60s")
        before = self.stored()
        self.await_more(before)
        tuner.send_signal(signal.SIGINT)
        out, err = tuner.communicate(timeout=300)
        expect(tuner.returncode == 0 and json.loads(out)["interrupted"],
               f"the tuner did not end cleanly after Ctrl-C: {out} {err}")
        expect(not list(self.temporary.iterdir()), "the tuner left temporary files after Ctrl-C")

    def await_more(self, before):
        for _ in range(6000):
            if self.stored() - before:
                return
            time.sleep(0.05)
        expect(False, "the tuner committed no trial within 300 s")

    def check_kill(self):
        tuner = self.start("--time", "60s")
        before = self.stored()
        self.await_more(before)
        tuner.kill()
        tuner.communicate()
        expect(self.stored() - before, "the trials of a killed tuner are lost")
        self.run("records", "list", self.records)


def main():
    test = Test(*sys.argv[1:])
    test.check_search()
    test.check_compile()
    test.check_used()
    test.check_liar()
    test.check_target()
    test.check_page()
    test.check_interrupt()
    test.check_kill()
    print("ok    search, network timing, false record, resume, compile, report, interrupt, kill")


if __name__ == "__main__":
    main()
