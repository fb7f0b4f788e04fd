// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Continues an interrupted search from its records. The id of a trial consists of the id of its
// search, its round and its place, so the records of a file contain the rounds of a search. The id
// of a search is a hash of all options that influence its proposals. The same command therefore
// finds the search that it continues. All other records are knowledge of earlier searches.

#pragma once

#include "tuning/records/RecordStore.h"
#include "tuning/search/JobSearch.h"

namespace convoy::tuning {

/// Returns the id of a trial: 32 hexadecimal digits.
std::string trialIdOf(llvm::StringRef search, uint32_t round, uint32_t place);
/// Returns the id of a measurement in the races after a search.
std::string raceIdOf(llvm::StringRef search, size_t task, size_t place);

/// Returns a text of all options that influence the proposals of a search.
std::string describeSearch(llvm::ArrayRef<ModelTask> tasks, const JobSearchOptions &options,
                           llvm::StringRef target, llvm::StringRef policy);

/// The records of a file, divided into the records of one search and all others.
struct SavedSearch {
  std::string id;                    // 16 hexadecimal digits
  std::map<std::string, Record> own; // by trial
  /// The records before the search, by the text of their tasks.
  std::map<std::string, std::vector<Record>> prior;

  /// Returns the unfinished search of a description, or a new search. `skipped` is the number of
  /// unfinished searches that do not fit.
  static SavedSearch find(llvm::ArrayRef<Record> records, llvm::StringRef description,
                          int64_t trials, size_t skipped);

  /// Passes the rounds that are complete in the file to the search, with their results. Returns
  /// false if one of them does not fit the tasks.
  bool restore(JobSearch &search, llvm::ArrayRef<ModelTask> tasks,
               const JobSearchOptions &options) const;
};

/// Keeps other tuners from continuing the same search, as long as the object exists.
class SearchLock {
public:
  explicit SearchLock(const std::string &records);
  ~SearchLock();
  SearchLock(const SearchLock &) = delete;
  SearchLock &operator=(const SearchLock &) = delete;
  bool isHeld() const { return held; }

private:
  int file;
  bool held;
};

} // namespace convoy::tuning
