// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on several files of tuning records. `convoy records` and convoy.records call them.

#pragma once

#include "tuning/records/Overview.h"
#include "tuning/records/RecordStore.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::tuning {

/// The records that one file added to another file.
struct FileAdded {
  std::string file;
  Added added;
};

/// Adds the records of files to the file `into`, which is created if it does not exist. Opens all
/// files before it changes one, so that a wrong name leaves `into` as it was.
llvm::Expected<std::vector<FileAdded>> mergeFiles(llvm::ArrayRef<std::string> files,
                                                  const std::string &into);

/// The name and the content of a file of JSON lines.
struct LinesFile {
  std::string name;
  llvm::StringRef text;
};

/// Adds the records of JSON lines to the file `into`, which is created if it does not exist.
llvm::Expected<std::vector<FileAdded>> importFiles(llvm::ArrayRef<LinesFile> files,
                                                   const std::string &into);

/// Writes the records of files as JSON lines and returns the number of records.
llvm::Expected<int64_t> exportFiles(llvm::ArrayRef<std::string> files, llvm::raw_ostream &os);

/// The number of trials that a rule removed from a file, or would remove.
struct FilePruned {
  std::string file;
  int64_t removed = 0;
};

llvm::Expected<std::vector<FilePruned>> pruneFiles(llvm::ArrayRef<std::string> files,
                                                   const PruneRule &rule);

/// The tasks and the compared networks of a file.
struct FileListing {
  std::string file;
  Overview overview;
  std::vector<Verdict> verdicts;
};

llvm::Expected<std::vector<FileListing>> listFiles(llvm::ArrayRef<std::string> files);

// The results as `convoy records VERB --json` prints them.
llvm::json::Object toJson(llvm::ArrayRef<FileAdded> files, const std::string &into);
llvm::json::Array toJson(llvm::ArrayRef<FilePruned> files);
llvm::json::Array toJson(llvm::ArrayRef<FileListing> files);

} // namespace convoy::tuning
