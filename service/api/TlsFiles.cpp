// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the certificates in a folder, as scripts/service writes them.

#include "service/api/TlsFiles.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace convoy::service {
namespace {

std::string pathOf(llvm::StringRef folder, const llvm::Twine &file) {
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, file);
  return path.str().str();
}

} // namespace

llvm::Expected<TlsFiles> tlsFiles(llvm::StringRef folder, llvm::StringRef name) {
  TlsFiles files{pathOf(folder, "ca.crt"), pathOf(folder, name + ".crt"),
                 pathOf(folder, name + ".key")};
  for (const std::string &path : {files.authority, files.certificate, files.key}) {
    int descriptor = -1;
    if (std::error_code error = llvm::sys::fs::openFileForRead(path, descriptor)) {
      return llvm::createStringError("cannot read the certificate file '" + path +
                                     "': " + error.message());
    }
    llvm::sys::fs::file_t file = llvm::sys::fs::convertFDToNativeFile(descriptor);
    llvm::sys::fs::closeFile(file);
  }
  return files;
}

} // namespace convoy::service
