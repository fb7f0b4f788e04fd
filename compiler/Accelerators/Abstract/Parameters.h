// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parameters that define a device, from a JSON file or from the text of
// --target. docs/targets/abstract.md lists them.

#pragma once

#include "convoy/abstract.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace convoy::abstract {

/// Who runs depthwise convolutions: the CPU, the convolution instruction one channel
/// at a time, or an instruction of their own.
enum class Depthwise { None, Mapped, Native };

struct Parameters {
  std::string name = "abstract";
  Depthwise depthwise = Depthwise::Native;
  convoy_abstract_device device = {};
  convoy_abstract_options options = {};
};

/// 64 output-parallel PEs, 1 MiB, a depthwise instruction.
Parameters defaultParameters();

/// Reads the text of a parameter file; `where` names it in messages. Fields that are
/// left out have their defaults.
llvm::Expected<Parameters> parseParameters(llvm::StringRef json, llvm::StringRef where);

/// Sets one parameter by the text of its value: "memory_bytes", "512K".
llvm::Error setParameter(Parameters &parameters, llvm::StringRef name, llvm::StringRef value);

} // namespace convoy::abstract
