// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds flags to a verb, one function per kind of value. All values of the command line are read
// here, so every error has the same form: the flag, what was expected, what was found.

#pragma once

#include "tools/convoy/Options.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <CLI/CLI.hpp>

namespace convoy::tool {

/// The smallest and the largest value that a flag accepts.
struct FlagLimits {
  int64_t least, most;
};

/// How a duration is stored, and what a number without a unit means until version 0.4; both in
/// seconds.
struct DurationKind {
  double stored, plain;
  bool isZeroAllowed = false;
};

/// A word of the command line and the value that it stands for.
template <typename Value>
struct FlagWord {
  const char *word;
  Value value;
};

/// Adds flags to `app` in the help group `group`, see HelpText.h.
/// `names` is as CLI11 reads it: "-o,--output".
struct Flags {
  CLI::App &app;
  std::string group;
  std::vector<std::string> &warnings; // gets the warnings for values in an old form

  CLI::Option *text(const char *names, std::string &value, const char *type, const char *help);
  /// A flag with one value that may be repeated.
  CLI::Option *texts(const char *names, std::vector<std::string> &values, const char *type,
                     const char *help);
  /// A flag with two values.
  CLI::Option *pair(const char *names, std::vector<std::string> &values, const char *type,
                    const char *help);
  /// One of some words. `set` takes the index of the word. An empty `type` shows the words.
  CLI::Option *word(const char *names, std::vector<std::string> words,
                    std::function<void(size_t)> set, const char *help, const char *type = "");
  /// One of some words, stored as the value of the word.
  template <typename Value>
  CLI::Option *choice(const char *names, Value &value, std::vector<FlagWord<Value>> choices,
                      const char *help) {
    std::vector<std::string> words;
    for (const FlagWord<Value> &choice : choices) {
      words.push_back(choice.word);
    }
    auto set = [&value, choices = std::move(choices)](size_t i) { value = choices[i].value; };
    return word(names, std::move(words), std::move(set), help);
  }
  /// A name from a table of the compiler, stored as text.
  CLI::Option *name(const char *names, std::string &value, std::vector<std::string> known,
                    const char *type, const char *help);
  template <typename Integer>
  CLI::Option *count(const char *names, Integer &value, FlagLimits range, const char *help) {
    return integer(names, range, help,
                   [&value](int64_t read) { value = static_cast<Integer>(read); });
  }
  CLI::Option *counts(const char *names, std::vector<int64_t> &values, FlagLimits range,
                      const char *help);
  CLI::Option *numbers(const char *names, std::vector<double> &values, const char *help);
  CLI::Option *duration(const char *names, double &value, DurationKind kind, const char *help);
  /// Sizes in bytes, kept as text in the unit that devices read.
  CLI::Option *sizes(const char *names, std::vector<std::string> &values, const char *help);
  /// A share, written as a percentage.
  CLI::Option *percent(const char *names, double &value, const char *help);
  CLI::Option *size(const char *names, int64_t &value, const char *help);
  CLI::Option *words(const char *names, std::vector<std::string> &values, const char *type,
                     const char *help);
  /// The URLs of a service, separated by commas.
  CLI::Option *urls(const char *names, std::string &value, const char *help);
  /// A name of letters, digits, '-', '.' and '_', which a tuning service gives or takes.
  CLI::Option *plainName(const char *names, std::string &value, const char *type, const char *help);
  CLI::Option *flag(const char *names, bool &value, const char *help);
  /// A flag whose value `read` reads.
  CLI::Option *value(const char *names, std::function<void(const std::string &)> read,
                     const char *type, const char *help);

  /// An integer in a range, which `set` keeps.
  CLI::Option *integer(const char *names, FlagLimits range, const char *help,
                       std::function<void(int64_t)> set);

  /// --json[=FILE], which every verb has.
  void json(const char *names, JsonFlag &json, const char *help);
  /// --optimize, which is a parameter of a device in the name of the target, or of each of
  /// `targets`.
  void goal(const char *names, std::string &target, std::vector<std::string> *targets,
            const char *help);
  void resize(const char *names, io::Resize &value, const char *help);
  void positional(const char *name, std::string &value, const char *type, const char *help,
                  bool isRequired);
  void positionals(const char *name, std::vector<std::string> &values, const char *type,
                   const char *help, bool isRequired);
};

/// Whether a text is "https://HOST:PORT[,https://HOST:PORT..]".
bool areUrls(llvm::StringRef text);

/// Throws the error for a value: "--top: expected an integer from 1 to 10, got 'x'".
[[noreturn]] void refuseValue(const std::string &flag, const std::string &expected,
                              const std::string &got);

} // namespace convoy::tool
