# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares ways of sharing a machine: distortion, regret, tuned latency. Writes the tables of sharing_test.py."""

import json
import pathlib
import random
import re
import statistics
import subprocess

import sharing_machine

BEGIN, END = "<!-- sharing_test.py: begin -->", "<!-- sharing_test.py: end -->"
SAMPLES, SAMPLE_MS = 31, 20


def best_of(records, times):
    """Returns the record of the fastest configuration of each task."""
    chosen = {}
    for record in records:
        task, key = record["task"], tuple(str(record[field]) for field in sharing_machine.CONFIGURATION)
        if key in times.get(task, {}) and key == min((ns, one) for one, ns in times[task].items())[1]:
            chosen[task] = record
    return chosen


def deviation(times, other):
    """Returns the median relative deviation of times that both have, and their number."""
    pairs = [(one, other[task][key]) for task, rows in times.items() for key, one in rows.items()
             if key in other.get(task, {})]
    return (statistics.median(abs(one - two) / two for one, two in pairs) if pairs else float("nan")), len(pairs)


def regret(chosen, idle):
    """Returns the mean and the largest regret of chosen configurations on the idle machine, over the tasks."""
    losses = []
    for task, record in chosen.items():
        key = tuple(str(record[field]) for field in sharing_machine.CONFIGURATION)
        rows = idle.get(task, {})
        if key in rows:
            losses.append(rows[key] / min(rows.values()) - 1)
    return (statistics.mean(losses), max(losses)) if losses else (float("nan"), float("nan"))


def lowest(*measured):
    """Returns the lowest time of each configuration: a disturbance only adds time."""
    times = {}
    for one in measured:
        for task, rows in one.items():
            for key, ns in rows.items():
                known = times.setdefault(task, {}).get(key, ns)
                times[task][key] = min(known, ns)
    return times


def disturbed_share(records):
    """Returns the share of the samples that were disturbed."""
    samples = [is_clean for record in records for *_, is_clean in record.get("samples", [])]
    return samples.count(False) / len(samples) if samples else float("nan")


def ratio(after, before):
    """Returns the ratio of the medians of paired samples with its 95 % interval by bootstrap."""
    rng = random.Random(1)
    value = statistics.median(after) / statistics.median(before)
    drawn = []
    for _ in range(1000):
        pairs = [rng.randrange(len(after)) for _ in after]
        drawn.append(statistics.median(after[i] for i in pairs) / statistics.median(before[i] for i in pairs))
    drawn.sort()
    return value, drawn[25], drawn[974]


def compile_network(binaries, model, folder, records):
    """Compiles a network with records as text, or without. Returns the candidate for convoy-measure."""
    command = [binaries / "convoy", "compile", model, "-o", folder, "--threads", "1", "--json"]
    if records is not None:
        folder.mkdir(parents=True)
        (folder / "records.jsonl").write_text(records)
        subprocess.run([binaries / "convoy", "records", "import", folder / "records.jsonl", "--into", folder / "records.db"],
                       check=True, capture_output=True)
        command += ["--records", folder / "records.db"]
    done = subprocess.run(["taskset", "-c", "0", *command], check=True, capture_output=True, text=True)
    built = json.loads(done.stdout)
    inputs = []
    for index, tensor in enumerate(built["inputs"]):
        path = folder / f"input{index}.raw"
        path.write_bytes(bytes(tensor["bytes"]))
        inputs.append({"file": str(path), "bytes": tensor["bytes"]})
    outputs = [{"bytes": tensor["bytes"], "expected": ""} for tensor in built["outputs"]]
    library = next(path for path in folder.iterdir() if path.suffix == ".so")
    return {"library": str(library), "symbol": library.stem, "workspaceBytes": built["workspace_bytes"],
            "inputs": inputs, "outputs": outputs}


def time_networks(binaries, candidates):
    """Measures networks in alternation on CPU 1. Returns the milliseconds of the samples of each."""
    request = {"kind": "trial", "candidates": candidates, "policy": "warm", "cpus": [1], "samples": SAMPLES,
               "sampleMs": SAMPLE_MS, "giveUpNs": 0, "timeoutMs": 600000}
    with subprocess.Popen([binaries / "convoy-measure", "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as process:
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        process.stdin.close()
    if "results" not in answer:
        raise RuntimeError(f"cannot measure the networks: {answer}")
    return [[wall / runs * 1e-6 for runs, wall, *_ in one["samples"]] for one in answer["results"]]


def tuned_latency(binaries, scratch, models, arms):
    """Returns rows: model, milliseconds of the default, ratio to it with its interval for each arm."""
    rows = []
    for model in models:
        candidates = [compile_network(binaries, model, scratch / "default" / model.stem, None)]
        for name, records in arms.items():
            candidates.append(compile_network(binaries, model, scratch / name / model.stem, records))
        samples = time_networks(binaries, candidates)
        rows.append((model.stem, statistics.median(samples[0]), [ratio(one, samples[0]) for one in samples[1:]]))
    return rows


def percent(value):
    """Returns a share as text."""
    return f"{100 * value:.1f} %"


def table(head, rows):
    """Returns a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(str(cell) for cell in line) + " |\n" for line in lines)


def publish(page, text):
    """Replaces the part of a page between the marks."""
    page = pathlib.Path(page)
    old = page.read_text(encoding="utf-8")
    part = re.compile(re.escape(BEGIN) + ".*?" + re.escape(END), re.S)
    if not part.search(old):
        raise ValueError(f"{page} has no part between {BEGIN} and {END}")
    page.write_text(part.sub(lambda _: f"{BEGIN}\n\n{text}\n{END}", old), encoding="utf-8")
