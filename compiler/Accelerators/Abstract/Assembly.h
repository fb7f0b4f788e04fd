// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command stream as text, and back. A line is one instruction:
//
//   set in_c, 64            # a register and its value
//   load compute<=0         # once all compute instructions before it have ended
//   conv dma<=1             # once all transfers before it but the last have ended
//   layer 3
//   end

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace convoy::abstract {

/// Text to words; an error names the line.
llvm::Expected<std::vector<uint32_t>> assemble(llvm::StringRef text);

/// Words to text that assembles to the same words; an error names the word that no
/// text stands for.
llvm::Expected<std::string> disassemble(llvm::ArrayRef<uint32_t> words);

} // namespace convoy::abstract
