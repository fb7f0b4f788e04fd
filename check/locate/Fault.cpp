// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders the search: first the stages whose IR the reference can run, then each kernel alone,
// then all kernels together.

#include "check/locate/Fault.h"
#include "Driver/ImportRequested.h"
#include "Driver/RequestOptions.h"
#include "Pipeline/TargetOptions.h"
#include "check/ExactOutputs.h"
#include "check/locate/GraphFault.h"
#include "check/locate/KernelFault.h"
#include "reference/Reference.h"

using namespace mlir;

namespace convoy::check {
namespace {

class FaultSearch {
public:
  explicit FaultSearch(const WrongModel &wrong) : wrong(wrong) {}

  Fault run() {
    if (llvm::Error error = readOptions()) {
      return Fault::notFound(llvm::toString(std::move(error)));
    }
    OwningOpRef<ModuleOp> module = import();
    FailureOr<std::vector<Datum>> outputs = failure();
    if (module && succeeded(readInputs(*module))) {
      outputs = reference::run(mainOf(*module), inputs);
    }
    if (failed(outputs)) {
      return Fault::notFound("the reference cannot run the model");
    }
    expected = std::move(*outputs);
    if (isFar(expected, wrong.expected)) {
      return Fault::notFound(
          "the reference gives wrong outputs too, so no pass is wrong; check the import, the "
          "reference and the expected data");
    }
    if (failed(runGraphStages(*module, options, wrong.injected))) {
      return Fault::notFound("a pass of the stages before Tasks failed");
    }
    // Compares with the expected outputs, not with the reference. In a model that amplifies
    // rounding, both can be right although they differ from each other.
    auto isWrong = [&](ArrayRef<Datum> actual) { return isFar(actual, wrong.expected); };
    auto isRough = [&](ArrayRef<Datum> actual) {
      return opError(actual, expected, kWholeGraphBound).isWrong;
    };
    if (hasWrongGraph(*module, isWrong)) {
      return locateInGraph(isWrong);
    }
    if (std::optional<Fault> fault = locateKernelFault(*module, inputs, wrong.injected)) {
      return std::move(*fault);
    }
    if (std::optional<Fault> fault = locateMainFault(*module, inputs, wrong.injected, isWrong)) {
      return std::move(*fault);
    }
    if (hasWrongSchedule(*module, isWrong)) {
      Fault fault = Fault::notFound("the outputs are right with one thread");
      fault.pass = "convoy-schedule-plan-workers";
      return fault;
    }
    // No single place exceeds the rule of the check. A pass that changed the outputs by more
    // than rounding is the most likely cause.
    return hasWrongGraph(*module, isRough)
               ? locateInGraph(isRough)
               : Fault::notFound("no op differs from the reference by more than rounding");
  }

private:
  /// Compiles for one thread. hasWrongSchedule() checks the requested number of threads last.
  llvm::Error readOptions() {
    llvm::Expected<driver::ResolvedTarget> found =
        driver::resolveTarget(wrong.request.target, /*isForMemory=*/true);
    if (!found) {
      return found.takeError();
    }
    target = std::move(*found);
    CompileRequest request = wrong.request;
    request.schedule = ScheduleRequest();
    llvm::Expected<StageOptions> stages =
        driver::stageOptionsFor(request, target, wrong.model.name());
    if (!stages) {
      return stages.takeError();
    }
    options = std::move(*stages);
    // A broken contract must show in the outputs instead of ending the compilation.
    options.verifyStages = false;
    return llvm::Error::success();
  }

  OwningOpRef<ModuleOp> import() {
    OwningOpRef<ModuleOp> module =
        driver::importRequested(wrong.model, wrong.request, target, context);
    if (module && wrong.isExact) {
      returnExactValues(mainOf(*module));
    }
    return module;
  }

  LogicalResult readInputs(ModuleOp module) {
    func::FuncOp main = mainOf(module);
    for (const std::string &name : driver::argumentNames(main)) {
      auto it = wrong.inputs.find(name);
      if (it == wrong.inputs.end()) {
        return main.emitError() << "has no data for input '" << name << "'";
      }
      inputs.push_back(it->second);
    }
    return success();
  }

  /// Returns whether an output violates the rule of the check.
  bool isFar(ArrayRef<Datum> actual, ArrayRef<Datum> reference) const {
    for (size_t i = 0; i < std::min(actual.size(), reference.size()); ++i) {
      if (!judge(actual[i], reference[i], wrong.arithmetic).isRight) {
        return true;
      }
    }
    return false;
  }

  bool hasWrongGraph(ModuleOp module, IsWrong isWrong) {
    FailureOr<std::vector<Datum>> outputs = reference::run(mainOf(module), inputs);
    return failed(outputs) || isWrong(*outputs);
  }

  /// Returns whether the outputs are wrong with the requested number of threads. They are
  /// right with one thread.
  bool hasWrongSchedule(ModuleOp module, IsWrong isWrong) {
    HostLowering lowering;
    lowering.stages = optionsFor(target.machine, wrong.request.schedule.threads);
    if (lowering.stages.schedule.threads == 1) {
      return false;
    }
    HostLowering::Outputs outputs = lowering.run(module, inputs, wrong.injected);
    return failed(outputs) || isWrong(*outputs);
  }

  Fault locateInGraph(IsWrong isWrong) {
    OwningOpRef<ModuleOp> module = import();
    std::optional<Fault> fault =
        locateGraphFault(*module, inputs, options, wrong.injected, isWrong);
    return fault ? std::move(*fault)
                 : Fault::notFound("the outputs were right when the stages ran a second time");
  }

  const WrongModel &wrong;
  driver::CompileContext context;
  driver::ResolvedTarget target;
  StageOptions options;
  std::vector<Datum> inputs, expected;
};

} // namespace

std::string Fault::text() const {
  std::string result = "first wrong op: " + (op.empty() ? "not found" : op);
  result += pass.empty() ? "" : ", after pass " + pass;
  result += measured.empty() ? "" : ": " + measured;
  result += note.empty() ? "" : " (" + note + ")";
  return result;
}

Fault Fault::notFound(std::string note) {
  Fault fault;
  fault.note = std::move(note);
  return fault;
}

Fault locateFault(const WrongModel &wrong) { return FaultSearch(wrong).run(); }

} // namespace convoy::check
