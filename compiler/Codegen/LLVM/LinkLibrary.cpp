// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links with LLD as a library, so that compiling a model needs no installed linker. LLD keeps
// its state in globals, so only one link may run at a time.

#include "Codegen/LLVM/Library.h"
#include "Support/OutputFile.h"
#include "lld/Common/Driver.h"

LLD_HAS_DRIVER(elf)

namespace convoy::codegen {

/// Returns the error of a link. LLD reports errors of the system as text only, with the words of
/// the system.
static llvm::Error explainFailure(llvm::StringRef messages, llvm::StringRef output) {
  for (std::errc reason : {std::errc::no_space_on_device, std::errc::file_too_large}) {
    std::error_code error = std::make_error_code(reason);
    if (messages.contains(error.message())) {
      return cannotWrite(output, error);
    }
  }
  std::error_code noMemory = std::make_error_code(std::errc::not_enough_memory);
  return llvm::createStringError(
      messages.contains(noMemory.message()) ? noMemory : llvm::inconvertibleErrorCode(),
      "linking '" + output + "' failed: " + messages.trim());
}

llvm::Error linkLibrary(llvm::ArrayRef<std::string> inputs, llvm::StringRef soname,
                        llvm::StringRef output, bool isBare) {
  // The symbols of the C library stay undefined, and no library is named. The program that
  // loads the model provides the C library.
  std::vector<std::string> arguments = {
      "ld.lld", "-shared", "-soname=" + soname.str(), "--gc-sections", "--hash-style=gnu",
      // The table of the model points to functions of this library, also if another library exports
      // their names.
      "-Bsymbolic-functions", "-znow", "-zrelro", "-znoexecstack",
      // With a memory-mapped output file, a full disk would raise a signal instead of a write
      // error.
      "--no-mmap-output-file",
      // Only custom ops have a shared library as input, the library of mathematics.
      "--as-needed",
      // The tuner forks after a link. A child has no threads of its parent, and a link that
      // waits for them would never end.
      "--threads=1", "-o", output.str()};
  if (!isBare) {
    arguments.push_back("--build-id=sha1");
  }
  arguments.insert(arguments.end(), inputs.begin(), inputs.end());
  std::vector<const char *> pointers;
  for (const std::string &argument : arguments) {
    pointers.push_back(argument.c_str());
  }
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  lld::Result result = lld::lldMain(pointers, stream, stream, {{lld::Gnu, &lld::elf::link}});
  return result.retCode == 0 ? llvm::Error::success() : explainFailure(messages, output);
}

} // namespace convoy::codegen
