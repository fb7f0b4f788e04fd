#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hashes the files that `convoy` writes for many models and configurations, and compares the hashes
with recorded ones. A refactoring must not change a byte; this script lists the cases that changed.

  hash_artifacts.py record --convoy PATH -o FILE [--set full|quick|ci]
  hash_artifacts.py compare FILE --convoy PATH [--set full|quick|ci]

Each case is one run of convoy in a separate folder. A line of FILE holds the exit code and the
hashes of the files, of stdout and of stderr. An error is a valid result. cases.py lists the cases.
"""

import argparse
import concurrent.futures
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import cases
import models
import outcomes

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77  # ctest's code for a skipped test
NO_RUNTIME = "this build of convoy has no runtime for"
SHOWN_NAMES = 4
LEAST_SECONDS = 0.02  # per case


class Workspace:
    """The compiler under test, and the folder of models, samples, times and records that cases
    read."""

    def __init__(self, args, chosen):
        self.folder = pathlib.Path(args.scratch).resolve()
        self.convoy = pathlib.Path(args.convoy).resolve()
        self.keep = args.keep
        self.records = args.records and pathlib.Path(args.records).resolve()
        self.missing = models.collect(sorted({case.model for case in chosen if case.model}), self.folder / "models",
                                      pathlib.Path(args.models))
        self.runnable = [case for case in chosen if not self.why_not(case)]
        names = {case.model for case in self.runnable if case.model}
        self.hashes = {name: models.sha256(self.model(name)) for name in names}
        for case in self.runnable:
            self.write_samples(case)
        models.write_kernel_times(self.folder / "times/residual.json")
        models.import_records(self.convoy, HERE / "records.jsonl", self.folder / "old-records")

    def model(self, name):
        return self.folder / "models" / f"{name}.onnx"

    def why_not(self, case):
        """Returns why a case cannot run here, or an empty string."""
        if case.model in self.missing:
            return f"there is no {case.model}.onnx in the folder of --models"
        return "needs --records" if cases.RECORDS in case.arguments and not self.records else ""

    def write_samples(self, case):
        for argument in case.arguments:
            flag, _, value = argument.partition("=")
            if flag == "--calibrate" and not (self.folder / value).exists():
                models.write_samples(self.model(case.model), self.folder / value)

    def run(self, case, is_portable):
        with tempfile.TemporaryDirectory(dir=self.folder, prefix="case-") as scratch:
            folder = pathlib.Path(scratch)
            links = {name: self.folder / name for name in ("models", "samples", "times", "old-records")}
            links["targets"] = HERE / "targets"
            if self.records:
                links["records"] = self.records
            for name, path in links.items():
                (folder / name).symlink_to(path)
            outcome = outcomes.run(self.convoy, case.arguments, folder, is_portable)
            if self.keep:
                shutil.copytree(folder, self.keep / case.name, ignore=lambda path, names: links, dirs_exist_ok=True)
            return outcome


def run_all(workspace, chosen, jobs, is_portable, seconds):
    """Runs the cases and returns their outcomes by name. `seconds` holds the recorded duration of
    each case; the longest cases run first. Without durations the order is random, so that the mean
    of the finished cases predicts the remaining time."""
    weights = {case.name: max(seconds.get(case.name, 0), LEAST_SECONDS) for case in chosen}
    order = random.Random(0).sample(chosen, len(chosen))
    order.sort(key=lambda case: -weights[case.name])
    results, done, begin = {}, 0.0, time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = {pool.submit(workspace.run, case, is_portable): case.name for case in order}
        try:
            for future in concurrent.futures.as_completed(futures):
                name, outcome = futures[future], future.result()
                results[name] = outcome
                done += weights[name]
                left = (time.monotonic() - begin) * (sum(weights.values()) - done) / done
                print(f"[{len(results)}/{len(chosen)}] {name}: {outcome.seconds:.1f} s; {left / 60:.1f} min left",
                      file=sys.stderr, flush=True)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return results


def choose(args, name):
    return [case for case in cases.cases_of(name) if args.only.search(case.name)]


def record(args):
    begin = time.monotonic()
    chosen = choose(args, args.set)
    workspace = Workspace(args, chosen)
    is_portable = args.set == "ci"
    results = run_all(workspace, workspace.runnable, args.jobs, is_portable, {})
    facts = {"llvm": args.llvm, "set": args.set}
    if not is_portable:
        facts["host"] = outcomes.host_hash(workspace.convoy)
    if workspace.records:
        facts["records"] = models.sha256(workspace.records)
    outcomes.write(args.output, facts, workspace.hashes, results, has_seconds=not is_portable)
    print_by_reason("not recorded", [(case.name, workspace.why_not(case)) for case in chosen
                                     if workspace.why_not(case)])
    for name, outcome in sorted(results.items()):
        if outcome.exit not in ("0", "1", "2"):
            print(f"warning: {name} ended with {outcome.exit}, which is a bug in convoy")
    print(f"{len(results)} cases recorded in {args.output} in {time.monotonic() - begin:.0f} s")
    return 0


def print_by_reason(title, rows):
    """Prints one line per reason: the number of cases and the first case names."""
    groups = {}
    for name, reason in sorted(rows):
        groups.setdefault(reason, []).append(name)
    for reason, names in groups.items():
        shown = ", ".join(names[:SHOWN_NAMES]) + (", ..." if len(names) > SHOWN_NAMES else "")
        print(f"{title}: {len(names)} ({shown}): {reason}")


class Comparison:
    """Groups the cases of one set by the result of the comparison."""

    def __init__(self, recorded, exceptions):
        self.recorded = recorded
        self.exceptions = exceptions
        self.equal, self.differing, self.missing, self.expected, self.skipped = [], [], [], [], []

    def leave_out(self, name, reason):
        self.missing.append((name, reason))

    def add(self, case, outcome):
        old = self.recorded.outcomes[case.name]
        found = outcomes.differences(old, outcome)
        reason = next((reason for pattern, reason in self.exceptions if pattern.fullmatch(case.name)), None)
        if not found:
            self.equal.append(case.name)
        elif old.exit == "0" and NO_RUNTIME in outcome.error:
            self.skipped.append((case.name, outcome.error.strip()))
        elif reason:
            self.expected.append((case.name, found + [f"expected: {reason}"]))
        else:
            words = outcome.error.strip().splitlines()[:3] if outcome.exit != old.exit else []
            self.differing.append((case.name, found + words + ["convoy " + shlex.join(case.arguments)]))

    def print(self):
        print_by_reason("skipped", self.skipped)
        print_by_reason("missing", self.missing)
        for title, rows in [("expected to differ", self.expected), ("DIFFERS", self.differing)]:
            for name, lines in sorted(rows):
                print(f"{title}: {name}", *(f"    {line}" for line in lines), sep="\n")
        counts = [f"{len(self.equal)} equal", f"{len(self.differing)} differ", f"{len(self.missing)} missing"]
        counts += [f"{len(rows)} {title}" for title, rows in [("expected to differ", self.expected),
                                                              ("skipped", self.skipped)] if rows]
        print(", ".join(counts))


def compare(args):
    recorded = outcomes.read(args.file)
    name = args.set or recorded.facts["set"]
    is_portable = name == "ci"
    if args.llvm != recorded.facts["llvm"]:
        words = f"'{args.file}' was recorded with LLVM {recorded.facts['llvm']}, and this is {args.llvm}"
        if is_portable:
            print(f"skipped: {words}; different LLVM versions generate different code")
            return SKIPPED
        print(f"warning: {words}; native code may differ for that reason")
    chosen = choose(args, name)
    workspace = Workspace(args, chosen)
    check_machine(recorded, workspace, is_portable)
    comparison = Comparison(recorded, read_exceptions(args.exceptions))
    wanted = [case for case in chosen if can_compare(case, recorded, workspace, comparison)]
    if name == recorded.facts["set"]:
        for gone in set(recorded.outcomes) - {case.name for case in chosen}:
            if args.only.search(gone):
                comparison.leave_out(gone, "no case has this name")
    seconds = {name: outcome.seconds for name, outcome in recorded.outcomes.items()}
    results = run_all(workspace, wanted, args.jobs, is_portable, seconds)
    for case in wanted:
        comparison.add(case, results[case.name])
    comparison.print()
    if comparison.differing or comparison.missing:
        explain_update(args, recorded.facts["set"])
        return 1
    return 0


def check_machine(recorded, workspace, is_portable):
    if not is_portable and recorded.facts.get("host") != outcomes.host_hash(workspace.convoy):
        print("warning: recorded on another machine, or `convoy targets` has changed; code for `host` may differ")
    if workspace.records and recorded.facts.get("records") != models.sha256(workspace.records):
        print("warning: the file of --records is not the recorded one; cases with records may differ")


def can_compare(case, recorded, workspace, comparison):
    """Returns whether the case runs here as it was recorded; if not, the comparison records the
    reason."""
    is_recorded, why_not = case.name in recorded.outcomes, workspace.why_not(case)
    if is_recorded and why_not:
        comparison.leave_out(case.name, why_not)
    elif not is_recorded and not why_not:
        comparison.leave_out(case.name, "not recorded")
    elif is_recorded and case.model and recorded.models.get(case.model) != workspace.hashes[case.model]:
        comparison.leave_out(case.name, f"{case.model}.onnx is not the recorded file; record again")
    else:
        return is_recorded
    return False


def explain_update(args, name):
    script, convoy, file = (short_path(path) for path in (__file__, args.convoy, args.file))
    print(f"""A refactoring leaves every case equal. If a change is intended, name it in the commit message and record
