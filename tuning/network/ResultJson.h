// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the result of a search to JSON, for `convoy tune` and for Python.

#pragma once

#include "tuning/network/TuneModel.h"
#include "llvm/Support/JSON.h"

namespace convoy::tuning {

llvm::json::Object toJson(const TuneResult &result, const TuneRequest &request);

} // namespace convoy::tuning
