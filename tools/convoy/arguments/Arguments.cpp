// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the command line of `convoy` and calls the verb. The verbs and their flags are in
// CommandLine.h.

#include "tools/convoy/arguments/Arguments.h"
#include "tools/convoy/LockFile.h"
#include "tools/convoy/arguments/ArgumentErrors.h"
#include "tools/convoy/arguments/CommandLine.h"
#include "tools/convoy/arguments/OldNames.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::tool {
namespace {

using Arguments = std::vector<std::string>;

bool has(const Arguments &arguments, llvm::StringRef flag) {
  return llvm::is_contained(arguments, flag);
}

/// Joins `bench --json FILE`, the form of version 0.1, to --json=FILE. An argument that ends in
/// .onnx is a model.
void joinOldJson(Arguments &arguments, Console &console) {
  if (arguments.empty() || arguments.front() != "bench") {
    return;
  }
  auto at = llvm::find(arguments, "--json");
  if (at == arguments.end() || at + 1 == arguments.end()) {
    return;
  }
  llvm::StringRef file = *(at + 1);
  if (file.starts_with("-") || file.ends_with(".onnx")) {
    return;
  }
  console.err << "warning: `--json FILE` is deprecated and ends with version 0.3; write --json="
              << file << "\n";
  *at += "=" + file.str();
  arguments.erase(at + 1);
}

/// Returns the value of --json[=FILE].
JsonFlag jsonOf(const Arguments &arguments) {
  JsonFlag json;
  for (llvm::StringRef argument : arguments) {
    if (argument == "--json") {
      json.to = JsonFlag::kStdout;
    } else if (argument.consume_front("--json=")) {
      json.to = argument.str();
    }
  }
  return json;
}

ExitCode runVerb(const Arguments &arguments, Console &console) {
  bool isAll = has(arguments, "--help-all");
  CommandLine line(isAll);
  if (!arguments.empty() && arguments[0].rfind('-', 0) != 0 &&
      !has(verbsOf(line.app), arguments[0])) {
    return fail(llvm::createStringError(unknownVerb(line.app, arguments[0])), console);
  }
  try {
    line.app.parse(Arguments(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success &) {
    console.out << line.app.help("", isAll ? CLI::AppFormatMode::All : CLI::AppFormatMode::Normal);
    return kDone;
  } catch (const CLI::ParseError &error) {
    return fail(llvm::createStringError(explainError(line.app, error)), console);
  }
  for (const std::string &warning : line.warnings) {
    console.err << warning;
  }
  return line.call(console);
}

/// Replaces `convoy help VERB` by `convoy VERB --help`.
void replaceHelp(Arguments &arguments) {
  if (!arguments.empty() && arguments.front() == "help") {
    arguments.erase(arguments.begin());
    arguments.push_back("--help");
  }
}

} // namespace

ExitCode runTool(int argc, const char *const *argv, Console &console) {
  Arguments arguments(argv + std::min(argc, 1), argv + argc);
  // These flags need no verb.
  if (!arguments.empty() && arguments[0] == "--help-stages") {
    return listStages(has(arguments, "--markdown"), console);
  }
  if (!arguments.empty() && arguments[0] == "--version") {
    return printVersion(jsonOf(arguments), console);
  }
  joinOldJson(arguments, console);
  replaceHelp(arguments);
  for (const std::string &warning : replaceOldNames(arguments)) {
    console.err << warning;
  }
  console.json = jsonOf(arguments);
  if (llvm::Error error = addLockedFlags(arguments)) {
    return fail(std::move(error), console);
  }
  return runVerb(arguments, console);
}

} // namespace convoy::tool
