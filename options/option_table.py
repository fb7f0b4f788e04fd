# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the table of options: the records of Options.td, which llvm-tblgen prints as JSON."""

import json
import os
import re
import subprocess
from collections import namedtuple

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
        self.is_rare = bool(self.flags and verb.everyday and self.option not in verb.everyday)
        self.is_required = bool(record.isRequired)
        is_allowed = use and use.isAllowed
        self.is_refused = bool(use and use.isRefused
                               or verb.refusesCpuFlags and self.option.changesCpuCode and not is_allowed)
        self.is_hidden = bool(use and use.isHidden)
        self.differs = record.differs or self.option.differs
        self.initial = use.initial if use else ""
        self.path = (use.path if use else "") or self.option.owner.path

    @property
    def flags(self):
        """The spellings of the flag; none for an argument without a flag."""
        return [name for name in self.names.split(",") if name.startswith("-")]

    @property
    def is_listed(self):
        """Whether a help lists the entry."""
        return not self.is_refused and not self.is_hidden


OldFlag = namedtuple("OldFlag", "was now")  # an empty `now`: the value is an argument
OldValue = namedtuple("OldValue", "flag was now")


def flag_keyword(names):
    """The Python keyword of a flag: input_shape of "--input-shape"."""
    return names.split(",")[-1].lstrip("-").replace("-", "_")


# The units of durations in seconds, and the Python types of the kinds of values.
UNITS = {1: "seconds", 1e-3: "milliseconds", 1e-6: "microseconds", 1e-9: "nanoseconds"}
TYPES = {"count": "int", "percent": "str", "size": "Union[int, str]", "duration": "Union[float, str]", "text": "Union[str, os.PathLike[str]]",
         "numbers": "Union[float, Sequence[float]]", "resize": "Union[int, str]", "choice": "str"}
# The structs whose options are keywords of a Python function without a row `python`. Their default is None.
DERIVED = {"ImageFlags": "compile", "QuantizeOptions": "quantize"}


def units(kind):
    """The units of a duration in seconds: of the member, and of a number without a unit."""
    numbers = [float(number) for number in re.findall(r"[\d.]+(?:e-\d+)?", kind["arguments"][0])]
    return numbers[0], numbers[-1]


def is_on_off(kind):
    return kind["words"] == ["on", "off"]


def derive_keyword(records, name, function):
    """Gives an option a keyword with the words of its help."""
    option = records[name]
    kind = records[option["kind"]["def"]]
    text = re.sub(r"--([a-z0-9-]+)", lambda match: match[1].replace("-", "_"), option["help"])
    keyword = dict(name=flag_keyword(option["names"]), type=f"Optional[{'bool' if is_on_off(kind) else TYPES[kind['method']]}]",
                   initial="None", compiled="None", doc=text[0].lower() + text[1:], convert="", function=function)
    records[f"{name}Keyword"] = dict(keyword, old=keyword["name"], **{"!superclasses": ["Keyword"]})
    option["python"] = {"def": f"{name}Keyword"}


def name_keywords(records):
    """Gives each Python keyword the name of its flag. `old` is the name in the table, which Python accepts until
    version 0.4. A duration is a number, or a text with a unit."""
    for name in records["!instanceof"]["Option"]:
        option = records[name]
        kind = records[option["kind"]["def"]]
        owner = (option["owner"] or {}).get("def")
        if owner in DERIVED:
            derive_keyword(records, name, DERIVED[owner])
            continue
        keyword = records[option["python"]["def"]]
        if not keyword["name"] or "old" in keyword:
            continue
        keyword["old"], keyword["name"] = keyword["name"], flag_keyword(option["names"])
        keyword["convert"] = re.sub(rf"\b{keyword['old']}\b", keyword["name"], keyword["convert"])
        if kind["method"] == "duration":
            keyword["convert"], keyword["type"] = "", TYPES["duration"]
            keyword["doc"] = f"{keyword['doc'].rstrip('.')}; a number in {UNITS[units(kind)[1]]}, or a text such as \"25ms\" or \"10m\"."


class Table:
    def __init__(self, records):
        name_keywords(records)
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
        return [Entry(record, verb) for record in verb.entries if record.isa("Option") or record.isa("Use")]

    def below(self, verb):
        """The verbs of a group."""
        return [other for other in self.verbs if other.name.rpartition(" ")[0] == verb.name]

    @property
    def groups(self):
        return [verb for verb in self.verbs if not verb.run]

    def old_flags(self, verb):
        """The old spellings of flags that a verb accepts."""
        renamed = [OldFlag(was, entry.flags[-1]) for entry in self.entries(verb) for was in entry.option.oldNames]
        own = [OldFlag(was, last_name(record.option)) for record in verb.entries if record.isa("Alias")
               for was in record.names.split(",")]
        return renamed + own + [OldFlag(was, "") for record in verb.entries if record.isa("ArgumentAlias")
                                for was in record.names.split(",")]

    def old_values(self, verb):
        """The old values of flags that a verb accepts."""
        return [OldValue(entry.flags[-1], value.was, value.now) for entry in self.entries(verb) for value in entry.option.oldValues]

    def keywords(self, function):
        """The options that are keywords of a Python function."""
        return [option for option in self.all("Option") if option.python.name and option.python.function == function]

    def old_keywords(self, function):
        """{old name: name} of the keywords of a Python function."""
        return {option.python.old: option.python.name for option in self.keywords(function) if option.python.old != option.python.name}


def last_name(option):
    """"--output" of "-o,--output"."""
    return option.names.split(",")[-1]


def read_table(tablegen=TABLEGEN):
    """Runs llvm-tblgen. Raises CalledProcessError if the table has an error."""
    command = [tablegen, "--dump-json", "-I", FOLDER, os.path.join(FOLDER, "Options.td")]
    return Table(json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout))
