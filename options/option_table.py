# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the table of options: the records of Options.td, which llvm-tblgen prints as JSON."""

import json
import os
import subprocess

FOLDER = os.path.dirname(os.path.abspath(__file__))
TABLEGEN = "/usr/lib/llvm-19/bin/llvm-tblgen"


class Record:
    """A record of TableGen. Attributes are its fields; a field that names a record is that record."""

    def __init__(self, table, name):
        self._table = table
        self._fields = table.json[name]
        self.id = name

    def __getattr__(self, field):
        return self._table.resolve(self._fields[field])

    def isa(self, name):
        return name in self._fields["!superclasses"]

    @property
    def place(self):
        """File and line, the order of the table."""
        path, line = self._fields["!locs"][0].rsplit(":", 1)
        return os.path.basename(path), int(line)


class Entry:
    """An option of a verb, with the differences of the verb applied."""

    def __init__(self, record, verb):
        use = record if record.isa("Use") else None
        self.option = use.option if use else record
        self.names = self.option.names
        self.kind = self.option.kind
        self.help = record.help
        self.is_rare = bool(record.isRare)
        self.is_required = bool(record.isRequired)
        is_allowed = use and use.isAllowed
        self.is_refused = bool(use and use.isRefused
                               or verb.refusesCpuFlags and self.option.changesCpuCode and not is_allowed)
        self.initial = use.initial if use else ""
        self.path = (use.path if use else "") or self.option.owner.path

    @property
    def flags(self):
        """The spellings of the flag; none for an argument without a flag."""
        return [name for name in self.names.split(",") if name.startswith("-")]


class Table:
    def __init__(self, records):
        self.json = records
        self._known = {}

    def record(self, name):
        return self._known.setdefault(name, Record(self, name))

    def resolve(self, value):
        if isinstance(value, list):
            return [self.resolve(element) for element in value]
        return self.record(value["def"]) if isinstance(value, dict) and "def" in value else value

    def all(self, *classes):
        """The records of some classes, in the order of the table."""
        names = {name for base in classes for name in self.json["!instanceof"].get(base, ())}
        return sorted((self.record(name) for name in names if not self.json[name]["!anonymous"]), key=lambda record: record.place)

    @property
    def verbs(self):
        return self.record("Convoy").verbs

    def entries(self, verb):
        return [Entry(record, verb) for record in verb.entries if not record.isa("Alias")]

    def aliases(self, verb):
        return [record for record in verb.entries if record.isa("Alias")]

    def keywords(self, function):
        """The options that are keywords of a Python function."""
        return [option for option in self.all("Option") if option.python.name and option.python.function == function]


def read_table(tablegen=TABLEGEN):
    """Runs llvm-tblgen. Raises CalledProcessError if the table has an error."""
    command = [tablegen, "--dump-json", "-I", FOLDER, os.path.join(FOLDER, "Options.td")]
    return Table(json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout))
