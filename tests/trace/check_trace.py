# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks a trace of `convoy --trace` against the Trace Event Format of Chrome.

  check_trace.py FILE...

The format is the JSON object form that Perfetto and chrome://tracing read. The check covers the
two kinds of events that Convoy writes: metadata ("M") and complete events ("X"). It requires their
keys and types, names for all processes and tracks, ascending begins in each track, and events that
nest or follow each other.
"""

import json
import sys

# Key: type, for each kind of event.
KEYS = {
    "M": {"name": str, "ph": str, "pid": int, "tid": int, "args": dict},
    "X": {"name": str, "cat": str, "ph": str, "ts": (int, float), "dur": (int, float), "pid": int, "tid": int,
          "args": dict},
}
METADATA = {"process_name": ("name", str), "thread_name": ("name", str), "thread_sort_index": ("sort_index", int)}
CATEGORIES = {"inference", "kernel", "wait", "idle", "runtime", "stage", "pass"}
KERNEL_FACTS = {"kernel": str, "nodes": str, "template": str, "measured_us": (int, float),
                "predicted_us": (int, float), "calls": int}
# Times have three decimals.
TOLERANCE_US = 0.0005


def is_a(value, kind):
    return isinstance(value, kind) and not isinstance(value, bool)


def check_keys(event, where, problems):
    kind = event.get("ph")
    if kind not in KEYS:
        problems.append(f"{where}: 'ph' is {kind!r}, expected 'M' or 'X'")
        return False
    good = True
    for key, type_ in KEYS[kind].items():
        if not is_a(event.get(key), type_):
            problems.append(f"{where}: '{key}' is missing or has a wrong type: {event.get(key)!r}")
            good = False
    for key in set(event) - set(KEYS[kind]):
        problems.append(f"{where}: unknown key '{key}'")
    return good


def check_metadata(event, where, problems):
    key, type_ = METADATA.get(event["name"], (None, None))
    if key is None:
        problems.append(f"{where}: unknown metadata '{event['name']}'")
    elif not is_a(event["args"].get(key), type_):
        problems.append(f"{where}: metadata '{event['name']}' has no '{key}'")


def check_times(event, where, problems):
    if event["ts"] < 0 or event["dur"] < 0:
        problems.append(f"{where}: 'ts' or 'dur' is negative")
    if event["cat"] not in CATEGORIES:
        problems.append(f"{where}: unknown category '{event['cat']}'")
    if not event["name"]:
        problems.append(f"{where}: the name is empty")
    if event["cat"] == "kernel":
        for key, type_ in KERNEL_FACTS.items():
            if not is_a(event["args"].get(key), type_):
                problems.append(f"{where}: a kernel without '{key}'")


def check_track(track, events, problems):
    """Checks that begins ascend and that an event lies inside the event that is open."""
    open_ends, last = [], 0.0
    for event in events:
        begin, end = event["ts"], event["ts"] + event["dur"]
        if begin < last - TOLERANCE_US:
            problems.append(f"track {track}: '{event['name']}' begins at {begin} before the event that precedes it")
        last = begin
        while open_ends and begin >= open_ends[-1] - TOLERANCE_US:
            open_ends.pop()
        if open_ends and end > open_ends[-1] + TOLERANCE_US:
            problems.append(f"track {track}: '{event['name']}' ends at {end}, after the event around it")
        open_ends.append(end)


def problems_of(trace):
    """Returns the list of what is wrong with a parsed trace."""
    problems = []
    if not isinstance(trace, dict) or not isinstance(trace.get("traceEvents"), list):
        return ["the trace is no object with an array 'traceEvents'"]
    if trace.get("displayTimeUnit") not in ("ms", "ns"):
        problems.append("'displayTimeUnit' is neither 'ms' nor 'ns'")
    named, tracks = set(), {}
    for index, event in enumerate(trace["traceEvents"]):
        where = f"event {index}"
        if not isinstance(event, dict) or not check_keys(event, where, problems):
            continue
        track = (event["pid"], event["tid"])
        if event["ph"] == "M":
            check_metadata(event, where, problems)
            named.add(event["pid"] if event["name"] == "process_name" else (track, event["name"]))
        else:
            check_times(event, where, problems)
            tracks.setdefault(track, []).append(event)
    for track, events in tracks.items():
        if track[0] not in named or (track, "thread_name") not in named:
            problems.append(f"track {track} or its process has no name")
        check_track(track, events, problems)
    if not tracks:
        problems.append("the trace has no events")
    return problems


def names_of(trace):
    """Returns the name of each track and of each process."""
    return ({(event["pid"], event["tid"]): event["args"]["name"] for event in trace["traceEvents"]
             if event["name"] == "thread_name"},
            {event["pid"]: event["args"]["name"] for event in trace["traceEvents"] if event["name"] == "process_name"})


def core_sums(trace):
    """Returns, for each core of each inference: process, core, sum of the events, and the time of the inference, both
    in microseconds."""
    tracks, processes = names_of(trace)
    events = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    runs = {event["pid"]: event["dur"] for event in events if event["cat"] == "inference"}
    sums = []
    for (process, thread), name in tracks.items():
        if name.startswith("core "):
            total = sum(event["dur"] for event in events if (event["pid"], event["tid"]) == (process, thread))
            sums.append((processes[process], name, total, runs[process]))
    return sums


def main():
    failed = False
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            problems = problems_of(json.load(file))
        for problem in problems:
            print(f"{path}: {problem}")
        failed |= bool(problems)
        print(f"{'FAIL' if problems else 'ok  '}  {path}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
