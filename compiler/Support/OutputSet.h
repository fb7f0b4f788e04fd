// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces several files of one folder together.

#pragma once

#include "Support/TemporaryFolder.h"
#include <vector>

namespace convoy {

/// Files of one compilation. They are written to a temporary folder beside the earlier files, which
/// commit() replaces. Without commit(), for example after an error, the earlier files stay.
///
/// A program that loaded an earlier file keeps it. A reader may see a mixed set only between the
/// renames of commit(), which follow each other without other work; two sets never interleave.
class OutputSet {
public:
  /// Creates the folder of the files and, in it, the temporary folder.
  llvm::Error create(llvm::StringRef folder);

  /// Returns the path of a file that is removed with the set.
  std::string temporary(const llvm::Twine &name) const { return staging.file(name); }

  /// Adds a file and returns the path to write it to.
  std::string add(llvm::StringRef path);
  /// Adds and writes a file.
  llvm::Error write(llvm::StringRef path, PrintFunction print);
  llvm::Error write(llvm::StringRef path, llvm::StringRef bytes);

  /// Keeps the earlier file beside the file `path` under `name` while commit() renames, so that an
  /// earlier file that refers to it stays usable if the process ends between two renames.
  void keepEarlier(llvm::StringRef path, const llvm::Twine &name);

  /// Replaces the files in the order in which they were added. With `syncs`, waits before until all
  /// bytes are on the disk, so that a power failure leaves no empty file either.
  llvm::Error commit(bool syncs = true);

private:
  struct File {
    std::string staged, path, earlier; // earlier: a second name of the file at `path`, or empty
  };

  llvm::Error sync() const;
  llvm::Error rename() const;

  std::string folder;
  TemporaryFolder staging;
  std::vector<File> files;
};

} // namespace convoy
