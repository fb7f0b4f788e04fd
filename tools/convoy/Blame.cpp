// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the search: stages that the reference can follow, then kernels
// one at a time, then all kernels together.

#include "Blame.h"
#include "Calibration.h"
#include "ExactOutputs.h"
#include "GraphBlame.h"
#include "KernelBlame.h"
#include "MachineTarget.h"
#include "reference/Reference.h"

using namespace mlir;

namespace convoy::driver {
namespace {

class BlameSearch {
public:
  explicit BlameSearch(const WrongModel &wrong) : wrong(wrong) {
    options.instrument = wrong.target.instrument;
    options.layout.isStrictMath = wrong.target.isStrictMath;
    options.quantize.isInteger = wrong.target.isInteger;
    options.quantize.arithmetic = wrong.target.arithmetic;
  }

  Blame run() {
    OwningOpRef<ModuleOp> module = import();
    FailureOr<std::vector<Datum>> outputs = failure();
    if (module && succeeded(readInputs(*module))) {
      outputs = reference::run(mainOf(*module), inputs);
    }
    if (failed(outputs)) {
      return unknown("the reference cannot run the model");
    }
    expected = std::move(*outputs);
    if (isFar(expected, wrong.expected)) {
      return unknown("the reference is as far from the expected outputs, so no pass is at fault: "
                     "look at the import, the reference and the expected data");
    }
    if (failed(runGraphStages(*module, options))) {
      return unknown("a pass failed");
    }
    // Not from the reference: a model that amplifies rounding may have both right
    // and yet far apart.
    auto isWrong = [&](ArrayRef<Datum> actual) { return isFar(actual, wrong.expected); };
    auto isRough = [&](ArrayRef<Datum> actual) {
      return deviation(actual, expected, kWholeGraphCloseness).isWrong;
    };
    if (hasWrongGraph(*module, isWrong)) {
      return blameGraph(isWrong);
    }
    if (std::optional<Blame> blame = blameKernel(*module, inputs, options.instrument)) {
      return std::move(*blame);
    }
    if (std::optional<Blame> blame = blameMain(*module, inputs, options.instrument, isWrong)) {
      return std::move(*blame);
    }
    if (hasWrongSchedule(*module, isWrong)) {
      return {"", "convoy-tasks-plan-workers", "", "right with one thread"};
    }
    // Not beyond the rule of the check at any one place; the largest suspect is a
    // pass that moved the outputs by more than rounding does.
    return hasWrongGraph(*module, isRough) ? blameGraph(isRough)
                                           : unknown("no op is wrong by more than rounding");
  }

private:
  OwningOpRef<ModuleOp> import() {
    OwningOpRef<ModuleOp> module =
        importCalibrated(session, wrong.model, wrong.importOptions, wrong.calibrate, wrong.image);
    if (module && wrong.isExact) {
      returnExactValues(mainOf(*module));
    }
    return module;
  }

  LogicalResult readInputs(ModuleOp module) {
    func::FuncOp main = mainOf(module);
    for (unsigned i = 0; i < main.getNumArguments(); ++i) {
      auto it = wrong.inputs.find(main.getArgAttrOfType<StringAttr>(i, "graph.name").str());
      if (it == wrong.inputs.end()) {
        return main.emitError() << "has no data for input " << i;
      }
      inputs.push_back(it->second);
    }
    return success();
  }

  /// Whether the rule of the check finds a difference.
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

  /// Whether threads alone make the outputs wrong: one thread gave right ones.
  bool hasWrongSchedule(ModuleOp module, IsWrong isWrong) {
    HostLowering lowering;
    lowering.stages = compileOptions(lowering.codegen.target, wrong.target.threads);
    if (lowering.stages.tasks.threads == 1) {
      return false;
    }
    HostLowering::Outputs outputs = lowering.run(module, inputs, options.instrument);
    return failed(outputs) || isWrong(*outputs);
  }

  Blame blameGraph(IsWrong isWrong) {
    OwningOpRef<ModuleOp> module = import();
    std::optional<Blame> blame = blameGraphPass(*module, inputs, options, isWrong);
    return blame ? std::move(*blame) : unknown("the fault did not show a second time");
  }

  Blame unknown(const Twine &reason) const { return {"", "", "", reason.str()}; }

  const WrongModel &wrong;
  Session session;
  convoy::CompileOptions options = HostLowering().stages;
  std::vector<Datum> inputs, expected;
};

} // namespace

std::string Blame::text() const {
  std::string result = "first wrong op: " + (op.empty() ? "not found" : op);
  result += pass.empty() ? "" : ", after pass " + pass;
  result += measured.empty() ? "" : ": " + measured;
  result += note.empty() ? "" : " (" + note + ")";
  return result;
}

Blame findBlame(const WrongModel &wrong) { return BlameSearch(wrong).run(); }

} // namespace convoy::driver
