// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the parser, calls the verb and describes the flags. VerbFlags.cpp adds the flags.

#include "tools/convoy/arguments/CommandLine.h"
#include "tools/convoy/arguments/Arguments.h"

namespace convoy::tool {

CommandLine::CommandLine(bool isAll)
    : app("Compile ONNX models to native code, C source or programs of accelerators.", "convoy") {
  app.formatter(std::make_shared<HelpText>(isAll));
  app.require_subcommand(1);
  addVerbs(*this);
  // Set last: a verb copies the footer when it is added.
  app.footer("Run `convoy VERB --help` for the flags of a verb.");
}

CLI::App &CommandLine::addVerb(CLI::App &parent, const char *name, const char *help,
                               std::function<ExitCode(Console &)> run) {
  CLI::App *verb = parent.add_subcommand(name, help);
  verb->group("Verbs");
  verbs.push_back({verb, std::move(run)});
  return *verb;
}

ExitCode CommandLine::call(Console &console) const {
  console.isQuiet = isQuiet;
  for (const Verb &verb : verbs) {
    if (verb.run && verb.app->parsed()) {
      return verb.run(console);
    }
  }
  return kUserError;
}

static void describe(const CLI::App &app, const std::string &verb,
                     std::vector<FlagDescription> &list) {
  for (const CLI::Option *option : app.get_options()) {
    if (option->get_group() != kHiddenFlags) {
      FlagDescription &flag = list.emplace_back();
      flag.verb = verb;
      flag.name = option->get_positional() ? "" : option->get_name();
      flag.type = option->get_type_size() == 0 ? "" : option->get_type_name();
      flag.help = option->get_description();
    }
  }
  for (const CLI::App *sub : app.get_subcommands([](const CLI::App *) { return true; })) {
    std::string name = (verb.empty() ? "" : verb + " ") + sub->get_name();
    FlagDescription &described = list.emplace_back();
    described.verb = name;
    described.help = sub->get_description();
    describe(*sub, name, list);
  }
}

std::vector<FlagDescription> describeFlags() {
  std::vector<FlagDescription> list;
  describe(CommandLine(/*isAll=*/true).app, "", list);
  return list;
}

} // namespace convoy::tool
