// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parameters that define a device, from a JSON file or from the text of --target.
// docs/targets/abstract.md lists them.

#pragma once

#include "convoy/abstract.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace convoy::abstract {

/// How depthwise convolutions run: on the CPU, as one convolution instruction per channel, or as a
/// depthwise instruction.
enum class Depthwise { None, Mapped, Native };

struct Parameters {
  std::string name = "abstract";
  Depthwise depthwise = Depthwise::Native;
  convoy_abstract_device device = {};
  convoy_abstract_options options = {};
};

/// Returns 64 output-parallel PEs, 1 MiB of local memory and a depthwise instruction.
Parameters defaultParameters();

/// Parses a parameter file; `where` names it in messages. Missing fields have their defaults.
llvm::Expected<Parameters> parseParameters(llvm::StringRef json, llvm::StringRef where);

/// Sets one parameter from text, for example "memory_bytes" to "512K".
llvm::Error setParameter(Parameters &parameters, llvm::StringRef name, llvm::StringRef value);

} // namespace convoy::abstract
