// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks the compiler for the cost of a model, and the target for its arithmetic.

#include "quantizer/search/TargetCost.h"
#include "Driver/LoopsWarning.h"
#include "Driver/ResolveTarget.h"
#include "convoy/compiler.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

namespace convoy::quantizer {
namespace {

constexpr llvm::StringLiteral kLastStage = "memory"; // determines all parts of the cost

/// Returns an output that the target supports.
Emit outputOf(const TargetRequest &target) {
  llvm::Expected<driver::ResolvedTarget> resolved =
      driver::resolveTarget(target, /*isForMemory=*/true);
  if (!resolved) {
    llvm::consumeError(resolved.takeError()); // compileModel reports it
    return Emit::Library;
  }
  return resolved->backend->facts.emit;
}

bool isPowerOfTwo(float scale) {
  int exponent = 0;
  return std::frexp(scale, &exponent) == 0.5F;
}

/// Returns the smallest power of two that is not below the scale.
float nextPowerOfTwo(float scale) { return std::exp2(std::ceil(std::log2(scale))); }

/// Converts an activation to int8 without a zero point that contains the range of before.
void makeSymmetric(plan::ActivationPlan &activation) {
  if (activation.type == ElementType::F32) {
    return;
  }
  double low = activation.type == ElementType::U8 ? 0 : -128, high = low + 255;
  auto zero = static_cast<double>(activation.zeroPoint);
  double most = std::max(zero - low, high - zero) * activation.scale;
  activation.type = ElementType::I8;
  activation.zeroPoint = 0;
  activation.scale = nextPowerOfTwo(static_cast<float>(most / 128));
}

/// Gives all channels of a layer the largest scale, as a power of two.
void shareScale(plan::WeightPlan &weights) {
  if (weights.type == ElementType::F32 || weights.scales.empty()) {
    return;
  }
  weights.scales = {nextPowerOfTwo(*llvm::max_element(weights.scales))};
  weights.rounding = plan::Rounding::Nearest;
}

std::string entryText(const std::string &tensor, const TargetTypes &types) {
  return "tensor '" + tensor + "': target '" + types.target + "' expects ";
}

void checkActivation(const plan::ActivationPlan &activation, const TargetTypes &types,
                     std::vector<std::string> &errors) {
  if (activation.type == ElementType::F32) {
    return;
  }
  std::string start = entryText(activation.tensor, types);
  if (activation.type == ElementType::I16 && !types.hasI16) {
    errors.push_back(start + "8-bit activations or float, got int16; use int8, uint8 or float");
  } else if (types.shiftsOnly && activation.type != ElementType::I8) {
    errors.push_back(start + "int8 activations, got " + name(activation.type).str() +
                     "; use int8 with zero point 0");
  } else if (types.shiftsOnly && activation.zeroPoint != 0) {
    errors.push_back(start + "zero point 0, got " + std::to_string(activation.zeroPoint) +
                     "; use a symmetric range");
  } else if (types.shiftsOnly && !isPowerOfTwo(activation.scale)) {
    errors.push_back(start + "a power of two as scale, got " + std::to_string(activation.scale) +
                     "; the next one is " + std::to_string(nextPowerOfTwo(activation.scale)));
  }
}

void checkWeights(const plan::WeightPlan &weights, const TargetTypes &types,
                  std::vector<std::string> &errors) {
  std::string start = entryText(weights.tensor, types);
  if (weights.type == ElementType::I4 && !types.hasI4) {
    errors.push_back(start + "int8 weights or float, got int4; use int8");
  } else if (types.shiftsOnly && weights.type == ElementType::I8 && weights.scales.size() > 1) {
    errors.push_back(start + "one scale for the weights of a layer, got " +
                     std::to_string(weights.scales.size()) + "; use the largest scale");
  }
}

} // namespace

static CompileRequest requestFor(const InputPins &pins, const TargetRequest &target) {
  CompileRequest request;
  request.inputs = pins;
  request.target = target;
  if (target.name == driver::kReferenceTarget) {
    request.target.name = "host"; // the interpreter has no cost model
  }
  request.output.emit = outputOf(request.target);
  request.debugging.stopAfter = kLastStage.str();
  return request;
}

std::string loopsWarningOf(const Model &model, const InputPins &pins, const TargetRequest &target) {
  CompileRequest request = requestFor(pins, target);
  Result<Artifact> artifact = convoy::compileModel(model, request);
  return artifact ? driver::loopsWarning(model, request, artifact->report) : "";
}

Result<TargetCost> costOf(const Model &model, const InputPins &pins, const TargetRequest &target) {
  Result<Artifact> artifact = convoy::compileModel(model, requestFor(pins, target));
  if (!artifact) {
    return artifact.problems();
  }
  const CompileReport &report = artifact->report;
  TargetCost cost;
  cost.nanoseconds = report.placement.deviceNs;
  for (const KernelReport &kernel : report.kernels) {
    cost.nanoseconds += kernel.predictedNs;
  }
  cost.workspaceBytes = report.memory.arenas.front().bytes.most;
  const WeightsSummary &weights = report.memory.weights;
  cost.weightsBytes = weights.modelBytes + weights.foldingBytes + weights.winogradBytes +
                      weights.paddingBytes + weights.alignmentBytes;
  return cost;
}

llvm::Expected<TargetTypes> typesOf(const TargetRequest &target) {
  llvm::Expected<driver::ResolvedTarget> resolved =
      driver::resolveTarget(target, /*isForMemory=*/true);
  if (!resolved) {
    return resolved.takeError();
  }
  return resolved->backend->types(*resolved);
}

TargetRequest measuredTarget(const TargetTypes &types) {
  TargetRequest measured;
  measured.arithmeticOf = types.arithmeticOf;
  return measured;
}

void fitToTarget(plan::Plan &plan, const TargetTypes &types) {
  for (plan::ActivationPlan &activation : plan.activations) {
    if (activation.type == ElementType::I16 && !types.hasI16) {
      activation.type = ElementType::F32;
      activation.reason = "the target has no int16";
    }
    if (types.shiftsOnly) {
      makeSymmetric(activation);
    }
  }
  for (plan::WeightPlan &weights : plan.weights) {
    if (types.shiftsOnly) {
      shareScale(weights);
    }
  }
}

std::vector<std::string> checkForTarget(const plan::Plan &plan, const TargetTypes &types) {
  std::vector<std::string> errors;
  for (const plan::ActivationPlan &activation : plan.activations) {
    checkActivation(activation, types, errors);
  }
  for (const plan::WeightPlan &weights : plan.weights) {
    checkWeights(weights, types, errors);
  }
  return errors;
}

} // namespace convoy::quantizer
