// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan from which the search starts: 8-bit activations with ranges from the observed values and
// weights of one width.

#pragma once

#include "quantizer/observe/Observe.h"
#include "quantizer/search/Search.h"

namespace convoy::quantizer {

struct BasePlanOptions {
  Clipping clipping = Clipping::Mse;
  plan::Rounding rounding = plan::Rounding::Fitted;
  bool correctsBias = true;
};

/// Returns the plan with `weightType` weights. The tensors of a tie get one range that contains the
/// ranges of all of them.
plan::Plan basePlan(const onnx::ModelProto &prepared, const plan::Points &points,
                    const std::map<std::string, TensorStatistics> &statistics,
                    ElementType weightType, const BasePlanOptions &options,
                    const TargetTypes &types);

/// Returns the changes that make activations wide, one per tie. `errors` are the errors at the
/// output by tensor.
std::vector<Widening> wideningsOf(const plan::Plan &plan, const plan::Points &points,
                                  const std::map<std::string, TensorStatistics> &statistics,
                                  const std::map<std::string, double> &errors, bool allows16);

/// Returns the share of the observed values that are outside the range of the activation.
double saturationOf(const plan::ActivationPlan &activation, const TensorStatistics &statistics);

/// Returns the bytes of the weights in the plan, and the share of these bytes that is int4.
struct WeightBytes {
  int64_t bytes = 0;
  double fourBitShare = 0;
};
WeightBytes weightBytesOf(const plan::Plan &plan, const onnx::ModelProto &prepared);

} // namespace convoy::quantizer
