// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a linked program of runtime/micro and forms the command that runs it under the target's
// emulator. `convoy run` and `bench` use it for the programs that they build, the tuner for
// programs that another process has built.

#pragma once

#include "Targets/Target.h"
#include "llvm/ADT/ArrayRef.h"
#include <map>

namespace convoy::driver {

/// The parts of a program that its emulation needs.
struct MicroElf {
  struct AddressRange {
    uint64_t begin = 0, end = 0; // addresses
  };

  int64_t codeBytes = 0;
  int64_t flashBytes = 0; // code, weights and initial values of data
  std::string marks;      // the content of the file `marks` of the counting plug-in
  AddressRange stack, data;
  std::map<std::string, AddressRange> symbols; // with a size
};

llvm::Expected<MicroElf> readMicroElf(const std::string &path);

/// Returns the arguments after the emulator's command that run a program. The program reads input_0
/// and so on from a folder and writes output_0 and so on.
std::vector<std::string> emulationArguments(llvm::StringRef program, llvm::StringRef folder);

/// Doubles the commas of a path, because QEMU separates options by commas.
std::string optionPath(llvm::StringRef path);

/// Returns the option `cycles` of the counting plug-in; empty if the target does not describe the
/// cycles of its instructions.
std::string cyclesOption(const targets::Target &target);

} // namespace convoy::driver
