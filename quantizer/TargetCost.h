// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a target supports and what a model costs on it. The search uses both: it never chooses a
// type that the target cannot compute, and it compares plans by the target's own cost model.

#pragma once

#include "QuantizePlan/Plan.h"
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

/// The quantised types that a target computes in integers.
struct TargetTypes {
  std::string target;
  bool isDevice = false;
  ElementType activation = ElementType::U8; // of 8 bits
  bool hasI16 = true;                       // activations
  bool hasI4 = true;                        // weights
  /// Whether kernel templates compute layers with int16 activations. Generic loops do otherwise, at
  /// many times the cost.
  bool hasWideTemplates = true;
  /// Whether inputs and outputs of the model are integers by default, which saves memory and float
  /// instructions.
  bool hasIntegerEnds = false;
  /// Whether every tensor is int8 without a zero point, each scale is a power of two, and the
  /// weights of a layer share one scale.
  bool shiftsOnly = false;
};

llvm::Expected<TargetTypes> typesOf(const TargetRequest &target);

/// Returns the target on which accuracy is measured. CPUs, C and the reference compute the same
/// integers, so the host represents them. For a device the host computes with the device's
/// arithmetic.
TargetRequest measuredTarget(const TargetRequest &target, const TargetTypes &types);

/// Replaces what the target cannot compute: int16 activations become float, and with `shiftsOnly`
/// the activations become int8 and the scales powers of two.
void fitToTarget(plan::Plan &plan, const TargetTypes &types);

/// Returns one error text per entry of the plan that the target cannot compute.
std::vector<std::string> checkForTarget(const plan::Plan &plan, const TargetTypes &types);

} // namespace convoy::quantizer
