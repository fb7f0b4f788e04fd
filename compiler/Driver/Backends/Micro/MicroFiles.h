// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of runtime/micro, which are embedded in the compiler.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace convoy::driver {

struct MicroFile {
  llvm::StringRef name;
  llvm::StringRef text;
};

/// Returns the C sources and headers of programs for microcontrollers.
llvm::ArrayRef<MicroFile> microFiles();

/// Returns the bytes of the emulator's plug-in that counts instructions.
llvm::StringRef countingPlugin();

} // namespace convoy::driver
