// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// convoy-tuningd, the daemon of the tuning service and its simulation. This file reads the command
// line; Verbs.h lists the verbs.

#include "Verbs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace convoy::tuningd;

/// Returns the verb that the arguments name, or the program.
static std::string commandOf(const CLI::App &app) {
  std::vector<CLI::App *> verbs = app.get_subcommands();
  return app.get_name() + (verbs.empty() ? "" : " " + verbs.front()->get_name());
}

static std::vector<std::string> verbsOf(const CLI::App &app) {
  std::vector<std::string> names;
  for (const CLI::App *verb : app.get_subcommands([](const CLI::App *) { return true; })) {
    names.push_back(verb->get_name());
  }
  return names;
}

static int runTool(int argc, char **argv) {
  CLI::App app{"Runs the tuning service, or simulates its scheduler"};
  app.name("convoy-tuningd");
  app.require_subcommand(1);
  Run run;
  addServe(app, run);
  addSimulate(app, run);
  if (argc > 1 && argv[1][0] != '-' && !llvm::is_contained(verbsOf(app), argv[1])) {
    llvm::errs() << "error: unknown verb '" << argv[1] << "'; expected "
                 << llvm::join(verbsOf(app), ", ") << "\n";
    return kUserError;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &) {
    llvm::outs() << app.help();
    return kDone;
  } catch (const CLI::ParseError &error) {
    llvm::errs() << "error: " << error.what() << "\nsee `" << commandOf(app) << " --help`\n";
    return kUserError;
  }
  return run();
}

int main(int argc, char **argv) {
  try {
    return runTool(argc, argv);
  } catch (const std::exception &error) {
    llvm::errs() << "error: this is a bug in convoy-tuningd: " << error.what() << "\n";
    return kBug;
  }
}
