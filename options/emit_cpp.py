# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The C++ that the table of options generates: the structs of requests and verbs, the flags of the
verbs, and the assignments between them."""

import json
import re
import textwrap

LICENSE = "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n//\n"
WIDTH = 100


def quoted(text):
    return json.dumps(text)


def comment(text, indent=""):
    return "".join(f"{indent}/// {line}\n" for line in textwrap.wrap(text, WIDTH - len(indent) - 4, break_on_hyphens=False))


# -- convoy/options.h ----------------------------------------------------------


def enum_text(enum):
    if not any(value.doc for value in enum.values):
        return f"{comment(enum.doc)}enum class {enum.id} {{ {', '.join(value.name for value in enum.values)} }};\n"
    width = max(len(value.name) for value in enum.values if value.doc) + 1
    lines = "".join("  " + (f"{value.name + ',':{width}} ///< {value.doc}" if value.doc else value.name + ",") + "\n" for value in enum.values)
    return f"{comment(enum.doc)}enum class {enum.id} {{\n{lines}}};\n"


def request_member(record):
    type_name = record.requestType or record.kind.type
    initial = "" if record.isa("Option") and record.requestType else record.initial
    member = record.request.rsplit(".", 1)[1]
    return f"{comment(record.doc, '  ')}  {type_name} {member}{' = ' + initial if initial else ''};\n"


def request_struct(table, struct):
    members = [record for record in table.all("Option", "RequestField") if record.request.rpartition(".")[0] == struct.path]
    return f"{comment(struct.doc)}struct {struct.id} {{\n{''.join(map(request_member, members))}}};\n"


def request_header(table):
    parts = [enum_text(record) if record.isa("Enum") else request_struct(table, record) for record in table.all("Enum", "RequestStruct")]
    return (LICENSE + "// The members of a request that options set, and their values. Generated from options/Request.td.\n\n"
            "#pragma once\n\n#include \"convoy/tensor.h\"\n#include <cstdint>\n#include <map>\n#include <optional>\n"
            "#include <string>\n#include <vector>\n\nnamespace convoy {\n\n" + "\n".join(parts) + "\n} // namespace convoy\n")


# -- tools/convoy --------------------------------------------------------------


def section(name, text):
    """A part of a file that a macro selects, as in the files of TableGen."""
    return f"#ifdef {name}\n#undef {name}\n{text}#endif // {name}\n"


def section_name(struct):
    """GET_BUILD_FLAGS of BuildFlags."""
    return "GET" + re.sub(r"(?=[A-Z])", "_", struct.id).upper()


def flag_member(option):
    initial = f" = {option.initial}" if option.initial else ""
    return f"{option.kind.type} {option.member}{initial};{' // ' + option.comment if option.comment else ''}\n"


def struct_members(table, struct):
    members = {}
    for option in table.all("Option"):
        if option.owner is struct and option.kind.type and option.member.isidentifier():
            members.setdefault(option.member, flag_member(option))
    return "".join(members.values())


def assignments(table, struct):
    lines = [f"  request.{option.request} = flags.{option.member};\n" for option in table.all("Option")
             if option.owner is struct and option.request and option.isCopied]
    return f"void setOptions(const {struct.id} &flags, CompileRequest &request) {{\n{''.join(lines)}}}\n"


def flag_names(table, name, property_name):
    flags = ", ".join(quoted(option.names) for option in table.all("Option") if getattr(option, property_name))
    return f"static constexpr const char *{name}[] = {{{flags}}};\n"


def options_inc(table):
    """The members of the structs of Options.h and the assignments to a request."""
    structs = [struct for struct in table.all("Struct") if not struct.isa("LibraryStruct")]
    parts = [section(section_name(struct), struct_members(table, struct)) for struct in structs]
    parts.append(section("GET_REQUEST_ASSIGNMENTS", "".join(
        assignments(table, table.record(name)) for name in ("BuildFlags", "CompileFlags"))))
    parts.append(section("GET_NAMES_OF_CPU_FLAGS", flag_names(table, "kCpuFlags", "changesCpuCode")))
    parts.append(section("GET_OLD_NAMES", old_names(table)))
    parts.append(section("GET_NAMES_OF_IMAGE_FLAGS", flag_names(table, "kImageFlags", "readsImages")))
    return LICENSE + "// Generated from options/.\n\n" + "\n".join(parts)


def flag_call(entry):
    """The call of FlagKinds.h that adds a flag."""
    option, kind = entry.option, entry.kind
    group = "everyday" if entry.is_listed and not entry.is_rare else "rare" if entry.is_listed else "hidden"
    member = f"o.{entry.path}{option.member}" if option.member else "line.isQuiet"
    arguments = [quoted(option.names), member, *kind.arguments, quoted(entry.help)]
    is_argument = not entry.flags
    if is_argument:
        arguments.append(str(entry.is_required).lower())
    required = "->required()" if entry.is_required and not is_argument else ""
    initial = f"  {member} = {entry.initial};\n" if entry.initial else ""
    return f"{initial}  {group}.{kind.method}({', '.join(arguments)}){required};\n"


def verb_body(table, verb):
    lines = [flag_call(entry) for entry in table.entries(verb)]
    checks = "".join(f" {check};" for check in verb.checks)
    callback = f"  verb.callback([shared, &o, &verb] {{{checks} }});\n" if checks else ""
    return "".join(lines) + callback


def verb_function(table, verb):
    """The function that adds a verb to its parent; for a group, first the functions of its verbs."""
    head = f"static void add{verb.id}(CommandLine &line, CLI::App &parent) {{\n"
    added = f"line.addVerb(parent, {quoted(verb.name.split()[-1])}, {quoted(verb.help)},"
    if not verb.run:
        below = table.below(verb)
        calls = "".join(f"  add{other.id}(line, group);\n" for other in below)
        return ("".join(verb_function(table, other) for other in below)
                + f"{head}  CLI::App &group = {added} nullptr);\n  group.require_subcommand(1);\n{calls}}}\n")
    action = f"shared->action = {verb.owner.id}::Action::{verb.action}; " if verb.action else ""
    return (f"{head}  auto shared = std::make_shared<{verb.owner.id}>();\n  {verb.owner.id} &o = *shared;\n"
            f"  CLI::App &verb = {added}\n"
            f"      [shared](Console &console) {{ {action}return {verb.run}(*shared, console); }});\n"
            "  Flags everyday = line.everyday(verb), rare = line.rare(verb), hidden = line.hidden(verb);\n"
            f"  (void)rare, (void)hidden;\n{verb_body(table, verb)}}}\n")


def row(*fields):
    return "    {" + ", ".join(fields) + "},\n"


def old_names(table):
    """The tables of OldNames.cpp."""
    flags = "".join(row(quoted(verb.name), quoted(old.was), quoted(old.now)) for verb in table.verbs for old in table.old_flags(verb))
    values = "".join(row(quoted(verb.name), *map(quoted, old)) for verb in table.verbs for old in table.old_values(verb))
    verbs = "".join(row(quoted(old.was), quoted(old.now), old.condition or "nullptr") for old in table.all("OldVerb"))
    return (f"static constexpr OldFlag kOldFlags[] = {{\n{flags}}};\nstatic constexpr OldValue kOldValues[] = {{\n{values}}};\n"
            f"static constexpr OldVerb kOldVerbs[] = {{\n{verbs}}};\n")


def verbs_inc(table):
    """The functions that add the verbs with their flags."""
    top = [verb for verb in table.verbs if " " not in verb.name]
    functions = "\n".join(verb_function(table, verb) for verb in top)
    tool_flags = "".join(f"  line.app.{flag.method}({quoted(flag.names)}, {quoted(flag.help)});\n" for flag in table.all("ToolFlag"))
    verbs = "".join(f"  add{verb.id}(line, line.app);\n" for verb in top)
    return (LICENSE + "// Generated from options/.\n\n" + functions
            + f"\nstatic void addAll(CommandLine &line) {{\n{tool_flags}{verbs}}}\n")


# -- compiler/Driver -----------------------------------------------------------


def stages_inc(table):
    """The assignments from a request to the options of the stages."""
    lines = "".join(f"options.{option.stage} = {option.stageValue.replace('$value', 'request.' + option.request)};\n"
                    for option in table.all("Option") if option.stage)
    return LICENSE + "// Generated from options/.\n\n" + lines


def key_inc(table):
    """The members of a request for the key of the cache. A new member is in the key without further work."""
    lines = "".join(f"key.add({quoted(record.request)}, request.{record.request});\n"
                    for record in table.all("Option", "RequestField") if record.request and record.request != "output.limits")
    return LICENSE + "// Generated from options/.\n\n" + lines


def python_inc(table):
    """The assignments from the values of Python to a request."""
    casts = {"text": "std::string", "integer": "int64_t", "bool": "bool", "number": "double"}
    lines = []
    for option in table.keywords("compile"):
        kind = option.kind.python
        if option.request and option.isCopied and not option.python.convert and kind:
            value = f"values[\"{option.python.name}\"].cast<{casts.get(kind, 'int')}>()"
            lines.append(f"request.{option.request} = " + (f"static_cast<{option.kind.type}>({value});\n" if kind == "choice" else f"{value};\n"))
    return LICENSE + "// Generated from options/.\n\n" + "".join(lines)


def given_inc(table, owner, variable):
    """The assignments from the values of Python to the members of a library's struct. None keeps a member."""
    lines = []
    casts = {"count": "int64_t", "size": "int64_t", "percent": "double", "duration": "double", "numbers": "std::vector<double>", "text": "std::string"}
    for option in table.all("Option"):
        if not option.owner or option.owner.id != owner:
            continue
        key, kind, member = quoted(option.python.name), option.kind, f"{variable}.{option.member}"
        if kind.method == "choice" and kind.words != ["on", "off"]:
            pairs = kind.arguments[0].strip()
            lines.append(f"setWord(values, {key}, {member}, {pairs});\n")
        elif kind.method == "resize":
            lines.append(f"if (!values[{key}].is_none()) {{\n  {member} = *io::parseResize(values[{key}].cast<std::string>());\n}}\n")
        else:
            cast = casts.get(kind.method, "bool")
            lines.append(f"if (!values[{key}].is_none()) {{\n  {member} = values[{key}].cast<{cast}>();\n}}\n")
    return LICENSE + "// Generated from options/.\n\n" + "".join(lines)


def image_inc(table):
    return given_inc(table, "ImageFlags", "image")


def quantize_inc(table):
    return given_inc(table, "QuantizeOptions", "options")


def search_inc(table):
    """The assignments from the values of Python to a tuning::NetworkSearch."""
    lines = (f"search.{option.member} = values[\"{option.python.name}\"].cast<decltype(search.{option.member})>();\n"
             for option in table.keywords("tune"))
    return LICENSE + "// Generated from options/.\n\n" + "".join(lines)
