// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trials and their results. A result may arrive twice: after a lost acknowledgement, after an
// expired lease, or at an old and a new leader. finishTrials() locks the trials, so one result
// wins.

#include "StoreState.h"
#include "service/store/ArrayText.h"
#include "tuning/records/JsonLines.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

namespace convoy::service::store {
namespace {

using Kind = StoreError::Kind;

/// The columns that identify trials.
struct IdColumns {
  ArrayText jobs, rounds, places;

  void add(const TrialId &id) {
    jobs.add(id.job);
    rounds.add(id.round);
    places.add(id.place);
  }
};

llvm::Error notFound(const std::string &trial) {
  return llvm::make_error<StoreError>(Kind::NotFound, "trial '" + trial + "' does not exist");
}

/// Locks the trials of the results in one order, so that two transactions do not deadlock. Returns
/// the ids that have no result yet.
llvm::Expected<std::set<TrialId>> lockTrials(Transaction &transaction,
                                             llvm::ArrayRef<TrialResult> results) {
  IdColumns ids;
  for (const TrialResult &result : results) {
    ids.add(result.id);
  }
  std::set<TrialId> known, open;
  for (const pqxx::row &row : transaction.run(
           "select job, round, place, state from trials where (job, round, place) in (select * "
           "from "
           "unnest($1::text[], $2::bigint[], $3::bigint[])) order by job, round, place for update",
           ids.jobs.str(), ids.rounds.str(), ids.places.str())) {
    TrialId id{row[0].c_str(), row[1].as<int64_t>(), row[2].as<int64_t>()};
    known.insert(id);
    if (trialStateFromName(row[3].c_str()) != TrialState::Done) {
      open.insert(std::move(id));
    }
  }
  for (const TrialResult &result : results) {
    if (known.count(result.id) == 0) {
      return notFound(result.id.text());
    }
  }
  return open;
}

/// The columns of results.
struct ResultColumns {
  IdColumns ids;
  ArrayText attempts, outcomes, messages, samples, sentinels, artifacts, builders, devices, classes,
      buildSeconds, measureSeconds, trials;