again:
  /usr/bin/python3 {script} record --set {name} --convoy {convoy} -o {file}""")


def short_path(path):
    """Returns the path relative to the repository if it is inside."""
    whole = pathlib.Path(path).resolve()
    return whole.relative_to(models.ROOT) if whole.is_relative_to(models.ROOT) else path


def read_exceptions(path):
    """Reads rows of a regular expression for case names and the reason why these cases may
    differ."""
    rows = []
    for number, line in enumerate(pathlib.Path(path).read_text(encoding="utf-8").splitlines(), 1):
        pattern, _, reason = line.partition("\t")
        if line and not line.startswith("#"):
            if not reason.strip():
                sys.exit(f"hash_artifacts: {path}:{number}: expected case-regex<TAB>reason, got '{line}'")
            rows.append((re.compile(pattern), reason.strip()))
    return rows


def llvm_version():
    try:
        done = subprocess.run(["llvm-config-19", "--version"], check=True, capture_output=True, text=True)
        return done.stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    for name, action in [("record", record), ("compare", compare)]:
        verb = verbs.add_parser(name)
        verb.set_defaults(action=action)
        if name == "compare":
            verb.add_argument("file", metavar="FILE", help="recorded hashes")
            verb.add_argument("--exceptions", metavar="FILE", default=HERE / "exceptions.txt",
                              help="lines `case-regex<TAB>reason`: cases that may differ (default: exceptions.txt)")
        else:
            verb.add_argument("-o", "--output", metavar="FILE", required=True, help="file to write")
        verb.add_argument("--convoy", metavar="PATH", required=True, help="compiler to run")
        verb.add_argument("--set", choices=["full", "quick", "ci"], default="full" if name == "record" else None,
                          help="cases to run (default: full; of `compare`: the set of FILE)")
        verb.add_argument("--only", metavar="REGEX", type=re.compile, default=re.compile(""),
                          help="run only the cases whose name contains a match")
        verb.add_argument("--jobs", metavar="N", type=int, default=2, help="cases to run at a time (default: 2)")
        verb.add_argument("--models", metavar="DIR", default=models.ROOT.parent / "shared/models/onnx",
                          help="folder of models that no script generates (default: ../shared/models/onnx)")
        verb.add_argument("--records", metavar="FILE", help="tuning records of mobilenet_v2, from `convoy tune`")
        verb.add_argument("--scratch", metavar="DIR", default=models.ROOT / "build/artifacts",
                          help="folder for generated models and results (default: build/artifacts)")
        verb.add_argument("--keep", metavar="DIR", type=pathlib.Path,
                          help="folder to keep files, stdout and stderr of each case in (default: none)")
        verb.add_argument("--llvm", metavar="VERSION", default=llvm_version(),
                          help="version that convoy was built with (default: from llvm-config-19)")
    args = parser.parse_args()
    if not pathlib.Path(args.convoy).exists():
        parser.error(f"no compiler '{args.convoy}'; build it first, or name another with --convoy")
    if args.records and not pathlib.Path(args.records).exists():
        parser.error(f"no records '{args.records}'; `convoy tune MODEL --records FILE` writes them")
    return args


if __name__ == "__main__":
    arguments = parse_arguments()
    sys.exit(arguments.action(arguments))
