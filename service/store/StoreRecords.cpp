// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records and verdicts.

#include "StoreState.h"
#include "Support/Json.h"
#include "service/store/ArrayText.h"
#include "tuning/records/JsonLines.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::service::store {
namespace {

// Larger statements are not faster, and one import may have a million records.
constexpr size_t kRowsPerStatement = 1000;
constexpr const char *kInvalid = " is invalid; the database may have been edited; remove it";

/// The columns of the table of records.
struct RecordColumns {
  ArrayText trials, hashes, targets, templates, versions, policies, configurations, inputs, outputs,
      outcomes, messages, samples, sentinels, compilers, artifacts, times, jobs, devices;

  void add(const NewRecord &row, llvm::StringRef hash);
};

void RecordColumns::add(const NewRecord &row, llvm::StringRef hash) {
  const tuning::Record &record = *row.record;
  trials.add(record.trial);
  hashes.add(hash);
  targets.add(record.target);
  templates.add(record.configuration.templateId);
  versions.add(record.configuration.templateVersion);
  policies.add(record.policy);
  configurations.add(record.configuration.text);
  inputs.add(record.configuration.inputLayout);
  outputs.add(record.configuration.outputLayout);
  outcomes.add(tuning::name(record.outcome));
  messages.add(record.message);
  samples.add(tuning::samplesToJson(record.samples));
  sentinels.add(record.sentinelNs);
  compilers.add(record.compiler);
  artifacts.add(record.artifact);
  times.add(record.unixUs);
  jobs.add(row.job);
  devices.add(row.device);
}

llvm::Expected<tuning::Record> readRecord(const pqxx::row &row) {
  tuning::Record record;
  record.trial = row[0].c_str();
  record.taskText = row[1].c_str();
  record.target = row[2].c_str();
  record.configuration.templateId = row[3].c_str();
  record.configuration.templateVersion = row[4].as<int>();
  record.policy = row[5].c_str();
  record.configuration.text = row[6].c_str();
  record.configuration.inputLayout = row[7].c_str();
  record.configuration.outputLayout = row[8].c_str();
  std::optional<tuning::Outcome> outcome = tuning::outcomeFromName(row[9].c_str());
  llvm::Expected<std::vector<tuning::Sample>> samples = tuning::samplesFromJson(row[11].c_str());
  if (!outcome || !samples) {
    llvm::consumeError(samples.takeError());
    return llvm::make_error<StoreError>(StoreError::Kind::Invalid,
                                        "record " + record.trial + kInvalid);
  }
  record.outcome = *outcome;
  record.message = row[10].c_str();
  record.samples = std::move(*samples);
  record.sentinelNs = row[12].as<int64_t>();
  record.compiler = row[13].c_str();
  record.artifact = row[14].c_str();
  record.unixUs = row[15].as<int64_t>();
  return record;
}

llvm::Expected<tuning::Verdict> readVerdict(const pqxx::row &row) {
  llvm::Expected<llvm::json::Value> value = parseJson(row[1].c_str());
  if (value && value->getAsObject()) {
    return tuning::verdictFromJson(*value->getAsObject());
  }
  llvm::consumeError(value.takeError());
  return llvm::make_error<StoreError>(StoreError::Kind::Invalid,
                                      std::string("verdict ") + row[0].c_str() + kInvalid);
}

llvm::Error checkAll(llvm::ArrayRef<tuning::Record> records) {
  for (const tuning::Record &record : records) {
    if (llvm::Error error = tuning::checkRecord(record)) {
      return llvm::make_error<StoreError>(StoreError::Kind::Invalid,
                                          llvm::toString(std::move(error)));
    }
  }
  return llvm::Error::success();
}

} // namespace

void insertTexts(Transaction &transaction, std::vector<llvm::StringRef> texts) {
  // In one order, so that two transactions that insert the same texts do not deadlock.
  llvm::sort(texts);
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  ArrayText hashes, contents;
  for (llvm::StringRef text : texts) {
    hashes.add(tuning::taskHash(text));
    contents.add(text);
  }
  transaction.run("insert into task_texts select * from unnest($1::text[], $2::text[]) on "
                  "conflict do nothing",
                  hashes.str(), contents.str());
}

