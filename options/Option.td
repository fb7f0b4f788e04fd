// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The classes of the table of options. options/README.md describes the table; generate_options.py reads it.

#ifndef CONVOY_OPTIONS_OPTION_TD
#define CONVOY_OPTIONS_OPTION_TD

//===----------------------------------------------------------------------===//
// Kinds of values
//===----------------------------------------------------------------------===//

/// A kind of value. `method` is the member function of tools/convoy/arguments/FlagKinds.h that reads the value;
/// `arguments` are its C++ arguments between the member and the help.
class Kind<string method_, string type_, string shown_ = "", list<string> arguments_ = []> {
  string method = method_;
  string type = type_;
  string shown = shown_;            // the value in the help: "FILE"
  list<string> arguments = arguments_;
  list<string> words = [];          // the accepted words, for the completion
  string python = "";               // the function of python/convoy/_request.py that checks a value
}
class ShownKind<string method, string type, string shown>
    : Kind<method, type, shown, ["\"" # shown # "\""]>;

class Text<string shown> : ShownKind<"text", "std::string", shown> { let python = "text"; }
class Texts<string shown> : ShownKind<"texts", "std::vector<std::string>", shown>;
class Pair<string shown> : ShownKind<"pair", "std::vector<std::string>", shown>;
class Words<string shown> : ShownKind<"words", "std::vector<std::string>", shown>;
class PlainName<string shown> : ShownKind<"plainName", "std::string", shown>;
def Urls : Kind<"urls", "std::string", "URL[,URL..]">;
def Toggle : Kind<"flag", "bool"> { let python = "bool"; }
def Json : Kind<"json", "JsonFlag", "[=FILE]">;
def Percent : Kind<"percent", "double", "X%">;
def Size : Kind<"size", "int64_t", "SIZE">;
def Sizes : Kind<"sizes", "std::vector<std::string>", "SIZE[,SIZE..]">;
def Numbers : Kind<"numbers", "std::vector<double>", "X[,X..]">;

/// An integer from `least` to `most`.
class Count<int least_, int most_ = 0x7fffffffffffffff> : Kind<"count", "int64_t", "N"> {
  int least = least_;
  int most = most_;
  let arguments = ["{" # least # ", " # most # "}"];
  let python = "integer";
}
class Counts<int least_, int most_> : Count<least_, most_> {
  let method = "counts";
  let type = "std::vector<int64_t>";
  let shown = "N[,N..]";
}
/// A time span with a unit. `stored` is the unit of the member; `plain` is the unit of a number without a unit,
/// which is deprecated. Both are in seconds.
class Duration<string stored, string plain, string isZeroAllowed = "false">
    : Kind<"duration", "double", "DURATION",
           ["{" # stored # ", " # plain # ", " # isZeroAllowed # "}"]> {
  let python = "number";
}

/// A word and the C++ value that it stands for.
class Word<string word_, string value_> {
  string word = word_;
  string value = value_;
}
/// One of some words.
class Choice<string type, list<Word> choices>
    : Kind<"choice", type, !interleave(!foreach(c, choices, c.word), "|")> {
  let words = !foreach(c, choices, c.word);
  let arguments = ["{" # !interleave(!foreach(c, choices, "{\"" # c.word # "\", " # c.value # "}"), ", ")
                   # "}"];
}
class OnOff<string on = "on", string off = "off">
    : Choice<"bool", [Word<on, "true">, Word<off, "false">]> {
  let python = "bool";
}
/// A name from a table of the program; `names` is a C++ expression.
class Name<string names, string shown> : Kind<"name", "std::string", shown, [names, "\"" # shown # "\""]> {
  let python = "text";
}

/// An enumerator. `word` names it in flags and in Python; an empty word: no option has the value.
class Value<string name_, string word_ = "", string doc_ = ""> {
  string name = name_;
  string word = word_;
  string doc = doc_;
  bit isFlagWord = !ne(word_, "");
}
/// An enumerator that Python has a word for, and the command line omits the flag for.
class Unset<string name, string word> : Value<name, word> { let isFlagWord = 0; }
/// An enum of convoy/options.h.
class Enum<string doc_, list<Value> values_> {
  string doc = doc_;
  list<Value> values = values_;
}
class OneOf<Enum e, string name = !cast<string>(e)>
    : Choice<name, !foreach(v, !filter(v, e.values, v.isFlagWord), Word<v.word, name # "::" # v.name>)> {
  Enum enum = e;
  let python = "choice";
}

/// Arguments without a flag.
class Argument<string shown> : ShownKind<"positional", "std::string", shown>;
class Arguments<string shown> : ShownKind<"positionals", "std::vector<std::string>", shown>;

//===----------------------------------------------------------------------===//
// Structs
//===----------------------------------------------------------------------===//

/// A struct of tools/convoy/Options.h. `path` leads from the struct of the verb to this one.
class Struct<string path_ = ""> { string path = path_; }
/// A struct of a library, which declares its members itself.
class LibraryStruct<string path> : Struct<path>;

/// A struct of convoy/options.h. `path` leads from CompileRequest to it.
class RequestStruct<string path_, string doc_ = ""> {
  string path = path_;
  string doc = doc_;
}
/// A member of a request that no flag sets directly.
class RequestField<string request_, string type_, string doc_, string default_ = ""> {
  string request = request_;
  string requestType = type_;
  string doc = doc_;
  string initial = default_;
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

/// An old value of a flag. Until version 0.4, the command line accepts it with a warning, as it accepts old names.
class OldValue<string was_, string now_> {
  string was = was_;
  string now = now_;
}

/// A keyword of convoy.compile, which the other Python functions that compile have too; an empty name: none.
/// `convert` is a Python expression that replaces the check of the kind; python/compiler/BuildRequest.cpp
/// then reads the value. `compiled` is the default in convoy.compile.
class Keyword<string name_ = "", string type_ = "", string initial_ = "", string doc_ = "",
              string convert_ = "", string compiled_ = initial_> {
  string name = name_;
  string type = type_;
  string initial = initial_;
  string doc = doc_;
  string convert = convert_;
  string compiled = compiled_;
  string function = "compile";
}
def NoKeyword : Keyword;
/// A keyword whose value needs the model; python/convoy/_request.py converts it.
class DataKeyword<string name, string type, string doc> : Keyword<name, type, "None", doc, name>;
/// A keyword of convoy.tune.
class TuneKeyword<string name, string type, string initial, string doc, string convert>
    : Keyword<name, type, initial, doc, convert> {
  let function = "tune";
}

/// What a verb accepts. `differs` says why the default differs from the default of other verbs; the help of each
/// verb states its default.
class Entry { string differs = ""; }

/// An option. `names` is as CLI11 reads it ("-o,--output"), `member` the member of `owner`.
class Option<string names_, string member_, Kind kind_, string help_> : Entry {
  string names = names_;
  string member = member_;
  Kind kind = kind_;
  string help = help_;
  Struct owner = ?;
  string initial = "";       // the C++ initializer of the member
  string comment = "";       // the comment of the member
  bit isRequired = 0;
  /// An option of another struct has the same flag, with the same meaning and default.
  bit sharesFlag = 0;
  /// Old spellings of the flag and of its values, for all verbs that accept the flag.
  list<string> oldNames = [];
  list<OldValue> oldValues = [];

  // The member of CompileRequest that gets the value; empty: code of the tool reads the value.
  string request = "";
  string requestType = "";   // empty: the type of the kind
  string doc = "";           // the comment of the member
  bit isCopied = 1;          // 0: code of the tool sets the member
  // The member of StageOptions that gets `stageValue`; empty: RequestOptions.cpp reads the request.
  string stage = "";
  string stageValue = "$value";

  Keyword python = NoKeyword;
  bit changesCpuCode = 0;    // has no effect on the programs of a device
  bit readsImages = 0;       // needs a flag that names images
}

/// An option with differences for one verb.
class Use<Option o, string help_ = o.help> : Entry {
  Option option = o;
  string help = help_;
  string path = "";          // replaces the path of the owner
  string initial = "";       // replaces the default
  bit isRequired = o.isRequired;
  bit isRefused = 0;         // the verb rejects the flag with a reason, and no help shows it
  bit isAllowed = 0;         // the verb accepts the flag although it has refusesCpuFlags
  bit isHidden = 0;          // the verb accepts the flag, and no help shows it: it is for tests
}
class Required<Option o, string help = o.help> : Use<o, help> { let isRequired = 1; }
class Refused<Option o> : Use<o> { let isRefused = 1; }
class Allowed<Option o, string help = o.help> : Use<o, help> { let isAllowed = 1; }
class Hidden<Option o> : Use<o> { let isHidden = 1; }
/// Old spellings of a flag for one verb, which no help shows.
class Alias<string names_, Option o> : Entry {
  string names = names_;
  Option option = o;
}
/// Old flags whose value is now an argument without a flag.
class ArgumentAlias<string names_> : Entry { string names = names_; }

/// A verb. `owner` is its struct, `run` the function of Verbs.h that gets the struct.
class Verb<string name_, string help_, Struct owner_ = ?, string run_ = name_> {
  string name = name_;       // "records prune"
  string help = help_;
  Struct owner = owner_;
  string run = run_;         // empty: the verb only groups other verbs
  string action = "";        // the value of the member `action`
  list<Entry> entries = [];
  /// The flags that --help lists, at most ten; --help-all lists all flags. Empty: --help lists all flags.
  list<Option> everyday = [];
  list<string> checks = [];  // C++ calls after the parse
  bit refusesCpuFlags = 0;   // the verb rejects the options with changesCpuCode
}

/// An old name of a verb or of a group of verbs. `condition` is a C++ function of the arguments after the verb
/// in tools/convoy/arguments/OldNames.h; without it, the name is always old.
class OldVerb<string was_, string now_, string condition_ = ""> {
  string was = was_;
  string now = now_;
  string condition = condition_;
}

/// A flag of `convoy` without a verb. `method` is the function of CLI::App that adds it.
class ToolFlag<string names_, string help_, string method_ = "add_flag"> {
  string names = names_;
  string help = help_;
  string method = method_;
}

#endif // CONVOY_OPTIONS_OPTION_TD