  void add(const TrialResult &result);
};

void ResultColumns::add(const TrialResult &result) {
  ids.add(result.id);
  attempts.add(result.attempt);
  outcomes.add(tuning::name(result.outcome));
  messages.add(result.message);
  samples.add(tuning::samplesToJson(result.samples));
  sentinels.add(result.sentinelNs);
  artifacts.add(result.artifact);
  builders.add(result.builder);
  devices.add(result.device);
  classes.add(result.deviceClass);
  buildSeconds.add(result.buildSeconds);
  measureSeconds.add(result.measureSeconds);
  trials.add(result.id.text());
}

void insertResults(Transaction &transaction, const ResultColumns &columns, int64_t epoch) {
  transaction.run(
      "with input as (select * from unnest($1::text[], $2::bigint[], $3::bigint[], $4::int[], "
      "$5::text[], $6::text[], $7::text[], $8::bigint[], $9::text[], $10::text[], $11::text[], "
      "$12::text[], $13::float8[], $14::float8[], $15::text[]) as input (job, round, place, "
      "attempt, "
      "outcome, message, samples, sentinel_ns, artefact, builder, device, device_class, "
      "build_seconds, measure_seconds, trial)), "
      "ledger as (insert into usage_ledger (project, job, device_class, device_seconds, "
      "build_seconds, trial) select project, job, device_class, measure_seconds, build_seconds, "
      "trial from input join jobs on jobs.id = input.job) "
      "update trials set state = 'done', attempt = input.attempt, candidate = '', epoch = $16, "
      "outcome = input.outcome, message = input.message, samples = input.samples, sentinel_ns = "
      "input.sentinel_ns, artefact = input.artefact, builder = input.builder, device = "
      "input.device, device_class = input.device_class, build_seconds = input.build_seconds, "
      "measure_seconds = input.measure_seconds, done_us = now_us() from input where trials.job = "
      "input.job and trials.round = input.round and trials.place = input.place",
      columns.ids.jobs.str(), columns.ids.rounds.str(), columns.ids.places.str(),
      columns.attempts.str(), columns.outcomes.str(), columns.messages.str(), columns.samples.str(),
      columns.sentinels.str(), columns.artifacts.str(), columns.builders.str(),
      columns.devices.str(), columns.classes.str(), columns.buildSeconds.str(),
      columns.measureSeconds.str(), columns.trials.str(), epoch);
}

/// Returns the records of the results with storable messages, and none for other results.
llvm::Expected<std::vector<std::optional<tuning::Record>>>
checkedRecords(llvm::ArrayRef<TrialResult> results) {
  std::vector<std::optional<tuning::Record>> records;
  for (const TrialResult &result : results) {
    records.push_back(result.record);
    if (!records.back()) {
      continue;
    }
    records.back()->message = storableText(records.back()->message);
    if (llvm::Error error = tuning::checkRecord(*records.back())) {
      return llvm::make_error<StoreError>(Kind::Invalid, llvm::toString(std::move(error)));
    }
  }
  return records;
}

/// Returns which results are the first of their trial, with the records of these results.
struct FirstResults {
  std::vector<bool> isFirst;
  std::vector<NewRecord> records;
};

llvm::Expected<FirstResults> finishIn(Transaction &transaction, llvm::ArrayRef<TrialResult> results,
                                      llvm::ArrayRef<std::optional<tuning::Record>> records,
                                      int64_t epoch) {
  llvm::Expected<std::set<TrialId>> open = lockTrials(transaction, results);
  if (!open) {
    return open.takeError();
  }
  FirstResults firsts;
  ResultColumns columns;
  for (auto [result, record] : llvm::zip_equal(results, records)) {
    firsts.isFirst.push_back(open->erase(result.id) > 0);
    if (firsts.isFirst.back()) {
      columns.add(result);
      if (record) {
        firsts.records.push_back({&*record, result.id.job, result.device});
      }
    }
  }
  if (llvm::is_contained(firsts.isFirst, true)) {
    insertResults(transaction, columns, epoch);
  }
  return firsts;
}

llvm::Expected<TrialResult> readResult(const TrialId &id, int attempt, const pqxx::row &row) {
  TrialResult result;
  result.id = id;
  result.attempt = attempt;
  std::optional<tuning::Outcome> outcome = tuning::outcomeFromName(row["outcome"].c_str());
  llvm::Expected<std::vector<tuning::Sample>> samples =
      tuning::samplesFromJson(row["samples"].c_str());
  if (!outcome || !samples) {
    llvm::consumeError(samples.takeError());
    return llvm::make_error<StoreError>(Kind::Invalid,
                                        "the result of trial '" + id.text() +
                                            "' is invalid; the database may have been edited");
  }
  result.outcome = *outcome;
  result.message = row["message"].c_str();
  result.samples = std::move(*samples);
  result.sentinelNs = row["sentinel_ns"].as<int64_t>();
  result.artifact = row["artefact"].c_str();
  result.builder = row["builder"].c_str();
  result.device = row["device"].c_str();
  result.deviceClass = row["device_class"].c_str();
  result.buildSeconds = row["build_seconds"].as<double>();
  result.measureSeconds = row["measure_seconds"].as<double>();
  return result;
}

llvm::Expected<TrialRow> readTrial(const pqxx::row &row) {
  TrialRow trial;
  trial.id = {row["job"].c_str(), row["round"].as<int64_t>(), row["place"].as<int64_t>()};
  trial.task = row["task"].as<int64_t>();
  trial.configuration = {row["template"].c_str(), row["version"].as<int>(),
                         row["configuration"].c_str(), row["input_layout"].c_str(),
                         row["output_layout"].c_str()};
  // The table checks the names.
  trial.state = trialStateFromName(row["state"].c_str()).value_or(TrialState::Requested);
  trial.attempt = row["attempt"].as<int>();
  trial.candidate = row["candidate"].c_str();
  trial.epoch = row["epoch"].as<int64_t>();
  if (trial.state == TrialState::Done) {
    llvm::Expected<TrialResult> result = readResult(trial.id, trial.attempt, row);
    if (!result) {
      return result.takeError();
    }
    trial.result = std::move(*result);
  }
  return trial;
}

} // namespace

llvm::Error Store::addTrials(llvm::ArrayRef<TrialRow> trials) {
  IdColumns ids;
  ArrayText tasks, templates, versions, configurations, inputs, outputs;
  for (const TrialRow &trial : trials) {
    ids.add(trial.id);
    tasks.add(trial.task);
    templates.add(trial.configuration.templateId);
    versions.add(trial.configuration.templateVersion);
    configurations.add(trial.configuration.text);
    inputs.add(trial.configuration.inputLayout);
    outputs.add(trial.configuration.outputLayout);
  }
  return state->write("store trials", [&](Transaction &transaction) {
    transaction.run(
        "insert into trials (job, round, place, task, template, version, configuration, "
        "input_layout, output_layout, state, attempt, epoch) select *, 'requested', 0, "
        "$10::bigint from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], "
        "$6::int[], $7::text[], $8::text[], $9::text[]) on conflict do nothing",
        ids.jobs.str(), ids.rounds.str(), ids.places.str(), tasks.str(), templates.str(),
        versions.str(), configurations.str(), inputs.str(), outputs.str(), epoch());
    return llvm::Error::success();
  });
}

llvm::Error Store::stepTrials(llvm::ArrayRef<TrialStep> steps) {
  IdColumns ids;
  ArrayText states, attempts, candidates;
  std::map<TrialId, const TrialStep *> last; // a statement updates a row once
  for (const TrialStep &step : steps) {
    last[step.id] = &step;
  }
  for (auto &[id, step] : last) {
    ids.add(id);
    states.add(name(step->state));
    attempts.add(step->attempt);
    candidates.add(step->candidate);
  }
  return state->write("store the progress of trials", [&](Transaction &transaction) {
    transaction.run(
        "update trials set state = input.state, attempt = input.attempt, epoch = $7, candidate = "
        "coalesce(nullif(input.candidate, ''), trials.candidate) from unnest($1::text[], "
        "$2::bigint[], $3::bigint[], $4::text[], $5::int[], $6::text[]) as input (job, round, "
        "place, "
        "state, attempt, candidate) where trials.job = input.job and trials.round = input.round "
        "and "
        "trials.place = input.place and trials.state <> 'done' and trials.attempt <= "
        "input.attempt",
        ids.jobs.str(), ids.rounds.str(), ids.places.str(), states.str(), attempts.str(),
        candidates.str(), epoch());
    return llvm::Error::success();
  });
}

llvm::Expected<std::vector<bool>> Store::finishTrials(llvm::ArrayRef<TrialResult> results) {
  llvm::Expected<std::vector<std::optional<tuning::Record>>> records = checkedRecords(results);
  if (!records) {
    return records.takeError();
  }
  FirstResults stored;
  auto write = [&](Transaction &transaction) -> llvm::Error {
    llvm::Expected<FirstResults> firsts = finishIn(transaction, results, *records, epoch());
    if (!firsts) {
      return firsts.takeError();
    }
    stored = std::move(*firsts);
    insertRecords(transaction, stored.records, state->hashes, state->knownTexts);
    return llvm::Error::success();
  };
  auto noteTexts = [&] {
    for (const NewRecord &row : stored.records) {
      state->knownTexts.insert(state->hashes.of(row.record->taskText));
    }
  };
  if (llvm::Error error = state->write("store results", write, noteTexts)) {
    return error;
  }
  return std::move(stored.isFirst);
}

llvm::Expected<std::vector<TrialRow>> Store::trials(llvm::StringRef job) {
  std::vector<TrialRow> trials;
  llvm::Error error =
      state->read("read the trials of a job", [&](Transaction &transaction) -> llvm::Error {
        trials.clear();
        for (const pqxx::row &row : transaction.run(
                 "select * from trials where job = $1 order by round, place", job.str())) {
          llvm::Expected<TrialRow> trial = readTrial(row);
          if (!trial) {
            return trial.takeError();
          }
          trials.push_back(std::move(*trial));
        }
        return llvm::Error::success();
      });
  if (error) {
    return error;
  }
  return trials;
}

} // namespace convoy::service::store
