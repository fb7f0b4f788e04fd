# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares three ways to run real jobs on one machine: in series, without control, with the scheduler.

usage: sharing_test.py BINARIES SCRATCH MODEL... [--trials N] [--counts LIST] [--times FILE] [--wait S] [--page FILE]

The device is CPU 1 of this machine, which should be idle otherwise. For 2 and for 4 jobs:

- series: each job alone, with one builder and one device;
- uncontrolled: all jobs at once, with a builder and a device for each. All devices are CPU 1, and the builders use it
  too. Nobody waits for anybody;
- scheduler: all jobs at once, with one builder and one device.

Prints the wall time, the distortion of the times, the regret of the chosen configurations on the idle machine and the
latency of the networks with the records of each way. `--page` writes the tables into a page. `--times` appends the times
of all stages to a file, for `convoy-tuningd simulate --times`. `--wait` limits the time that a controlled device waits for
an idle CPU in total.
"""

import argparse
import os
import pathlib
import shutil
import statistics
import sys
import time

import pool
import servers
import sharing_figures as figures
import sharing_machine

ARMS = ("series", "uncontrolled", "scheduler")


class Arm:
    """The jobs that ran in one way."""

    def __init__(self, machine, name, models):
        self.name = name
        machine.use(name != "uncontrolled", len(models))
        begin = time.monotonic()
        jobs, self.errors = [], []
        for model in models:
            jobs.append(machine.create(model))
            if name == "series":
                self.errors += machine.wait(jobs[-1:])
        if name != "series":
            self.errors += machine.wait(jobs)
        self.wall = time.monotonic() - begin
        self.records = machine.records(jobs)
        self.times = sharing_machine.times_of(self.records)
        self.naive = sharing_machine.times_of(self.records, is_naive=True)
        self.trials = machine.trials * len(models)
        self.builds, self.measurements = machine.stage_times(jobs)
        print(f"{len(models)} jobs, {name}: {self.wall:.1f} s, {self.failed} of {self.trials} trials failed, builds "
              f"{sum(self.builds):.1f} s, measurements {sum(self.measurements):.1f} s", flush=True)

    @property
    def failed(self):
        """The trials without a time."""
        return self.trials - sum(1 for record in self.records if record.get("outcome") == "ok")


def compare(machine, models, count):
    """Runs the three ways with `count` jobs. Returns the arms and the rows of the table."""
    arms = {name: Arm(machine, name, models[:count]) for name in ARMS}
    choices = {name: figures.best_of(arm.records, arm.times) for name, arm in arms.items()}
    naive = arms["uncontrolled"]
    choices["uncontrolled, all samples"] = figures.best_of(naive.records, naive.naive)
    machine.use(True, 1)
    idle = []
    for _ in range(2):
        chosen = [record for name in ARMS for record in choices[name].values()]
        idle.append(figures.lowest(sharing_machine.times_of(machine.confirm(chosen)), sharing_machine.times_of(
            machine.confirm(list(choices["uncontrolled, all samples"].values())))))
    best = figures.lowest(*idle)
    noise, pairs = figures.deviation(*idle)
    rows = []
    series = arms["series"]
    for name, chosen in choices.items():
        arm = arms[name.split(",")[0]]
        times = arm.naive if "," in name else arm.times
        moved, _ = figures.deviation(times, series.times)
        mean, worst = figures.regret(chosen, best)
        rows.append([count, name, f"{arm.wall:.0f}", f"{arm.wall / series.wall:.2f}", f"{arm.failed} of {arm.trials}",
                     figures.percent(figures.disturbed_share(arm.records)),
                     "-" if name == "series" else figures.percent(moved),
                     f"{figures.percent(mean)} ({figures.percent(worst)})"])
    print(figures.table(["jobs", "way", "s", "/ series", "failed", "disturbed", "moved", "regret"], rows), flush=True)
    print(f"noise of {pairs} times of the idle machine: {noise:.1%}", flush=True)
    return arms, rows, noise


def page_text(rows, latencies, errors, trials, noise):
    """Returns the tables in Markdown."""
    text = (f"Each job has {trials} trials, one thread and the same seed. The noise of two measurements of a configuration "
            f"on the idle device is {figures.percent(noise)} (median).\n\n")
    text += figures.table(["jobs", "way", "wall time, s", "wall time / series", "failed trials", "disturbed samples",
                           "median deviation from the times in series", "mean regret (worst task)"], rows)
    text += ("\nTime of the network with the records of each way / time with the default configurations, four jobs, in "
             "alternation (95 % interval):\n\n")
    text += figures.table(["network", "default, ms", *ARMS], [
        [name, f"{ms:.2f}", *[f"{value:.3f} ({low:.3f} to {high:.3f})" for value, low, high in ratios]]
        for name, ms, ratios in latencies])
    text += (f"\nAfter half of its trials, a job's estimated end was wrong by {figures.percent(statistics.median(errors))} of "
             f"the time of the job (median of {len(errors)} jobs in series and with the scheduler, largest "
             f"{figures.percent(max(errors))}).\n")
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binaries", type=pathlib.Path)
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    parser.add_argument("--trials", type=int, default=60)
    parser.add_argument("--counts", type=lambda text: [int(word) for word in text.split(",")], default=[2, 4])
    parser.add_argument("--times", type=pathlib.Path)
    parser.add_argument("--wait", type=float, default=60)
    parser.add_argument("--page", type=pathlib.Path)
    arguments = parser.parse_args()
    shutil.rmtree(arguments.scratch, ignore_errors=True)
    os.sched_setaffinity(0, {0})
    rows, errors, noises, problems = [], [], [], []
    with servers.Servers() as machine, pool.Pool(arguments.binaries, arguments.scratch, machine) as running:
        running.start_daemons(1, **({"times": arguments.times} if arguments.times else {}))
        real = sharing_machine.Machine(running, arguments.scratch, arguments.binaries, arguments.trials, arguments.wait)
        models = [real.upload(model) for model in arguments.models]
        for count in arguments.counts:
            arms, added, noise = compare(real, (models * count)[:count], count)
            rows += added
            noises.append(noise)
            errors += arms["series"].errors + arms["scheduler"].errors
            problems += problems_of(arms, added, noise, count)
        os.sched_setaffinity(0, {0, 1})
        records = {name: real.lines(arm.records) for name, arm in arms.items()}
        latencies = figures.tuned_latency(arguments.binaries, arguments.scratch / "networks",
                                          arguments.models[:max(arguments.counts)], records)
    text = page_text(rows, latencies, errors, arguments.trials, max(noises))
    print(text)
    if arguments.page:
        figures.publish(arguments.page, text)
    if problems:
        sys.exit("\n".join(problems))


def problems_of(arms, rows, noise, count):
    """Returns which promises of the scheduler do not hold."""
    problems = []
    if arms["scheduler"].wall > 0.9 * arms["series"].wall:
        problems.append(f"{count} jobs: expected at most 0.9 of the wall time in series")
    moved, _ = figures.deviation(arms["scheduler"].times, arms["series"].times)
    if moved > 2 * noise:
        problems.append(f"{count} jobs: the times deviate by {moved:.1%} from those in series, twice the noise is {2 * noise:.1%}")
    return problems


if __name__ == "__main__":
    main()
