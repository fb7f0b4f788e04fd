// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the certificates in a folder, as scripts/service writes them.

#include "service/tls/TlsFiles.h"
#include "llvm/Support/FileSystem.h"

namespace convoy::service {

TlsFiles TlsFiles::inFolder(const std::string &folder, const std::string &name) {
  return {folder + "/ca.crt", folder + "/" + name + ".crt", folder + "/" + name + ".key"};
}

llvm::Error checkTlsFiles(const TlsFiles &files) {
  for (const std::string &path : {files.authority, files.certificate, files.key}) {
    int descriptor = -1;
    if (std::error_code error = llvm::sys::fs::openFileForRead(path, descriptor)) {
      return llvm::createStringError("cannot read the certificate file '" + path +
                                     "': " + error.message());
    }
    llvm::sys::fs::file_t file = llvm::sys::fs::convertFDToNativeFile(descriptor);
    llvm::sys::fs::closeFile(file);
  }
  return llvm::Error::success();
}

llvm::Expected<TlsFiles> tlsFiles(llvm::StringRef folder, llvm::StringRef name) {
  TlsFiles files = TlsFiles::inFolder(folder.str(), name.str());
  if (llvm::Error error = checkTlsFiles(files)) {
    return std::move(error);
  }
  return files;
}

} // namespace convoy::service
