// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// convoy-nvdla-trace: runs the trace tests of NVDLA's hardware on the simulator. Contains only
// argument parsing and the report; Trace/RunTrace.h runs a trace.

#include "Accelerators/NVDLA/Trace/RunTrace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>

using namespace convoy::nvdla;

namespace {

struct Arguments {
  std::string suite, config, filter;
  size_t minPassed = 0, maxSkipped = SIZE_MAX;
  bool isVerbose = false;
};

struct Counts {
  size_t passed = 0, failed = 0, skipped = 0, weak = 0;
};

int fail(const llvm::Twine &text) {
  llvm::errs() << "error: " << text << "\n";
  return 1;
}

std::vector<std::string> folders(llvm::StringRef parent) {
  std::vector<std::string> found;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator at(parent, error), end; at != end && !error;
       at.increment(error)) {
    if (llvm::sys::fs::is_directory(at->path())) {
      found.push_back(at->path());
    }
  }
  llvm::sort(found);
  return found;
}

bool isTrace(llvm::StringRef folder) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, llvm::sys::path::filename(folder) + ".cfg");
  return llvm::sys::fs::exists(path);
}

void report(llvm::StringRef name, const TraceResult &result, bool isVerbose, Counts &counts) {
  switch (result.status) {
  case TraceResult::Status::Passed:
    ++counts.passed;
    counts.weak += result.isWeak;
    if (result.isWeak) {
      llvm::outs() << "weak " << name << ": also passes with idle engines\n";
    } else if (isVerbose) {
      llvm::outs() << "pass " << name << (result.note.empty() ? "" : ": ") << result.note << "\n";
    }
    return;
  case TraceResult::Status::Failed:
    ++counts.failed;
    llvm::outs() << "FAIL " << name << ": " << result.note << "\n";
    return;
  case TraceResult::Status::Skipped:
    ++counts.skipped;
    llvm::outs() << "skip " << name << ": " << result.note << "\n";
    return;
  }
}

/// Runs all traces in `folder`. The configuration is --config, or the folder's name.
llvm::Error runFolder(llvm::StringRef folder, const Arguments &arguments, Counts &counts) {
  std::string name =
      arguments.config.empty() ? llvm::sys::path::filename(folder).str() : arguments.config;
  const HardwareConfig *config = findHardwareConfig(name);
  if (!config) {
    std::string known = llvm::join(
        llvm::map_range(hardwareConfigs(), [](const HardwareConfig &c) { return c.name.str(); }),
        ", ");
    return llvm::createStringError("'" + name +
                                   "' is not a configuration; set --config to one of " + known);
  }
  for (const std::string &path : folders(folder)) {
    std::string title = name + "/" + llvm::sys::path::filename(path).str();
    if (!isTrace(path) || title.find(arguments.filter) == std::string::npos) {
      continue;
    }
    llvm::Expected<Trace> trace = readTrace(path);
    TraceResult result = trace ? runTrace(*trace, *config) : TraceResult();
    if (!trace) {
      result.note = llvm::toString(trace.takeError());
    }
    report(title, result, arguments.isVerbose, counts);
  }
  return llvm::Error::success();
}

int runSuite(const Arguments &arguments) {
  std::string suite = llvm::StringRef(arguments.suite).rtrim('/').str();
  Counts counts;
  std::vector<std::string> inside = folders(suite);
  std::vector<std::string> sets = {suite};
  if (llvm::none_of(inside, isTrace)) {
    sets = inside;
  }
  for (const std::string &set : sets) {
    if (!llvm::any_of(folders(set), isTrace)) {
      continue;
    }
    if (llvm::Error error = runFolder(set, arguments, counts)) {
      return fail(llvm::toString(std::move(error)));
    }
  }
  if (counts.passed + counts.failed + counts.skipped == 0) {
    return fail("'" + arguments.suite +
                "' contains no traces; expects folders NAME with NAME.cfg, "
                "or folders of them named after a configuration");
  }
  llvm::outs() << counts.passed - counts.weak << " of the passed traces are evidence, "
               << counts.weak << " are weak\n"
               << counts.passed << " passed, " << counts.failed << " failed, " << counts.skipped
               << " skipped\n";
  if (counts.passed < arguments.minPassed) {
    return fail("expects at least " + llvm::Twine(arguments.minPassed) + " passed");
  }
  if (counts.skipped > arguments.maxSkipped) {
    return fail("expects at most " + llvm::Twine(arguments.maxSkipped) + " skipped");
  }
  return counts.failed == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  Arguments arguments;
  CLI::App app("Runs the trace tests of NVDLA's hardware on the simulator");
  app.add_option("--suite", arguments.suite, "Run the traces in this folder, or in its subfolders")
      ->required();
  app.add_option("--config", arguments.config,
                 "Simulate this hardware configuration (default: the folder's name)");
  app.add_option("--filter", arguments.filter,
                 "Run only traces whose name contains this text (default: all)");
  app.add_option("--min-passed", arguments.minPassed, "Fail if fewer traces pass (default: 0)");
  app.add_option("--max-skipped", arguments.maxSkipped,
                 "Fail if more traces are skipped (default: no limit)");
  app.add_flag("--verbose", arguments.isVerbose, "Print a line for each trace (default: off)");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 1;
  }
  return runSuite(arguments);
}
