// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// convoy-tuningd, the daemon of the tuning service and its simulation. This file reads the command
// line; Verbs.h lists the verbs.

#include "Verbs.h"
#include "llvm/Support/raw_ostream.h"

using namespace convoy::tuningd;

/// Returns the verb that the arguments name, or the program.
static std::string commandOf(const CLI::App &app) {
  std::vector<CLI::App *> verbs = app.get_subcommands();
  return app.get_name() + (verbs.empty() ? "" : " " + verbs.front()->get_name());
}

static int runTool(int argc, char **argv) {
  CLI::App app{"Runs the tuning service, or simulates its scheduler"};
  app.name("convoy-tuningd");
  app.require_subcommand(1);
  Run run;
  addSimulate(app, run);
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
