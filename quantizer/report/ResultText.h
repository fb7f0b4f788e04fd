// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The result of a quantization as JSON and as the sentences that the summary and the page share.

#pragma once

#include "quantizer/QuantizeModel.h"
#include "llvm/Support/JSON.h"

namespace convoy::quantizer {

/// Returns a share in points: "0.48".
std::string pointsText(double share);

/// Returns "drop" or "share of changed answers".
std::string quantityText(const QuantizeResult &result);

/// Returns the accuracy bound, or what the data cannot prove and how many samples would.
std::string boundText(const QuantizeResult &result, double maxDrop);

/// Returns the accuracies of both models with the drop and its bound.
std::string accuracyText(const QuantizeResult &result);

/// Returns the error for an accuracy bound that the data does not prove.
std::string refusalText(const QuantizeResult &result, double maxDrop);

llvm::json::Object toJson(const QuantizeResult &result, const QuantizeOptions &options);

} // namespace convoy::quantizer
