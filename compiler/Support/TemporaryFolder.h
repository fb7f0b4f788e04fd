// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A temporary folder.

#pragma once

#include "Support/OutputFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <string>

namespace convoy {

/// Returns the path of a file in a folder.
std::string inFolder(llvm::StringRef folder, const llvm::Twine &name);

/// Removes the temporary folders in `parent` that ended processes of this user left.
void removeAbandonedFolders(llvm::StringRef parent);

/// A folder for this user alone, which the destructor removes with its content.
class TemporaryFolder {
public:
  TemporaryFolder() = default;
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder();

  /// Creates the folder in `parent`.
  llvm::Error create(llvm::StringRef parent);
  /// Creates the folder in the system's folder for temporary files.
  llvm::Error createInSystem();

  llvm::StringRef path() const { return folder; }
  std::string file(const llvm::Twine &name) const { return inFolder(folder, name); }

private:
  std::string folder;
  int lock = -1; // shows other processes that the folder is in use; -1: there is no lock
};

} // namespace convoy
