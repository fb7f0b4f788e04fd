// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates errors of CLI11. Values are read by FlagKinds.cpp, whose errors pass as they are.

#include "tools/convoy/arguments/ArgumentErrors.h"
#include "Support/NearestName.h"
#include "tools/convoy/arguments/HelpText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace convoy::tool {
namespace {

/// Returns the verb that the arguments name, the innermost one, or `app`.
const CLI::App &parsedVerb(const CLI::App &app) {
  std::vector<const CLI::App *> verbs = app.get_subcommands([](const CLI::App *) { return true; });
  auto found = llvm::find_if(verbs, [](const CLI::App *verb) { return verb->parsed(); });
  return found == verbs.end() ? app : parsedVerb(**found);
}

std::string didYouMean(const std::string &name) {
  return name.empty() ? "" : "; did you mean " + name + "?";
}

std::string unknownFlag(const CLI::App &verb, llvm::StringRef argument) {
  std::vector<std::string> names;
  for (const CLI::Option *option : verb.get_options()) {
    for (const std::string &name : option->get_lnames()) {
      if (option->get_group() != kHiddenFlags) {
        names.push_back(name);
      }
    }
  }
  llvm::StringRef flag = argument.split('=').first;
  std::string nearest = nearestName(flag.ltrim('-'), names);
  return "unknown flag " + flag.str() + didYouMean(nearest.empty() ? "" : "--" + nearest);
}

/// The name of a flag or argument as the help shows it.
std::string shownName(const CLI::App &verb, const std::string &name) {
  const CLI::Option *option = verb.get_option_no_throw(name);
  return option && option->get_positional() ? option->get_type_name() : name;
}

std::string missing(const CLI::App &verb, llvm::StringRef text) {
  if (!verbsOf(verb).empty()) {
    return "`" + commandOf(verb) + "` expects a verb: " + llvm::join(verbsOf(verb), ", ");
  }
  llvm::StringRef name = text.split(' ').first;
  return shownName(verb, name.str()) + " is required";
}

/// A flag without its value, or given too often.
std::string mismatch(const CLI::App &verb, llvm::StringRef text) {
  std::string name = text.split(':').first.str();
  const CLI::Option *option = verb.get_option_no_throw(name);
  if (text.ends_with("missing")) {
    return name + ": expected a value" + (option ? " (" + option->get_type_name() + ")" : "") +
           ", got none";
  }
  return option ? name + ": expected once, got " + std::to_string(option->count()) + " times"
                : text.str();
}

std::string explain(const CLI::App &app, const CLI::App &verb, const CLI::ParseError &error) {
  std::vector<std::string> extras = app.remaining(/*recurse=*/true);
  for (const std::string &extra : extras) {
    if (extra.size() > 1 && extra[0] == '-') {
      return unknownFlag(verb, extra);
    }
  }
  auto code = static_cast<CLI::ExitCodes>(error.get_exit_code());
  if (code == CLI::ExitCodes::RequiredError) {
    return !extras.empty() && !verbsOf(verb).empty() ? unknownVerb(verb, extras.front())
                                                     : missing(verb, error.what());
  }
  if (code == CLI::ExitCodes::ArgumentMismatch) {
    return mismatch(verb, error.what());
  }
  if (code == CLI::ExitCodes::ExtrasError && !extras.empty()) {
    return "unexpected argument '" + extras.front() + "'";
  }
  return error.what();
}

} // namespace

std::vector<std::string> verbsOf(const CLI::App &app) {
  std::vector<std::string> names;
  for (const CLI::App *verb : app.get_subcommands([](const CLI::App *) { return true; })) {
    names.push_back(verb->get_name());
  }
  return names;
}

std::string unknownVerb(const CLI::App &app, const std::string &name) {
  std::vector<std::string> verbs = verbsOf(app);
  std::string nearest = nearestName(name, verbs);
  return "unknown verb '" + name + "'" +
         (nearest.empty() ? "; expected " + llvm::join(verbs, ", ") : didYouMean(nearest));
}

std::string explainError(const CLI::App &app, const CLI::ParseError &error) {
  const CLI::App &verb = parsedVerb(app);
  return explain(app, verb, error) + "\nsee `" + commandOf(verb) + " --help`";
}

} // namespace convoy::tool
