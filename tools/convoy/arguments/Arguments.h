// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of `convoy`: reads the arguments and calls the verb.

#pragma once

#include "tools/convoy/Verbs.h"

namespace convoy::tool {

/// Reads the arguments and runs the verb. Help goes to `out`, errors to `err`.
ExitCode runTool(int argc, const char *const *argv, Console &console);

/// A flag, argument or verb as --help-all shows it.
struct FlagDescription {
  std::string verb; // "records prune"; empty: of `convoy` itself
  std::string name; // "--top"; empty: an argument, or the verb
  std::string type; // "FILE"; empty: without a value
  std::string help;
};

/// Returns all flags, arguments and verbs, without old spellings.
std::vector<FlagDescription> describeFlags();

} // namespace convoy::tool
