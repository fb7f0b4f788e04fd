// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verbs of `convoy` with their flags, which the table of options (options/) lists.

#pragma once

#include "tools/convoy/Verbs.h"
#include "tools/convoy/arguments/FlagKinds.h"
#include "tools/convoy/arguments/HelpText.h"
#include <functional>

namespace convoy::tool {

class CommandLine {
public:
  /// With `isAll`, the help shows every flag, else the everyday flags.
  explicit CommandLine(bool isAll);
  CommandLine(const CommandLine &) = delete;
  CommandLine &operator=(const CommandLine &) = delete;

  /// Adds a verb below `parent`. `run` is called if the command line names the verb.
  CLI::App &addVerb(CLI::App &parent, const char *name, const char *help,
                    std::function<ExitCode(Console &)> run);

  /// Flags that --help shows, and flags that only --help-all shows.
  Flags everyday(CLI::App &verb) { return {verb, kEverydayFlags, warnings}; }
  Flags rare(CLI::App &verb) { return {verb, kRareFlags, warnings}; }
  /// Flags that no help shows: flags for tests, and flags that the verb rejects with a reason.
  Flags hidden(CLI::App &verb) { return {verb, kHiddenFlags, warnings}; }

  /// Runs the verb that was parsed.
  ExitCode call(Console &console) const;

  CLI::App app;
  bool isQuiet = false;
  std::vector<std::string> warnings; // of values in an old form

private:
  struct Verb {
    CLI::App *app;
    std::function<ExitCode(Console &)> run;
  };
  std::vector<Verb> verbs;
};

/// Adds all verbs with their flags, and the flags without a verb.
void addVerbs(CommandLine &line);

} // namespace convoy::tool
