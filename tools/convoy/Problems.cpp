// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints problems and derives the exit code from them.

#include "Failure.h"
#include "Verbs.h"
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
  for (const Problem &problem : problems.all()) {
    os << (problem.isError() ? "error: " : "warning: ") << problem.text << "\n";
    for (const std::string &note : problem.notes) {
      os << "  note: " << note << "\n";
    }
  }
}

ExitCode fail(const Problems &problems, Console &console) {
  print(console.err, problems);
  auto lacksMemory = [](const Problem &problem) {
    return problem.isError() && isOutOfMemory(problem.text);
  };
  if (llvm::any_of(problems.all(), lacksMemory)) {
    sayOutOfMemory();
    return kUserError;
  }
  ExitCode code = exitCodeOf(problems);
  auto hasReproducer = [](const Problem &problem) {
    return llvm::StringRef(problem.text).contains("; reproducer: ");
  };
  if (code == kBug && llvm::none_of(problems.all(), hasReproducer)) {
    writeCommandReproducer(console.err);
  }
  return code;
}

} // namespace convoy::tool
