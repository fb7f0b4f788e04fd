// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the device folder that reads the file and calls it.

#include "Driver/InspectFile.h"
#include "Support/InputFile.h"
#include "llvm/Support/MemoryBuffer.h"

namespace convoy::driver {

bool hasInspector(llvm::StringRef path) { return accelerators::findInspector(path) != nullptr; }

llvm::Expected<InspectedFile> inspectFile(const std::string &path, llvm::StringRef config) {
  if (isDevice(path)) {
    return llvm::createStringError("cannot read '" + path + "': it is a device; expected a file");
  }
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    return llvm::createStringError(buffer.getError(),
                                   "cannot read '" + path + "': " + buffer.getError().message());
  }
  llvm::StringRef text = (*buffer)->getBuffer();
  return accelerators::findInspector(path)->inspect(
      path, llvm::ArrayRef(text.bytes_begin(), text.bytes_end()), config);
}

} // namespace convoy::driver
