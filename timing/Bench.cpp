// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks the back end for the method that measures a target.

#include "timing/Bench.h"
#include "Driver/AddProblem.h"

namespace convoy::timing {
namespace {

class Methods : public driver::MeasureMethods {
public:
  Methods(const driver::ResolvedTarget &target, const BenchOptions &options)
      : target(target), options(options) {}

  void timeLibrary() override { bench = benchMachine(options, target); }
  void countInstructions() override { bench = benchMicro(options, target); }
  void simulateDevice() override { bench = benchDevice(options, target); }

  std::unique_ptr<Bench> bench;

private:
  const driver::ResolvedTarget &target;
  const BenchOptions &options;
};

} // namespace

Problems Bench::build(BenchCase next) {
  current = std::move(next);
  return {};
}

bool Bench::refuseReport(Problems &problems) const {
  if (!options.report.empty()) {
    addError(problems, "--report expects a microcontroller as --target, got '" + target.name +
                           "'; `convoy targets` lists the targets");
  }
  return !options.report.empty();
}

llvm::Expected<std::unique_ptr<Bench>> benchFor(const driver::ResolvedTarget &target,
                                                const BenchOptions &options) {
  Methods methods(target, options);
  if (llvm::Error error = target.backend->measure(target, methods)) {
    return error;
  }
  return std::move(methods.bench);
}

} // namespace convoy::timing
