// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts the verbs together, in the order of the help.

#include "CommandLine.h"
#include "Arguments.h"

namespace convoy::tool {

CommandLine::CommandLine(bool isAll)
    : app("Compile ONNX models to native code, C source or programs of accelerators.", "convoy") {
  app.formatter(std::make_shared<HelpText>(isAll));
  app.require_subcommand(1);
  app.set_help_flag("-h,--help", "Print the everyday flags and exit.");
  app.set_help_all_flag("--help-all", "Print every flag and exit.");
  app.add_flag("--help-stages", "List the stages of a compilation and exit; with --markdown, print "
                                "the list as a Markdown table.");
  app.add_flag("--version", "Print the version of Convoy and LLVM and exit; with --json[=FILE], "
                            "as JSON.");
  for (void (*add)(CommandLine &) :
       {addCompile, addRun, addCheck, addBench, addQuantize, addTune, addJobs, addDevices,
        addRecords, addExplain, addReport, addSweep, addInspect, addOps, addTargets}) {
    add(*this);
  }
  // Set last: a verb copies the footer when it is added.
  app.footer("Run `convoy VERB --help` for the flags of a verb.");
}

CLI::App &CommandLine::addVerb(const char *name, const char *help,
                               std::function<ExitCode(Console &)> run) {
  return addVerb(app, name, help, std::move(run));
}

CLI::App &CommandLine::addVerb(CLI::App &parent, const char *name, const char *help,
                               std::function<ExitCode(Console &)> run) {
  CLI::App *verb = parent.add_subcommand(name, help);
  verb->group("Verbs");
  verbs.push_back({verb, std::move(run)});
  return *verb;
}

void CommandLine::addResultFlags(CLI::App &verb, JsonFlag &json) {
  Flags flags = everyday(verb);
  flags.json(json);
  flags.flag("--quiet", isQuiet,
             "Print no progress and no summary; warnings and errors remain (default: off).");
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
    if (option->get_group() != kOldSpellings) {
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
