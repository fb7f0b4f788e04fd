# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs convoy once and hashes its output. Reads and writes the files of hash_artifacts.py, which
hold one line per case. Does not depend on the list of cases."""

import collections
import hashlib
import json
import pathlib
import re
import subprocess
import time

# `exit` is text: a number, or "timeout". Hashes are sha256; "-" means no data. `parts` holds a
# prefix of each file's hash, to show which file changed. `facts` holds numbers of the summary.
# `error` is the text of stderr, which is not recorded.
Outcome = collections.namedtuple("Outcome", "exit files stdout stderr parts facts seconds error")
COLUMNS = ["case", "exit", "files", "stdout", "stderr", "parts", "facts", "seconds"]
TIMEOUT_SECONDS = 1800
PART_DIGITS = 8

Recorded = collections.namedtuple("Recorded", "facts models outcomes")


def digest(data):
    return hashlib.sha256(data).hexdigest() if data else "-"


def hash_files(folder, is_portable):
    """Returns one hash of names and contents, and a prefix of each file's hash."""
    whole, parts = hashlib.sha256(), []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        # A library contains the runtime, which each preset compiles with different flags. The
        # header contains the hash of the model's code and weights.
        if is_portable and path.suffix == ".so":
            continue
        name, own = path.relative_to(folder).as_posix(), hashlib.sha256(path.read_bytes()).hexdigest()
        whole.update(f"{name}\0{own}\n".encode())
        parts.append(f"{name}={own[:PART_DIGITS]}")
    return (whole.hexdigest(), " ".join(parts)) if parts else ("-", "-")


def facts_of(stdout):
    """Returns how many kernels matched a tuning record."""
    try:
        records = json.loads(stdout)["records"]
    except (ValueError, KeyError, TypeError):
        return "-"
    return " ".join(f"{key}={records[key]}" for key in ("kernels", "tuned", "kept"))


def run(convoy, arguments, folder, is_portable):
    """Runs convoy in a folder. The result is the files that it writes to out/ in this folder;
    stdout and stderr go to files beside out/."""
    output = folder / "out"
    output.mkdir()
    begin = time.monotonic()
    try:
        done = subprocess.run([convoy, *arguments], cwd=folder, capture_output=True, stdin=subprocess.DEVNULL,
                              timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        return Outcome("timeout", "-", "-", "-", "-", "-", time.monotonic() - begin, "")
    (folder / "stdout").write_bytes(done.stdout)
    (folder / "stderr").write_bytes(done.stderr)
    stdout = done.stdout
    if is_portable:
        stdout = re.sub(rb'"library_bytes": \d+', b'"library_bytes": 0', stdout)
    files, parts = hash_files(output, is_portable)
    return Outcome(str(done.returncode), files, digest(stdout), digest(done.stderr), parts, facts_of(stdout),
                   time.monotonic() - begin, done.stderr.decode(errors="replace"))


def host_hash(convoy):
    """Returns a hash of the description of the target `host`, which identifies the machine."""
    done = subprocess.run([convoy, "targets", "--json"], check=True, capture_output=True)
    host = [target for target in json.loads(done.stdout) if target["name"] == "host"]
    return digest(json.dumps(host, sort_keys=True).encode())


def write(path, facts, models, outcomes, has_seconds):
    """Writes `facts` as the first lines, then the cases in the order of their names."""
    lines = [f"# {key} {value}" for key, value in facts.items()]
    lines += [f"# model {name} {value}" for name, value in sorted(models.items())]
    lines.append("# " + "\t".join(COLUMNS if has_seconds else COLUMNS[:-1]))
    for name, outcome in sorted(outcomes.items()):
        fields = [name, *outcome[:6]] + ([f"{outcome.seconds:.1f}"] if has_seconds else [])
        lines.append("\t".join(fields))
    pathlib.Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")


def read(path):
    facts, models, outcomes = {}, {}, {}
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        if line.startswith("# model "):
            _, _, name, value = line.split()
            models[name] = value
        elif line.startswith("# case\t"):
            continue
        elif line.startswith("# "):
            key, _, value = line[2:].partition(" ")
            facts[key] = value
        else:
            name, *fields = line.split("\t")
            seconds = float(fields[6]) if len(fields) > 6 else 0
            outcomes[name] = Outcome(*fields[:6], seconds, "")
    return Recorded(facts, models, outcomes)


def differences(old, new):
    """Returns sentences that describe how two outcomes differ; empty if they are equal."""
    found = []
    if old.exit != new.exit:
        found.append(f"exit code {new.exit}, recorded {old.exit}")
    if old.facts != new.facts:
        found.append(f"records: {new.facts}, recorded {old.facts}")
    if old.files != new.files:
        found.append("files differ: " + changed_parts(old.parts, new.parts))
    found += [f"{part} differs" for part in ("stdout", "stderr") if getattr(old, part) != getattr(new, part)]
    return found


def changed_parts(old, new):
    before, after = (dict(part.rsplit("=", 1) for part in text.split(" ") if "=" in part) for text in (old, new))
    words = [f"{name} is new" for name in after if name not in before]
    words += [f"{name} is not written" for name in before if name not in after]
    return ", ".join(words + [name for name in after if before.get(name, after[name]) != after[name]])
