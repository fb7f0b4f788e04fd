// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the files of two benchmarks; report/ compares them.

#include "tools/convoy/output/MicroReport.h"
#include "Support/TypedError.h"
#include "io/Files.h"
#include "report/MicroCompare.h"
#include "tools/convoy/output/JsonOutput.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::tool {
namespace {

using Builds = std::vector<report::MicroBuild>;

llvm::Expected<std::optional<Builds>> readBuilds(const std::string &path) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = io::readFile(path);
  if (!buffer) {
    return buffer.takeError();
  }
  return report::parseMicroBuilds((*buffer)->getBuffer(), path);
}

llvm::Expected<std::vector<report::MicroComparison>>
compareAll(const Builds &before, const Builds &after, const BenchFlags &options) {
  std::vector<report::MicroComparison> comparisons;
  for (const report::MicroBuild &build : after) {
    const auto *found = llvm::find_if(llvm::ArrayRef(before), [&](const auto &other) {
      return other.model == build.model && other.target == build.target &&
             other.isCounted == build.isCounted;
    });
    if (found != llvm::ArrayRef(before).end()) {
      comparisons.push_back(report::compareBuilds(*found, build));
    }
  }
  if (comparisons.empty()) {
    return llvm::createStringError(
        "'" + options.compare.front() + "' and '" + options.compare.back() +
        "' have no model with the same target in common, both with counted or both with estimated "
        "instructions; write both files with `convoy bench` or both with `convoy compile`");
  }
  return comparisons;
}

ExitCode printComparisons(llvm::ArrayRef<report::MicroComparison> comparisons,
                          const BenchFlags &options, Console &console) {
  auto printFacts = [&](llvm::raw_ostream &os) {
    llvm::json::Array array;
    for (const report::MicroComparison &comparison : comparisons) {
      array.push_back(report::toJson(comparison));
    }
    printJson(os, std::move(array));
  };
  auto printText = [&](llvm::raw_ostream &os) {
    for (const report::MicroComparison &comparison : comparisons) {
      report::printComparison(os, comparison);
    }
  };
  ExitCode code = printResult(options.json, printFacts, printText, console);
  bool hasGrown = llvm::any_of(
      comparisons, [](const report::MicroComparison &comparison) { return comparison.hasGrown(); });
  return code == kDone && hasGrown ? kUserError : code;
}

} // namespace

std::optional<ExitCode> compareMicroBuilds(const BenchFlags &options, Console &console) {
  auto fail = [&](llvm::Error error) {
    return tool::fail(withPrefix("--compare: ", std::move(error)), console);
  };
  llvm::Expected<std::optional<Builds>> before = readBuilds(options.compare.front());
  if (!before) {
    return fail(before.takeError());
  }
  llvm::Expected<std::optional<Builds>> after = readBuilds(options.compare.back());
  if (!after) {
    return fail(after.takeError());
  }
  if (!*before && !*after) {
    return std::nullopt;
  }
  if (!*before || !*after) {
    const std::string &other = *before ? options.compare.back() : options.compare.front();
    return fail(llvm::createStringError(
        "'" + other +
        "': expects builds for a microcontroller as in the other file, found times; "
        "compare two files of the same kind of target"));
  }
  llvm::Expected<std::vector<report::MicroComparison>> comparisons =
      compareAll(**before, **after, options);
  if (!comparisons) {
    return fail(comparisons.takeError());
  }
  return printComparisons(*comparisons, options, console);
}

} // namespace convoy::tool
