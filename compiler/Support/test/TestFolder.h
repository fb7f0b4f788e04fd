// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A temporary folder for tests of all folders.

#pragma once

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace convoy::test {

/// A folder that the destructor removes.
class TemporaryFolder {
public:
  TemporaryFolder() {
    if (std::error_code error = llvm::sys::fs::createUniqueDirectory("convoy-test", folder)) {
      llvm::report_fatal_error("cannot make a temporary folder: " + llvm::Twine(error.message()));
    }
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder() {
    if (std::error_code error = llvm::sys::fs::remove_directories(folder)) {
      llvm::errs() << "left behind: " << folder << ": " << error.message() << "\n";
    }
  }

  std::string path() const { return folder.str().str(); }
  std::string file(const llvm::Twine &name) const {
    llvm::SmallString<128> result(folder);
    llvm::sys::path::append(result, name);
    return result.str().str();
  }
  /// Returns the names of all files in the folder.
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    std::error_code error;
    for (llvm::sys::fs::directory_iterator i(folder, error), end; i != end; i.increment(error)) {
      names.push_back(llvm::sys::path::filename(i->path()).str());
    }
    return names;
  }
  /// Writes a file and returns its path.
  std::string write(const llvm::Twine &name, llvm::StringRef bytes) const {
    std::string result = file(name);
    std::error_code error;
    llvm::raw_fd_ostream os(result, error);
    os << bytes;
    return result;
  }

private:
  llvm::SmallString<128> folder;
};

} // namespace convoy::test
