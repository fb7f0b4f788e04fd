// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folder names are random, so that two compilations do not use the same folder.

#include "Support/TemporaryFolder.h"

namespace fs = llvm::sys::fs;

namespace convoy {

std::string inFolder(llvm::StringRef folder, const llvm::Twine &name) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

TemporaryFolder::~TemporaryFolder() {
  if (!folder.empty()) {
    // An error here has no remedy, so it is ignored.
    [[maybe_unused]] std::error_code error = fs::remove_directories(folder);
  }
}

llvm::Error TemporaryFolder::create(llvm::StringRef parent) {
  llvm::SmallString<128> made;
  fs::createUniquePath(inFolder(parent, ".convoy-%%%%%%%%"), made, /*MakeAbsolute=*/false);
  if (std::error_code error = fs::create_directory(made, /*IgnoreExisting=*/false)) {
    return cannotWrite(made, error);
  }
  folder = made.str().str();
  return llvm::Error::success();
}

llvm::Error TemporaryFolder::createInSystem() {
  llvm::SmallString<128> parent;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, parent);
  return create(parent);
}

} // namespace convoy
