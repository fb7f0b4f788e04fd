// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes the tables of records.

#include "RecordStore.h"
#include "tuning/records/JsonLines.h"
#include "tuning/records/Schema.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

namespace convoy::tuning {
namespace {

constexpr const char *kColumns =
    "trial.id, task.text, target, template, version, policy, configuration, input_layout, "
    "output_layout, outcome, message, samples, sentinel_ns, compiler, artefact, unix_us";

constexpr const char *kInsertTask = "INSERT INTO task VALUES (?1, ?2) ON CONFLICT DO NOTHING";
constexpr const char *kInsertTrial =
    "INSERT INTO trial VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, "
    "?16) ON CONFLICT DO NOTHING";

constexpr const char *kInsertVerdict =
    "INSERT INTO verdict VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT DO NOTHING";

std::string selectFrom(llvm::StringRef rest) {
  return (llvm::Twine("SELECT ") + kColumns + " FROM trial JOIN task ON task.hash = trial.task " +
          rest)
      .str();
}

/// Returns whether the columns hold UTF-8, which JSON requires.
bool hasText(const Statement &row, std::initializer_list<int> columns) {
  return llvm::all_of(columns, [&](int column) { return llvm::json::isUTF8(row.text(column)); });
}

/// Returns the record of the current row of a `selectFrom`.
llvm::Expected<Record> readRow(const Statement &row, const Database &database) {
  Record record;
  record.trial = row.text(0).str();
  record.taskText = row.text(1).str();
  record.target = row.text(2).str();
  record.configuration.templateId = row.text(3).str();
  record.configuration.templateVersion = static_cast<int>(row.number(4));
  record.policy = row.text(5).str();
  record.configuration.text = row.text(6).str();
  record.configuration.inputLayout = row.text(7).str();
  record.configuration.outputLayout = row.text(8).str();
  std::optional<Outcome> outcome = outcomeFromName(row.text(9));
  llvm::Expected<std::vector<Sample>> samples = samplesFromJson(row.text(11));
  bool isText = hasText(row, {0, 1, 2, 3, 5, 6, 7, 8, 10, 13, 14});
  if (!outcome || !samples || !isText) {
    llvm::consumeError(samples.takeError());
    return database.error("trial " + record.trial +
                          " is invalid; the file may have been edited; remove the trial");
  }
  record.outcome = *outcome;
  record.samples = std::move(*samples);
  record.message = row.text(10).str();
  record.sentinelNs = row.number(12);
  record.compiler = row.text(13).str();
  record.artifact = row.text(14).str();
  record.unixUs = row.number(15);
  return record;
}

void bindTrial(Statement &trial, const Record &record, llvm::StringRef task) {
  trial.bind(1, record.trial)
      .bind(2, task)
      .bind(3, record.target)
      .bind(4, record.configuration.templateId)
      .bind(5, record.configuration.templateVersion)
      .bind(6, record.policy)
      .bind(7, record.configuration.text)
      .bind(8, record.configuration.inputLayout)
      .bind(9, record.configuration.outputLayout)
      .bind(10, name(record.outcome))
      .bind(11, record.message)
      .bind(12, samplesToJson(record.samples))
      .bind(13, record.sentinelNs)
      .bind(14, record.compiler)
      .bind(15, record.artifact)
      .bind(16, record.unixUs);
}

void bindVerdict(Statement &insert, const Verdict &verdict) {
  insert.bind(1, verdict.id)
      .bind(2, verdict.network)
      .bind(3, verdict.target)
      .bind(4, verdict.templates)
      .bind(5, verdict.policy)
      .bind(6, verdict.keepsDefault ? "default" : "tuned")
      .bind(7, passedOverToJson(verdict.passedOver))
      .bind(8, pairsToJson(verdict.samples))
      .bind(9, verdict.compiler)
      .bind(10, verdict.unixUs);
}

/// Returns the verdict of the current row.
llvm::Expected<Verdict> readVerdict(const Statement &row, const Database &database) {
  Verdict verdict;
  verdict.id = row.text(0).str();
  verdict.network = row.text(1).str();
  verdict.target = row.text(2).str();
  verdict.templates = row.text(3).str();
  verdict.policy = row.text(4).str();
  verdict.keepsDefault = row.text(5) == "default";
  llvm::Expected<std::vector<PassedOver>> passed = passedOverFromJson(row.text(6));
  llvm::Expected<std::vector<PairedSample>> samples = pairsFromJson(row.text(7));
  if (!passed || !samples || !hasText(row, {0, 1, 2, 3, 4, 8})) {
    llvm::consumeError(llvm::joinErrors(passed.takeError(), samples.takeError()));
    return database.error("verdict " + verdict.id +
                          " is invalid; the file may have been edited; remove the verdict");
  }
  verdict.passedOver = std::move(*passed);
  verdict.samples = std::move(*samples);
  verdict.compiler = row.text(8).str();
  verdict.unixUs = row.number(9);
  return verdict;
}

/// Returns the SQL condition of a rule. ?1 is the time, ?2 the count.
std::string pruneCondition(const PruneRule &rule) {
  std::vector<std::string> conditions;
  if (rule.olderThanUs > 0) {
    conditions.push_back("unix_us < ?1");
  }
  if (rule.isStale) {
    conditions.push_back("version < (SELECT max(version) FROM trial AS other "
                         "WHERE other.template = trial.template)");
  }
  if (rule.isFailed) {
    conditions.push_back("outcome <> 'ok'");
  }
  if (rule.keepFastest > 0) {
    // The shortest sample is accurate enough to choose the trials to remove.
    conditions.push_back(
        "id IN (SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY task, target, template, "
        "version, policy, input_layout, output_layout ORDER BY (SELECT min(json_extract(value, "
        "'$[1]') * 1.0 / json_extract(value, '$[0]')) FROM json_each(samples)), configuration, id) "
        "AS place FROM trial WHERE outcome = 'ok') WHERE place > ?2)");
  }
  return llvm::join(conditions, " OR ");
}

} // namespace

llvm::Expected<RecordStore> RecordStore::open(llvm::StringRef path, Access access) {
  llvm::Expected<std::unique_ptr<Database>> database = Database::open(path, access);
  if (!database) {
    return database.takeError();
  }
  llvm::Error error =
      access == Access::Read ? checkReadable(**database) : prepareForWriting(**database);
  if (error) {
    return error;
  }
  return RecordStore(std::move(*database));
}

llvm::Error RecordStore::checkSame(const Record &record) {
  llvm::Expected<Statement> select = database->prepare(selectFrom("WHERE trial.id = ?1"));
  if (!select) {
    return select.takeError();
  }
  select->bind(1, record.trial);
  llvm::Expected<bool> hasRow = select->step();
  if (!hasRow) {
    return hasRow.takeError();
  }
  llvm::Expected<Record> known = readRow(*select, *database);
  if (!known) {
    return known.takeError();
  }
  if (toJsonLine(*known) == toJsonLine(record)) {
    return llvm::Error::success();
  }
  return database->error("it already contains trial " + record.trial +
                         " with different content; remove the copy that was edited");
}

llvm::Expected<bool> RecordStore::insert(Statement &task, Statement &trial, const Record &record) {
  if (llvm::Error error = checkRecord(record)) {
    return error;
  }
  std::string hash = taskHash(record.taskText);
  if (llvm::Error error = task.bind(1, hash).bind(2, record.taskText).run()) {
    return error;
  }
  bindTrial(trial, record, hash);
  if (llvm::Error error = trial.run()) {
    return error;
  }
  if (database->changedRows() == 1) {
    return true;
  }
  if (llvm::Error error = checkSame(record)) {
    return error;
  }
  return false;
}

llvm::Expected<Added> RecordStore::append(llvm::ArrayRef<Record> records,
                                          llvm::ArrayRef<Verdict> verdicts) {
  llvm::Expected<Transaction> transaction = Transaction::begin(*database);
  if (!transaction) {
    return transaction.takeError();
  }
  llvm::Expected<Added> result = insertAll(records);
  if (!result) {
    return result.takeError();
  }
  if (llvm::Error error = insertAll(verdicts, *result)) {
    return error;
  }
  if (llvm::Error error = transaction->commit()) {
    return error;
  }
  return result;
}

llvm::Expected<Added> RecordStore::insertAll(llvm::ArrayRef<Record> records) {
  llvm::Expected<Statement> task = database->prepare(kInsertTask);
  if (!task) {
    return task.takeError();
  }
  llvm::Expected<Statement> trial = database->prepare(kInsertTrial);
  if (!trial) {
    return trial.takeError();
  }
  Added result;
  for (const Record &record : records) {
    llvm::Expected<bool> isNew = insert(*task, *trial, record);
    if (!isNew) {
      return isNew.takeError();
    }
    ++(*isNew ? result.added : result.known);
  }
  return result;
}

llvm::Error RecordStore::insertAll(llvm::ArrayRef<Verdict> verdicts, Added &result) {
  if (verdicts.empty()) {
    return llvm::Error::success();
  }
  llvm::Expected<std::vector<Verdict>> known = this->verdicts();
  llvm::Expected<Statement> insert = database->prepare(kInsertVerdict);
  if (!known || !insert) {
    return llvm::joinErrors(known.takeError(), insert.takeError());
  }
  for (const Verdict &verdict : verdicts) {
    if (llvm::Error error = checkVerdict(verdict)) {
      return error;
    }
    auto same = llvm::find_if(*known, [&](const Verdict &one) { return one.id == verdict.id; });
    if (same != known->end() && toJsonLine(*same) != toJsonLine(verdict)) {
      return database->error("it already contains verdict " + verdict.id +
                             " with different content; remove the copy that was "
                             "edited");
    }
    ++(same == known->end() ? result.added : result.known);
    bindVerdict(*insert, verdict);
    if (llvm::Error error = insert->run()) {
      return error;
    }
  }
  return llvm::Error::success();
}

llvm::Expected<std::vector<Verdict>> RecordStore::verdicts() {
  std::vector<Verdict> result;
  llvm::Expected<int64_t> tables =
      database->number("SELECT count(*) FROM sqlite_schema WHERE name = 'verdict'");
  if (!tables) {
    return tables.takeError();
  }
  if (*tables == 0) {
    return result;
  }
  llvm::Expected<Statement> select = database->prepare("SELECT * FROM verdict ORDER BY id");
  if (!select) {
    return select.takeError();
  }
  while (true) {
    llvm::Expected<bool> hasRow = select->step();
    if (!hasRow) {
      return hasRow.takeError();
    }
    if (!*hasRow) {
      return result;
    }
    llvm::Expected<Verdict> verdict = readVerdict(*select, *database);
    if (!verdict) {
      return verdict.takeError();
    }
    result.push_back(std::move(*verdict));
  }
}

llvm::Expected<std::vector<Record>> RecordStore::find(const RecordKey &key) {
  llvm::Expected<Statement> select = database->prepare(
      selectFrom("WHERE trial.task = ?1 AND target = ?2 AND template = ?3 AND version = ?4 AND "
                 "policy = ?5 ORDER BY unix_us, trial.id"));
  if (!select) {
    return select.takeError();
  }
  select->bind(1, key.task)
      .bind(2, key.target)
      .bind(3, key.templateId)
      .bind(4, key.templateVersion)
      .bind(5, key.policy);
  std::vector<Record> records;
  while (true) {
    llvm::Expected<bool> hasRow = select->step();
    if (!hasRow) {
      return hasRow.takeError();
    }
    if (!*hasRow) {
      return records;
    }
    llvm::Expected<Record> record = readRow(*select, *database);
    if (!record) {
      return record.takeError();
    }
    records.push_back(std::move(*record));
  }
}

llvm::Error RecordStore::forEach(llvm::function_ref<void(Record &&)> call) {
  // One statement reads one consistent view, without records that are added meanwhile.
  llvm::Expected<Statement> select = database->prepare(selectFrom("ORDER BY trial.id"));
  if (!select) {
    return select.takeError();
  }
  while (true) {
    llvm::Expected<bool> hasRow = select->step();
    if (!hasRow || !*hasRow) {
      return hasRow.takeError();
    }
    llvm::Expected<Record> record = readRow(*select, *database);
    if (!record) {
      return record.takeError();
    }
    call(std::move(*record));
  }
}

llvm::Error RecordStore::readAll(llvm::function_ref<void(Record &&)> record,
                                 llvm::function_ref<void(Verdict &&)> verdict) {
  if (llvm::Error error = forEach(record)) {
    return error;
  }
  llvm::Expected<std::vector<Verdict>> all = verdicts();
  if (!all) {
    return all.takeError();
  }
  for (Verdict &read : *all) {
    verdict(std::move(read));
  }
  return llvm::Error::success();
}

llvm::Expected<Added> RecordStore::merge(RecordStore &other) {
  std::vector<Record> records;
  std::vector<Verdict> verdicts;
  if (llvm::Error error =
          other.readAll([&](Record &&record) { records.push_back(std::move(record)); },
                        [&](Verdict &&verdict) { verdicts.push_back(std::move(verdict)); })) {
    return error;
  }
  return append(records, verdicts);
}

llvm::Expected<int64_t> RecordStore::prune(const PruneRule &rule) {
  if (rule.isEmpty()) {
    return 0;
  }
  llvm::Expected<Transaction> transaction = Transaction::begin(*database);
  if (!transaction) {
    return transaction.takeError();
  }
  llvm::Expected<Statement> remove =
      database->prepare("DELETE FROM trial WHERE " + pruneCondition(rule));
  if (!remove) {
    return remove.takeError();
  }
  if (llvm::Error error = remove->bind(1, rule.olderThanUs).bind(2, rule.keepFastest).run()) {
    return error;
  }
  int64_t removed = database->changedRows();
  if (rule.isDryRun) {
    return removed; // the transaction rolls back
  }
  llvm::Expected<Statement> removeVerdicts =
      database->prepare("DELETE FROM verdict WHERE unix_us < ?1");
  if (!removeVerdicts) {
    return removeVerdicts.takeError();
  }
  if (llvm::Error error = removeVerdicts->bind(1, rule.olderThanUs).run()) {
    return error;
  }
  if (llvm::Error error =
          database->execute("DELETE FROM task WHERE hash NOT IN (SELECT task FROM trial)")) {
    return error;
  }
  if (llvm::Error error = transaction->commit()) {
    return error;
  }
  // Frees the disk space. SQLite does not permit VACUUM inside a transaction.
  if (llvm::Error error = database->execute("VACUUM")) {
    return error;
  }
  return removed;
}

} // namespace convoy::tuning
