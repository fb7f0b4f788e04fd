// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The changes of a plan from 8-bit to 4-bit weights, from which the search chooses.

#pragma once

#include "QuantizePlan/Points.h"
#include "quantizer/search/Search.h"

namespace convoy::quantizer {

/// Returns the plan with all int8 weights in int4.
plan::Plan fourBitPlan(plan::Plan plan, const onnx::ModelProto &prepared,
                       const plan::Points &points);

/// Returns one change per layer of `four`, a plan of fourBitPlan with fitted weights. `errors` are
/// the errors at the output by the name of the weights.
std::vector<Narrowing> narrowingsOf(const FittedPlan &four, const onnx::ModelProto &prepared,
                                    const plan::Points &points,
                                    const std::map<std::string, double> &errors);

} // namespace convoy::quantizer
