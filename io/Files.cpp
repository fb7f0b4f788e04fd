// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads whole files through LLVM's file system library.

#include "io/Files.h"
#include "Support/InputFile.h"

namespace convoy::io {

llvm::Error fileError(const llvm::Twine &text) {
  return llvm::createStringError(std::make_error_code(std::errc::invalid_argument), text);
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readFile(llvm::StringRef path) {
  if (isDevice(path)) {
    return fileError("cannot read '" + path + "': it is a device; expected a file");
  }
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer) {
    return llvm::createStringError(buffer.getError(),
                                   "cannot read '" + path + "': " + buffer.getError().message());
  }
  return std::move(*buffer);
}

llvm::Expected<std::vector<std::string>> readLines(llvm::StringRef path) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = readFile(path);
  if (!buffer) {
    return buffer.takeError();
  }
  std::vector<std::string> lines;
  llvm::StringRef rest = (*buffer)->getBuffer();
  while (!rest.empty()) {
    auto [line, after] = rest.split('\n');
    lines.push_back(line.rtrim('\r').str());
    rest = after;
  }
  return lines;
}

} // namespace convoy::io
