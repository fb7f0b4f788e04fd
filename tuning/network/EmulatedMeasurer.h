// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates the measurer of a target that this machine can only emulate.

#pragma once

#include "Support/TemporaryFolder.h"
#include "tuning/measure/Measurer.h"
#include <memory>

namespace convoy::tuning {

/// Returns a measurer that counts the instructions of candidates for the target under its emulator,
/// on all CPUs of this process. The program that loads libraries is in `scratch`. The error states
/// why nothing can be counted.
llvm::Expected<std::unique_ptr<Measurer>> emulatedMeasurer(const targets::Target &target,
                                                           const TemporaryFolder &scratch);

} // namespace convoy::tuning
