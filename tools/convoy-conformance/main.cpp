// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// convoy-conformance runs ONNX backend tests on a target. This file parses the arguments.

#include "Children.h"
#include "Report.h"
#include "Support/OutputFile.h"
#include "llvm/Support/Regex.h"
#include <CLI/CLI.hpp>
#include <unistd.h>

using namespace convoy;
using namespace convoy::conformance;

namespace {

/// Exit codes, the same as for `convoy`.
constexpr int kDone = 0, kUserError = 1;

struct Arguments {
  std::string suite, target = "reference", filter, json;
  bool isVerbose = false;
  size_t minPassed = 0;
  std::vector<double> tolerance; // relative, absolute, steps; empty: the one of ONNX's runner
  ChildLimits limits;
};

int fail(const llvm::Twine &text) {
  llvm::errs() << "error: " << text << "\n";
  return kUserError;
}

/// Keeps the tests whose "group/name" matches the pattern.
llvm::Error applyFilter(std::vector<TestCase> &tests, const std::string &pattern) {
  if (pattern.empty()) {
    return llvm::Error::success();
  }
  llvm::Regex regex(pattern);
  std::string problem;
  if (!regex.isValid(problem)) {
    return llvm::createStringError("--filter '" + pattern +
                                   "' is not a regular expression: " + problem);
  }
  llvm::erase_if(tests,
                 [&](const TestCase &test) { return !regex.match(test.group + "/" + test.name); });
  if (tests.empty()) {
    return llvm::createStringError("--filter '" + pattern + "' matches no test");
  }
  return llvm::Error::success();
}

llvm::Error writeJsonFile(const std::string &file, llvm::ArrayRef<TestCase> tests,
                          llvm::ArrayRef<Outcome> outcomes, const driver::ResolvedTarget &target) {
  return writeFile(file, [&](llvm::raw_fd_ostream &os) {
    writeJson(os, tests, outcomes, target);
    return llvm::Error::success();
  });
}

int runSuite(const Arguments &arguments) {
  TargetRequest wanted;
  wanted.name = arguments.target;
  llvm::Expected<driver::ResolvedTarget> target =
      driver::resolveTarget(wanted, /*isForMemory=*/true);
  if (!target) {
    return fail(llvm::toString(target.takeError()));
  }
  llvm::Expected<std::vector<TestCase>> tests = findTests(arguments.suite);
  if (!tests) {
    return fail(llvm::toString(tests.takeError()));
  }
  if (llvm::Error error = applyFilter(*tests, arguments.filter)) {
    return fail(llvm::toString(std::move(error)));
  }
  for (TestCase &test : *tests) {
    if (const std::vector<double> &given = arguments.tolerance; !given.empty()) {
      test.tolerance = check::Tolerance{given[0], given[1], static_cast<int64_t>(given[2])};
    }
  }
  size_t ended = 0;
  bool isTerminal = isatty(STDERR_FILENO);
  auto done = [&](size_t i, const Outcome &outcome) {
    ++ended;
    if (arguments.isVerbose) {
      llvm::outs() << (outcome.isPassed ? "pass " : "FAIL ") << (*tests)[i].group << "/"
                   << (*tests)[i].name << " " << llvm::format("%.2f", outcome.seconds) << " s "
                   << outcome.problem << "\n";
      llvm::outs().flush();
    } else if (isTerminal) {
      llvm::errs() << "\r[" << ended << "/" << tests->size() << "]";
    }
  };
  std::vector<Outcome> outcomes = runInChildren(*tests, *target, arguments.limits, done);
  if (isTerminal && !arguments.isVerbose) {
    llvm::errs() << "\r";
  }
  if (!arguments.json.empty()) {
    if (llvm::Error error = writeJsonFile(arguments.json, *tests, outcomes, *target)) {
      return fail(llvm::toString(std::move(error)));
    }
  }
  printReport(llvm::outs(), *tests, outcomes, *target);
  Counts counts = count(*tests, outcomes, *target);
  if (counts.passed < arguments.minPassed) {
    return fail("only " + llvm::Twine(counts.passed) + " passed, expected at least " +
                llvm::Twine(arguments.minPassed));
  }
  return counts.failed == 0 ? kDone : kUserError;
}

} // namespace

int main(int argc, char **argv) {
  Arguments arguments;
  CLI::App app("Runs ONNX backend tests on a target and lists every test that does not pass");
  app.add_option("--suite", arguments.suite,
                 "Read the tests from this folder or from its subfolders")
      ->required();
  app.add_option("--target", arguments.target,
                 "Run the tests on this target, for example reference or host")
      ->capture_default_str();
  app.add_option("--filter", arguments.filter,
                 "Run only tests whose group/name matches this regular expression");
  app.add_option("--json", arguments.json, "Also write the results as JSON to this file");
  app.add_option("--jobs", arguments.limits.processes, "Run this number of tests in parallel")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  app.add_option("--time-limit", arguments.limits.seconds,
                 "Stop a test after this number of seconds and report a hang")
      ->capture_default_str();
  app.add_option("--min-passed", arguments.minPassed, "Return an error if fewer tests pass");
  app.add_option("--tolerance", arguments.tolerance,
                 "Accept this relative and absolute error of floats, and this difference of "
                 "integers, instead of the tolerance of ONNX's runner: --tolerance 1e-3 1e-7 0")
      ->expected(3);
  app.add_flag("--verbose", arguments.isVerbose, "Print a line for each test when it ends");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? kDone : kUserError;
  }
  return runSuite(arguments);
}
