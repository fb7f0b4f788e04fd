// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the command stream to text and back. Each line is one instruction:
//
//   set in_c, 64            # a register and its value
//   load compute<=0         # waits for all earlier compute instructions
//   conv dma<=1             # waits for all earlier transfers except the last
//   layer 3
//   end

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace convoy::abstract {

/// Assembles text to words; an error names the line.
llvm::Expected<std::vector<uint32_t>> assemble(llvm::StringRef text);

/// Disassembles words to text that assembles to the same words. An error names the first word that
/// is not an instruction.
llvm::Expected<std::string> disassemble(llvm::ArrayRef<uint32_t> words);

} // namespace convoy::abstract
