// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file of tuning records. Records are added and never changed. Several processes may add
// records at the same time. Snapshot.h chooses configurations from the records.

#pragma once

#include "tuning/records/Database.h"
#include "tuning/records/Record.h"
#include "tuning/records/Verdict.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace convoy::tuning {

/// The numbers of added and already known records.
struct Added {
  int64_t added = 0;
  int64_t known = 0; // identical records that the file already contains
};

/// The conditions of `prune`. A trial is removed if one condition holds.
struct PruneRule {
  int64_t olderThanUs = 0; // trials before this time; 0: no condition
  bool isStale = false;    // trials of a template version older than the newest version in the file
  bool isFailed = false;   // trials that are not ok
  int64_t keepFastest =
      0; // per key and layouts, keeps this number of the fastest successful trials; 0: keeps all
  bool isDryRun = false; // only counts the trials

  bool isEmpty() const { return olderThanUs == 0 && !isStale && !isFailed && keepFastest == 0; }
};

class RecordStore {
public:
  using Access = Database::Access;

  static llvm::Expected<RecordStore> open(llvm::StringRef path, Access access);

  /// Adds all records and verdicts, or none. After success, the data is on the disk. A record
  /// that the file already contains is skipped if it is identical and is an error otherwise.
  llvm::Expected<Added> append(llvm::ArrayRef<Record> records,
                               llvm::ArrayRef<Verdict> verdicts = {});

  /// Returns all verdicts by id. A file of an older version has none.
  llvm::Expected<std::vector<Verdict>> verdicts();

  /// Returns all trials of a key, oldest first.
  llvm::Expected<std::vector<Record>> find(const RecordKey &key);

  /// Calls the function for every record by trial id. All records belong to one consistent
  /// view.
  llvm::Error forEach(llvm::function_ref<void(Record &&)> call);

  /// Calls `record` for every record by trial id, then `verdict` for every verdict by id.
  llvm::Error readAll(llvm::function_ref<void(Record &&)> record,
                      llvm::function_ref<void(Verdict &&)> verdict);

  /// Adds all records and verdicts of another file, or none.
  llvm::Expected<Added> merge(RecordStore &other);

  /// Returns the number of removed trials.
  llvm::Expected<int64_t> prune(const PruneRule &rule);

  const std::string &path() const { return database->path(); }

private:
  explicit RecordStore(std::unique_ptr<Database> database) : database(std::move(database)) {}
  llvm::Expected<bool> insert(Statement &task, Statement &trial, const Record &record);
  llvm::Error checkSame(const Record &record);
  llvm::Expected<Added> insertAll(llvm::ArrayRef<Record> records);
  llvm::Error insertAll(llvm::ArrayRef<Verdict> verdicts, Added &result);

  std::unique_ptr<Database> database;
};

} // namespace convoy::tuning
