// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file of tuning records. Records are added, never changed; several processes may
// add at once. Who chooses from them is Snapshot.h.

#pragma once

#include "tuning/records/Database.h"
#include "tuning/records/Record.h"
#include "tuning/records/Verdict.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace convoy::tuning {

/// What became of records that were offered.
struct Added {
  int64_t added = 0;
  int64_t known = 0; // were there already
};

/// What `prune` takes away; each condition by itself.
struct PruneRule {
  int64_t olderThanUs = 0; // trials before this time; 0: none
  bool isStale = false;    // of a template, all versions but the newest in the file
  bool isFailed = false;   // trials that are not ok
  int64_t keepFastest = 0; // per key and layouts, all ok trials but the fastest so many
  bool isDryRun = false;   // count only

  bool isEmpty() const { return olderThanUs == 0 && !isStale && !isFailed && keepFastest == 0; }
};

class RecordStore {
public:
  using Access = Database::Access;

  static llvm::Expected<RecordStore> open(llvm::StringRef path, Access access);

  /// Adds all or none; what it added is on the disk when it returns. What is
  /// there already is skipped when it says the same and refused when it does not.
  llvm::Expected<Added> append(llvm::ArrayRef<Record> records,
                               llvm::ArrayRef<Verdict> verdicts = {});

  /// All verdicts, by id; none in a file of an older version.
  llvm::Expected<std::vector<Verdict>> verdicts();

  /// All trials of a key, oldest first; none for a key that nobody has measured.
  llvm::Expected<std::vector<Record>> find(const RecordKey &key);

  /// Calls for every record, by trial id, as one consistent view.
  llvm::Error forEach(llvm::function_ref<llvm::Error(Record &&)> call);

  /// Adds all records and verdicts of another file, or none.
  llvm::Expected<Added> merge(RecordStore &other);

  /// Returns how many trials it took away.
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
