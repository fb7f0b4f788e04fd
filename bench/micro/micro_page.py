# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Formats the rows of bench/micro/run: tables in the terminal and the page docs/benchmarks/micro.md."""

COMPARED = ["cortex-m55", "cortex-m4"]  # the targets on which the baseline was measured


def millions(count):
    return f"{count / 1e6:.3f}" if count < 1e6 else f"{count / 1e6:.2f}"


def target_title(target):
    name, _, compiler = target.partition(":")
    return f"{name.replace('cortex-m', 'M').replace('plus', '+')} {compiler or 'gcc'}"


def progress_line(row):
    head = f"{row['network']:8} {row['target']:18}"
    if not row["fits"]:
        return f"{head} does not fit"
    verdict = "equal" if row["equal"] else "WRONG"
    return (f"{head} {row['instructions']:>12,} instructions, RAM {ram(row):>7,}, flash {row['flash_bytes']:>7,}, "
            f"{verdict} on {row['samples']} inputs")


def ram(row):
    """The arena with inputs and outputs, without the stack."""
    return row["workspace_bytes"] + row["input_bytes"] + row["output_bytes"]


def code(row):
    """Flash without weights, biases and multipliers; tables of other layers count as code."""
    return row["flash_bytes"] - (row["weights_bytes"] - row["table_bytes"])


def stored_weights(row):
    """The weights in the flash; the linker merges equal constants."""
    return min(row["weights_bytes"], row["flash_bytes"] - row["code_bytes"])


def render(header, rows):
    return "\n".join(["| " + " | ".join(header) + " |", "|" + "---|" * len(header),
                      *("| " + " | ".join(row) + " |" for row in rows)])


class Page:
    def __init__(self, peers, rows):
        self.peers, self.rows = peers, rows
        self.by_key = {(row["network"], row["target"]): row for row in rows if row["fits"]}
        self.networks = list(dict.fromkeys(row["network"] for row in rows))
        self.targets = list(dict.fromkeys(row["target"] for row in rows))

    def facts(self, network):
        return self.peers["networks"][network]

    def best(self, network, target):
        """The row with the fewest instructions over the compilers of a target, or None."""
        found = [self.by_key[network, name] for name in self.targets
                 if name.split(":")[0] == target and (network, name) in self.by_key]
        return min(found, key=lambda row: row["instructions"], default=None)

    def compared(self):
        """Yields the networks and their best rows on targets with measured peers."""
        for target in COMPARED:
            for network in self.networks:
                row = self.best(network, target)
                if row:
                    yield network, target, row

    def against_peers(self):
        rows = []
        for network, target, row in self.compared():
            peer = self.facts(network)[target]
            least = min(peer[name] for name in ("gcc", "clang") if name in peer)
            rows.append([self.facts(network)["title"], target_title(row["target"]), millions(row["instructions"]),
                         millions(least), f"{row['instructions'] / least:.2f}"])
        return render(["network", "target", "million instructions", "CMSIS-NN", "ratio"], rows)

    def memory(self):
        rows = []
        for network, target, row in self.compared():
            peer = self.facts(network)[target]
            peer_code = peer["flash"] - self.facts(network)["model_bytes"]
            rows.append([self.facts(network)["title"], target_title(row["target"]), f"{row['rows_workspace_bytes']:,}",
                         f"{ram(row):,}", f"{peer['ram']:,}", f"{ram(row) / peer['ram']:.2f}", f"{code(row):,}",
                         f"{peer_code:,}", f"{code(row) / peer_code:.2f}", f"{row['flash_bytes']:,}",
                         f"{peer['flash']:,}"])
        return render(["network", "target", "RAM by rows", "RAM", "baseline", "ratio", "code", "baseline", "ratio", "flash", "baseline"], rows)

    def all_targets(self):
        def cell(network, target):
            row = self.by_key.get((network, target))
            return millions(row["instructions"]) if row else "does not fit"

        return render(["network", *map(target_title, self.targets)],
                      [[self.facts(network)["title"], *(cell(network, target) for target in self.targets)]
                       for network in self.networks])

    def sizes(self):
        rows = [[self.facts(row["network"])["title"], target_title(row["target"]), f"{row['workspace_bytes']:,}",
                 f"{row['input_bytes'] + row['output_bytes']:,}", f"{row['code_bytes']:,}",
                 f"{stored_weights(row):,}", f"{row['flash_bytes'] - row['code_bytes'] - stored_weights(row):,}",
                 f"{row['flash_bytes']:,}"] for row in self.rows if row["fits"]]
        return render(["network", "target", "workspace", "inputs and outputs", "code", "weights", "other constants",
                       "flash"], rows)

    def text(self):
        return "\n\n".join(["", self.against_peers(), self.memory(), self.all_targets()])

    def golden_text(self):
        """How far the reference is from the golden outputs."""
        found = {row["network"]: row.get("golden_difference") for row in self.rows if row["fits"]}
        return ", ".join(f"{self.facts(network)['title']} {difference}" for network, difference in found.items()
                         if difference is not None)

    def markdown(self):
        inputs = max(row["samples"] for row in self.rows if row["fits"])
        compilers = sorted({(target_title(row["target"]), row["compiler"]) for row in self.rows if row["fits"]})
        return f"""# Microcontrollers: instructions, RAM and flash

`bench/micro/run` writes this page. It builds each network for each target and runs it under QEMU. On each target the
outputs have the bytes of `--target=reference` on {inputs} inputs (MNIST: 1 input). Instructions are those of one run on the
first input; they are equal on every machine, and they are not cycles. The largest differences of these outputs from those of
TFLite Micro with single rounding are: {self.golden_text()}. ResNet-8 may differ
by more than 1, because TFLite's ADD rescales three times.

## Against TFLite Micro with CMSIS-NN

The compiler with fewer instructions, on the targets on which the baseline was measured.

{self.against_peers()}

RAM is the workspace with inputs and outputs, without the stack. RAM by rows is the workspace with outputs if a run fetches its
input row by row from a function of the caller (`--io=rows`). Code is the flash of the whole program without weights,
biases and multipliers; it contains start-up code, the transfer of inputs and outputs, and the tables of softmax.

{self.memory()}

Source of the baseline's figures: {self.peers["source"]}

## All targets

Million instructions:

{self.all_targets()}

Bytes:

{self.sizes()}

## Compilers

{render(["target", "command"], [[title, f"`{command}`"] for title, command in compilers])}
"""
