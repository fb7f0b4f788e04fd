// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A temporary folder, and functions to write files into it.

#pragma once

#include "Support/OutputFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <string>

namespace convoy::codegen {

std::string inFolder(llvm::StringRef folder, const llvm::Twine &name);
using convoy::cannotWrite;
using convoy::writeFile;

/// A folder that the destructor removes with its content.
class TemporaryFolder {
public:
  TemporaryFolder() = default;
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder();

  /// Creates the folder in `parent`.
  llvm::Error create(llvm::StringRef parent);

  llvm::StringRef path() const { return folder; }
  std::string file(const llvm::Twine &name) const { return inFolder(folder, name); }

private:
  std::string folder;
};

} // namespace convoy::codegen
