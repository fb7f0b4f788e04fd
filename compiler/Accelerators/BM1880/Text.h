// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts instructions to text and back, in protobuf's text format: one message per instruction,
// followed by an empty line.
//
//   inst {
//     name: "relu1"
//     type: "bmnet_relu_fixed_forward_bmkernel"
//     relu {
//       bottom_gaddr: 0
//       ...
//     }
//   }

#pragma once

#include "Accelerators/BM1880/Instruction.h"
#include "llvm/Support/Error.h"

namespace convoy::bm1880 {

std::string writeText(llvm::ArrayRef<Instruction> instructions);

/// Parses the text. An error names the line, what was expected and what was found.
llvm::Expected<std::vector<Instruction>> readText(llvm::StringRef text);

} // namespace convoy::bm1880
