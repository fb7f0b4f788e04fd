// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CLI11's formatter without its notes on types, ranges and defaults: the help says what matters.

#include "tools/convoy/arguments/HelpText.h"
#include "llvm/ADT/StringExtras.h"

namespace convoy::tool {
namespace {

constexpr size_t kColumn = 30, kWidth = 100;

/// Puts `text` into the right column.
std::string row(const std::string &left, llvm::StringRef text) {
  std::string result = "  " + left;
  size_t at = result.size();
  if (at + 1 > kColumn) {
    result += "\n" + std::string(kColumn, ' ');
    at = kColumn;
  } else {
    result.resize(kColumn, ' ');
    at = kColumn;
  }
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, ' ', -1, /*KeepEmpty=*/false);
  bool isFirst = true;
  for (llvm::StringRef word : words) {
    if (!isFirst && at + 1 + word.size() > kWidth) {
      result += "\n" + std::string(kColumn, ' ');
      at = kColumn;
      isFirst = true;
    }
    result += (isFirst ? "" : " ") + word.str();
    at += word.size() + (isFirst ? 0 : 1);
    isFirst = false;
  }
  return result + "\n";
}

/// "-o, --output DIR", "--json[=FILE]", "MODEL".
std::string leftOf(const CLI::Option &option, bool isPositional) {
  if (isPositional) {
    return option.get_type_name();
  }
  std::vector<std::string> names;
  for (const std::string &name : option.get_snames()) {
    names.push_back("-" + name);
  }
  for (const std::string &name : option.get_lnames()) {
    names.push_back("--" + name);
  }
  std::string value = option.get_type_size() == 0 ? "" : " " + option.get_type_name();
  return llvm::join(names, ", ") +
         (option.get_option_text().empty() ? value : option.get_option_text());
}

} // namespace

std::string commandOf(const CLI::App &verb) {
  return verb.get_parent() ? commandOf(*verb.get_parent()) + " " + verb.get_name()
                           : verb.get_name();
}

HelpText::HelpText(bool isAll) : isAll(isAll) {
  label("Positionals", "Arguments");
  label("SUBCOMMAND", "VERB");
}

std::string HelpText::make_help(const CLI::App *app, std::string name,
                                CLI::AppFormatMode mode) const {
  std::string text = Formatter::make_help(app, std::move(name), mode);
  for (size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;) {
    text.erase(at, 1);
  }
  text = llvm::StringRef(text).rtrim('\n').str() + "\n";
  size_t rare =
      app->get_options([](const CLI::Option *option) { return option->get_group() == kRareFlags; })
          .size();
  return isAll || rare == 0
             ? text
             : text + "\n`" + commandOf(*app) + " --help-all` lists " + std::to_string(rare) +
                   (rare == 1 ? " more flag.\n" : " more flags.\n");
}

std::string HelpText::make_group(std::string group, bool isPositional,
                                 std::vector<const CLI::Option *> options) const {
  bool isHidden = group == kHiddenFlags || (group == kRareFlags && !isAll);
  return isHidden ? "" : Formatter::make_group(std::move(group), isPositional, std::move(options));
}

std::string HelpText::make_option(const CLI::Option *option, bool isPositional) const {
  return row(leftOf(*option, isPositional), option->get_description());
}

std::string HelpText::make_option_usage(const CLI::Option *option) const {
  std::string name = option->get_type_name();
  return option->get_required() || name[0] == '[' ? name : "[" + name + "]";
}

std::string HelpText::make_subcommand(const CLI::App *verb) const {
  return row(verb->get_name(), verb->get_description());
}

} // namespace convoy::tool
