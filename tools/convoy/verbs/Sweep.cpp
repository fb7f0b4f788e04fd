// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy sweep`: simulates a model on every combination of a device's parameters, and on other
// devices, and prints or draws the result. timing/SweepModel.cpp runs the simulators.

#include "Driver/AddProblem.h"
#include "io/Files.h"
#include "timing/SweepModel.h"
#include "tools/convoy/Request.h"
#include "tools/convoy/Verbs.h"
#include "tools/convoy/output/JsonOutput.h"
#include "tools/convoy/output/Progress.h"

namespace convoy::tool {
namespace {

/// Reads the model and the flags.
std::optional<Request> readSweep(const SweepFlags &options, Problems &problems) {
  BuildFlags flags = options.build;
  flags.given.erase("--cpu"); // the sweep predicts the time of the ops on the CPU
  refuseCpuFlags(flags, "sweep", "and a sweep times the device", problems);
  std::optional<Request> request;
  if (!problems.hasErrors()) {
    request = readRequest(options.build, Emit::Library, problems);
  }
  return problems.hasErrors() ? std::nullopt : std::move(request);
}

/// Shows which device of how many the sweep simulates. Other devices have a separate count.
std::function<void(const std::string &, int)> showDevices(std::optional<Progress> &progress,
                                                          Console &console) {
  auto shown = std::make_shared<int>(0);
  return [&progress, &console, shown](const std::string &device, int count) {
    if (!progress || *shown != count) {
      progress.reset();
      progress.emplace(console, count);
      *shown = count;
    }
    progress->begin(device);
  };
}

} // namespace

ExitCode sweep(const SweepFlags &options, Console &console) {
  Problems problems;
  std::optional<Request> request = readSweep(options, problems);
  if (!request) {
    return fail(problems, console);
  }
  std::optional<Progress> progress;
  timing::SweepRequest wanted;
  wanted.compile = request->compile;
  for (const SweepFlags::Axis &axis : options.axes) {
    wanted.axes.push_back({axis.flag, axis.key, axis.values});
  }
  wanted.devices = options.devices;
  wanted.progress = showDevices(progress, console);
  Result<report::SweepResult> result = timing::sweepModel(request->model, wanted);
  progress.reset(); // erases the line
  problems.append(result.problems());
  if (result && !options.report.empty()) {
    if (llvm::Error error = io::writeFile(options.report, report::drawHtml(*result))) {
      addError(problems, withPrefix("--report: ", std::move(error)));
    }
  }
  if (!result || problems.hasErrors()) {
    return fail(problems, console);
  }
  print(console.err, problems);
  return printResult(
      options.json, [&](llvm::raw_ostream &os) { printJson(os, report::toJson(*result)); },
      [&](llvm::raw_ostream &os) { report::printTable(os, *result); }, console);
}

} // namespace convoy::tool
