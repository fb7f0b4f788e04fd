// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The three files of a network: instructions, weights, and what a runtime must know.

#pragma once

#include "Accelerators/Program.h"
#include "llvm/ADT/ArrayRef.h"

namespace convoy::bm1880 {

/// `.s`, `.weight.bin` and `.rt.json` of a program in its frame; none when it is none.
std::vector<accelerators::ProgramFile> makeFiles(llvm::ArrayRef<uint8_t> program);

} // namespace convoy::bm1880
