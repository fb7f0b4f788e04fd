#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tunes whole networks, each with its own time budget, and prints the speed-up.

  end_to_end.py CONVOY FOLDER [--time 240s] [--threads 1,2] [--models a,b]
                [--target FILE | --wrong-target] [-o DIR]

FOLDER contains the networks of bench/make_models.py. The times are of the whole network, compiled
by default and with the records, measured alternately. 'kept' means that the default stays because
tuning was not faster. `--wrong-target` describes this machine with half the caches and one multiply
port, to measure how much tuning compensates for a wrong description. DIR keeps records and answers.
Trials per second include all overheads of the search. No other program may run on the machine.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys

MODELS = "mobilenet_v2,resnet50_v15,inception_v1,vgg19"


def tune(arguments, model, threads):
    records = arguments.out / f"{model}_{threads}.db"
    answer = arguments.out / f"{model}_{threads}.json"
    command = [arguments.convoy, "tune", str(arguments.folder / f"{model}.onnx"), "--records", str(records),
               "--time", arguments.time, "--threads", str(threads), "--json"]
    if arguments.target:
        command += ["--target", arguments.target]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with exit code {done.returncode}: {done.stderr}")
    answer.write_text(done.stdout)
    return json.loads(done.stdout)


def wrong_target(arguments):
    """Writes a wrong description of this machine."""
    known = json.loads(subprocess.run([arguments.convoy, "targets", "--json"], capture_output=True, text=True,
                                      check=True).stdout)
    target = next(one for one in known if one["name"] == "host")
    target["name"] = "wrong"
    target["fmaPorts"] = 1
    for cache in target["caches"]:
        cache["bytes"] //= 2
    path = arguments.out / "wrong.json"
    path.write_text(json.dumps(target, indent=1))
    return str(path)


def row(model, threads, result):
    """Returns the line of the table and the ratio of tuned to default time."""
    network = result["network"]
    search = result["search"]
    rate = f"{search['trials_per_second']:.1f} (+{search['overhead_seconds_per_trial'] * 1e3:.0f} ms)"
    start = f"| {model} | {threads} | {result['trials']} | {rate} | {result['seconds']:.0f} s |"
    if not network["changed"]:
        return f"{start} | | 1.000 (nothing better found) | |", 1.0
    kept = network["keeps_default"]
    ratio = f"{network['ratio']:.3f}" + (" (kept the default)" if kept else "")
    times = f"{network['before_ms']:.2f} ms | {network['after_ms']:.2f} ms"
    return f"{start} {times} | {ratio} | {network['low']:.3f} .. {network['high']:.3f} |", 1.0 if kept else network["ratio"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("convoy")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--time", default="240s")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--models", default=MODELS)
    described = parser.add_mutually_exclusive_group()
    described.add_argument("--target")
    described.add_argument("--wrong-target", action="store_true")
    parser.add_argument("-o", "--out", type=pathlib.Path, default=pathlib.Path("."))
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    if arguments.wrong_target:
        arguments.target = wrong_target(arguments)
    print("| model | threads | trials | a second | took | default | tuned | tuned / default | 95 % interval |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    ratios = []
    for threads in arguments.threads.split(","):
        for model in arguments.models.split(","):
            line, ratio = row(model, threads, tune(arguments, model, int(threads)))
            print(line, flush=True)
            ratios.append(ratio)
    print(f"\ngeometric mean {math.exp(sum(map(math.log, ratios)) / len(ratios)):.3f}")


if __name__ == "__main__":
    main()
