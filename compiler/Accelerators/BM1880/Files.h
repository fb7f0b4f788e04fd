// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The three files of a network: instructions, weights, and a description for the runtime.

#pragma once

#include "Accelerators/Program.h"
#include "llvm/ADT/ArrayRef.h"

namespace convoy::bm1880 {

/// Returns the `.s`, `.weight.bin` and `.rt.json` files of a program in its frame, or none if the
/// program is not of this device.
std::vector<accelerators::ProgramFile> makeFiles(llvm::ArrayRef<uint8_t> program);

} // namespace convoy::bm1880
