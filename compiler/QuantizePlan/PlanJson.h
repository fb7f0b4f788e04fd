// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The JSON form of a plan. A person can edit it and give it back with `convoy quantize --plan`.

#pragma once

#include "QuantizePlan/Points.h"

namespace convoy::plan {

/// Returns the text of a plan; the same plan gives the same bytes.
std::string toJson(const Plan &plan);

/// Reads a plan. `name` is the file that errors name.
llvm::Expected<Plan> planFromJson(const std::string &text, const std::string &name);

/// Returns one error text per entry that does not fit the model: unknown names, types, scales that
/// are not positive, a number of scales that is not that of the channels, ties that differ.
std::vector<std::string> checkPlan(const Plan &plan, const Points &points,
                                   const onnx::ModelProto &prepared);

} // namespace convoy::plan