int64_t insertRecords(Transaction &transaction, llvm::ArrayRef<NewRecord> records,
                      TaskHashes &hashes, const llvm::StringSet<> &knownTexts) {
  int64_t added = 0;
  while (!records.empty()) {
    RecordColumns columns;
    std::vector<llvm::StringRef> texts;
    llvm::ArrayRef<NewRecord> part = records.take_front(kRowsPerStatement);
    for (const NewRecord &row : part) {
      const std::string &hash = hashes.of(row.record->taskText);
      columns.add(row, hash);
      if (!knownTexts.contains(hash)) {
        texts.push_back(row.record->taskText);
      }
    }
    records = records.drop_front(part.size());
    if (!texts.empty()) {
      insertTexts(transaction, std::move(texts));
    }
    pqxx::result inserted = transaction.run(
        "insert into records select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], "
        "$5::int[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], "
        "$12::text[], $13::bigint[], $14::text[], $15::text[], $16::bigint[], $17::text[], "
        "$18::text[]) on conflict do nothing",
        columns.trials.str(), columns.hashes.str(), columns.targets.str(), columns.templates.str(),
        columns.versions.str(), columns.policies.str(), columns.configurations.str(),
        columns.inputs.str(), columns.outputs.str(), columns.outcomes.str(), columns.messages.str(),
        columns.samples.str(), columns.sentinels.str(), columns.compilers.str(),
        columns.artifacts.str(), columns.times.str(), columns.jobs.str(), columns.devices.str());
    added += static_cast<int64_t>(inserted.affected_rows());
  }
  return added;
}

llvm::Expected<tuning::Added> Store::addRecords(llvm::ArrayRef<tuning::Record> records) {
  if (llvm::Error error = checkAll(records)) {
    return error;
  }
  std::vector<NewRecord> rows;
  for (const tuning::Record &record : records) {
    rows.push_back({&record, "", ""});
  }
  tuning::Added result;
  llvm::Error error = state->write("store records", [&](Transaction &transaction) {
    result.added = insertRecords(transaction, rows, state->hashes, state->knownTexts);
    return llvm::Error::success();
  });
  if (error) {
    return error;
  }
  result.known = static_cast<int64_t>(records.size()) - result.added;
  return result;
}

llvm::Error Store::forEachRecord(llvm::function_ref<void(StoredRecord &&)> call) {
  Session session(state->connection, state->reconnectSeconds);
  return session.transact("read records", [&](Transaction &transaction) -> llvm::Error {
    transaction.noteWrite(); // a repetition would call the function again for the same records
    transaction.script("set local statement_timeout = 0; "
                       "set local idle_in_transaction_session_timeout = 0; "
                       "declare every cursor for select trial, content, target, template, version, "
                       "policy, configuration, input_layout, output_layout, outcome, message, "
                       "samples, sentinel_ns, compiler, artefact, unix_us, job, device from "
                       "records join task_texts on hash = text_hash order by trial");
    while (true) {
      pqxx::result rows = transaction.script("fetch 2000 from every");
      for (const pqxx::row &row : rows) {
        llvm::Expected<tuning::Record> record = readRecord(row);
        if (!record) {
          return record.takeError();
        }
        call({std::move(*record), row[16].c_str(), row[17].c_str()});
      }
      if (rows.empty()) {
        return llvm::Error::success();
      }
    }
  });
}

llvm::Error Store::addVerdicts(llvm::ArrayRef<tuning::Verdict> verdicts) {
  ArrayText ids, contents;
  for (const tuning::Verdict &verdict : verdicts) {
    if (llvm::Error error = tuning::checkVerdict(verdict)) {
      return llvm::make_error<StoreError>(StoreError::Kind::Invalid,
                                          llvm::toString(std::move(error)));
    }
    ids.add(verdict.id);
    contents.add(tuning::toJsonLine(verdict));
  }
  return state->write("store verdicts", [&](Transaction &transaction) {
    transaction.run("insert into verdicts select * from unnest($1::text[], $2::text[]) on "
                    "conflict do nothing",
                    ids.str(), contents.str());
    return llvm::Error::success();
  });
}

llvm::Expected<std::vector<tuning::Verdict>> Store::verdicts() {
  std::vector<tuning::Verdict> verdicts;
  llvm::Error error = state->read("read verdicts", [&](Transaction &transaction) -> llvm::Error {
    verdicts.clear();
    for (const pqxx::row &row : transaction.run("select id, content from verdicts order by id")) {
      llvm::Expected<tuning::Verdict> verdict = readVerdict(row);
      if (!verdict) {
        return verdict.takeError();
      }
      verdicts.push_back(std::move(*verdict));
    }
    return llvm::Error::success();
  });
  if (error) {
    return error;
  }
  return verdicts;
}

} // namespace convoy::service::store
