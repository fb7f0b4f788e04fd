// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is wrong with a command line, in words that name the flag or verb and suggest a spelling.

#pragma once

#include <CLI/CLI.hpp>

namespace convoy::tool {

/// Returns the names of the verbs below `app`.
std::vector<std::string> verbsOf(const CLI::App &app);

/// Returns "unknown verb 'complie'; did you mean compile?".
std::string unknownVerb(const CLI::App &app, const std::string &name);

/// Returns the text for an error that CLI11 threw while `app` parsed, with a hint to the help.
std::string explainError(const CLI::App &app, const CLI::ParseError &error);

} // namespace convoy::tool
