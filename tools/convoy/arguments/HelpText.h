// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout of --help and --help-all: a flag with its value on the left, what the flag does on
// the right, in lines of at most 100 characters.

#pragma once

#include <CLI/CLI.hpp>

namespace convoy::tool {

/// The groups of flags. CLI11 forgets the name of a flag in a group without a name, so hidden flags
/// have a group that the help leaves out.
constexpr const char *kEverydayFlags = "Options";
constexpr const char *kRareFlags = "More options";     // in --help-all only
constexpr const char *kHiddenFlags = "Hidden options"; // in no help

/// Returns the words that start a verb: "convoy records prune".
std::string commandOf(const CLI::App &verb);

class HelpText : public CLI::Formatter {
public:
  explicit HelpText(bool isAll);

  /// Returns the help of an app, with one empty line between parts.
  std::string make_help(const CLI::App *app, std::string name,
                        CLI::AppFormatMode mode) const override;

private:
  std::string make_group(std::string group, bool isPositional,
                         std::vector<const CLI::Option *> options) const override;
  std::string make_option(const CLI::Option *option, bool isPositional) const override;
  std::string make_option_usage(const CLI::Option *option) const override;
  std::string make_subcommand(const CLI::App *verb) const override;

  bool isAll;
};

} // namespace convoy::tool
