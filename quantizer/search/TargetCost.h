// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a target supports and what a model costs on it. The search uses both: it never chooses a
// type that the target cannot compute, and it compares plans by the target's own cost model.

#pragma once

#include "QuantizePlan/Plan.h"
#include "QuantizePlan/TargetTypes.h"
#include "convoy/model.h"
#include "convoy/request.h"
#include "convoy/result.h"
#include "llvm/Support/Error.h"

namespace convoy::quantizer {

/// The cost of one inference, as the compiler predicts it.
struct TargetCost {
  double nanoseconds = 0;     // on one core, with the device's own estimate for its layers
  int64_t workspaceBytes = 0; // activations
  int64_t weightsBytes = 0;
};

/// Compiles the model up to the memory stage and returns its predicted cost. Writes no file.
Result<TargetCost> costOf(const Model &model, const InputPins &pins, const TargetRequest &target);

/// Returns the warning of driver::loopsWarning for the model on the target; empty: none.
std::string loopsWarningOf(const Model &model, const InputPins &pins, const TargetRequest &target);

using plan::TargetTypes;

llvm::Expected<TargetTypes> typesOf(const TargetRequest &target);

/// Returns the target on which accuracy is measured. CPUs, C and the reference compute the same
/// integers, so the host represents them. For a device the host computes with the device's
/// arithmetic.
TargetRequest measuredTarget(const TargetTypes &types);

/// Replaces what the target cannot compute: int16 activations become float, and with `shiftsOnly`
/// the activations become int8 and the scales powers of two.
void fitToTarget(plan::Plan &plan, const TargetTypes &types);

/// Returns one error text per entry of the plan that the target cannot compute.
std::vector<std::string> checkForTarget(const plan::Plan &plan, const TargetTypes &types);

} // namespace convoy::quantizer
