// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a case of `convoy check` with its expected outputs from a folder.

#pragma once

#include "check/CheckModel.h"
#include "llvm/Support/Error.h"

namespace convoy::check {

/// Reads input_N.pb and output_N.pb of a folder. The case has the name of the folder. The error
/// lists the problems of inputs and outputs.
llvm::Expected<CheckCase> readGoldenCase(llvm::StringRef folder, const Model &model);

} // namespace convoy::check
