// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints problems and derives the exit code from their kinds.

#include "Driver/AddProblem.h"
#include "Support/GroupProblems.h"
#include "tools/convoy/Failure.h"
#include "tools/convoy/Verbs.h"
#include "tools/convoy/output/JsonOutput.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::tool {

ExitCode exitCodeOf(const Problems &problems) {
  if (!problems.hasErrors()) {
    return kDone;
  }
  auto isAll = [&](auto isKind) { return llvm::all_of(problems.all(), isKind); };
  auto isNoBug = [](const Problem &problem) { return problem.kind != ProblemKind::Bug; };
  auto isUnsupported = [](const Problem &problem) {
    return !problem.isError() || problem.kind == ProblemKind::Unsupported;
  };
  return !isAll(isNoBug) ? kBug : isAll(isUnsupported) ? kUnsupported : kUserError;
}

void print(llvm::raw_ostream &os, const Problems &problems) {
  for (const ProblemGroup &group : groupProblems(problems)) {
    const Problem &problem = group.problem;
    os << (problem.isError() ? "error: " : "warning: ") << problem.text << "\n";
    for (const std::string &note : problem.notes) {
      os << "  note: " << note << "\n";
    }
  }
}

static void writeJson(const Problems &problems, ExitCode code, Console &console) {
  auto print = [&](llvm::raw_ostream &os) {
    printJson(os, llvm::json::Object{{"exitCode", static_cast<int>(code)},
                                     {"problems", report::problemsToJson(problems)}});
  };
  printResult(console.json, print, [](llvm::raw_ostream &) {}, console);
}

ExitCode fail(const Problems &problems, Console &console) {
  print(console.err, problems);
  auto isKind = [](ProblemKind kind) {
    return [kind](const Problem &problem) { return problem.kind == kind; };
  };
  bool lacksMemory = llvm::any_of(problems.all(), isKind(ProblemKind::OutOfMemory));
  ExitCode code = lacksMemory ? kUserError : exitCodeOf(problems);
  if (console.json.isGiven()) {
    writeJson(problems, code, console);
  }
  auto hasReproducer = [](const Problem &problem) { return !problem.reproducer.empty(); };
  if (lacksMemory) {
    sayOutOfMemory();
  } else if (code == kBug && llvm::none_of(problems.all(), hasReproducer)) {
    writeCommandReproducer(console.err);
  }
  return code;
}

ExitCode fail(llvm::Error error, Console &console) {
  Problems problems;
  addError(problems, std::move(error));
  return fail(problems, console);
}

} // namespace convoy::tool
