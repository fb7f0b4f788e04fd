// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a generated test bench compares with.

#pragma once

#include "Codegen/C/Source.h"
#include "InputData.h"

namespace convoy::driver {

/// The outputs that the reference gives for given or random inputs, and how far
/// others may be off. With `isInteger` quantised layers are integer layers. Problems
/// go to the log.
mlir::FailureOr<codegen::TestCase> makeSourceTest(const import::Model &model,
                                                  const import::ImportOptions &importOptions,
                                                  const InputOptions &input, bool isInteger,
                                                  DiagnosticLog &log);

} // namespace convoy::driver
