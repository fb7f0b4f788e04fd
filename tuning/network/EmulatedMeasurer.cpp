// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Candidates of microcontrollers and of targets that are built from source are programs. Other
// candidates are libraries, which a program of the target loads.

#include "tuning/network/EmulatedMeasurer.h"
#include "Codegen/LLVM/EmulatedModel.h"
#include "Codegen/LLVM/LibraryGlue.h"
#include "Driver/Backends/Source/SourceProgram.h"
#include "Support/OutputFile.h"
#include "tuning/measure/CountMeasurer.h"
#include "tuning/measure/LocalMeasurer.h"

namespace convoy::tuning {

/// Writes the program that loads libraries of another machine.
static llvm::Error writeRunner(const targets::Target &target, const std::string &path) {
  if (llvm::Error error = codegen::findEmulator(target).takeError()) {
    return error;
  }
  llvm::Expected<llvm::StringRef> runner = codegen::foreignRunner(target);
  if (!runner) {
    return runner.takeError();
  }
  if (llvm::Error error = writeFile(path, *runner)) {
    return error;
  }
  namespace fs = llvm::sys::fs;
  std::error_code error = fs::setPermissions(path, fs::all_read | fs::all_exe);
  return error ? cannotWrite(path, error) : llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Measurer>> emulatedMeasurer(const targets::Target &target,
                                                           const TemporaryFolder &scratch) {
  CountOptions options;
  options.target = target;
  options.processes = usableCpus().size();
  if (!target.toolchain && !driver::isBuiltFromSource(target)) {
    options.runner = scratch.file("runner");
    if (llvm::Error error = writeRunner(target, options.runner)) {
      return std::move(error);
    }
  }
  llvm::Expected<std::unique_ptr<CountMeasurer>> created =
      CountMeasurer::create(std::move(options));
  if (!created) {
    return created.takeError();
  }
  return std::move(*created);
}

} // namespace convoy::tuning
