// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The HTML page of a quantization: accuracy with its interval, errors and ranges per tensor, what
// was kept wide and why, size and time before and after, and the samples whose answers changed.

#pragma once

#include "quantizer/QuantizeModel.h"

namespace convoy::quantizer {

/// Returns the page. It contains no script and loads no other file.
std::string drawPage(const QuantizeRequest &request, const QuantizeResult &result);

} // namespace convoy::quantizer
