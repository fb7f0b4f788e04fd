// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links with LLD as a library, so that no linker needs to be installed where
// models are compiled. LLD keeps its state in globals: one link at a time.

#include "Codegen/LLVM/Library.h"
#include "Support/OutputFile.h"
#include "lld/Common/Driver.h"

LLD_HAS_DRIVER(elf)

namespace convoy::codegen {

llvm::Error linkLibrary(llvm::ArrayRef<std::string> inputs, llvm::StringRef soname,
                        llvm::StringRef output) {
  // The C library's symbols stay open and no library is named: the program that
  // loads the model has one, whichever it is.
  std::vector<std::string> arguments = {"ld.lld", "-shared", "-soname=" + soname.str(),
                                        "--gc-sections", "--hash-style=gnu", "--build-id=sha1",
                                        "-znow", "-zrelro", "-znoexecstack",
                                        // A full disk is an error of a write, and a signal of
                                        // memory that maps the file.
                                        "--no-mmap-output-file", "-o", output.str()};
  arguments.insert(arguments.end(), inputs.begin(), inputs.end());
  std::vector<const char *> pointers;
  for (const std::string &argument : arguments) {
    pointers.push_back(argument.c_str());
  }
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  lld::Result result = lld::lldMain(pointers, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0) {
    for (std::errc reason : {std::errc::no_space_on_device, std::errc::file_too_large}) {
      std::error_code error = std::make_error_code(reason);
      if (llvm::StringRef(messages).contains(error.message())) {
        return cannotWrite(output, error);
      }
    }
    return llvm::createStringError("linking '" + output +
                                   "' failed: " + llvm::StringRef(messages).trim());
  }
  return llvm::Error::success();
}

} // namespace convoy::codegen
