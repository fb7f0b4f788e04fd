// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the summary in one pass over all records.

#include "Overview.h"
#include "tuning/records/Snapshot.h"

namespace convoy::tuning {

int64_t KeyOverview::trialCount() const {
  int64_t count = 0;
  for (const auto &[outcome, trialsOfIt] : trials) {
    count += trialsOfIt;
  }
  return count;
}

int64_t KeyOverview::okCount() const {
  auto it = trials.find(Outcome::Ok);
  return it == trials.end() ? 0 : it->second;
}

llvm::Expected<Overview> readOverview(RecordStore &store) {
  using Order = std::tuple<std::string, std::string, std::string, int64_t, std::string>;
  std::map<Order, KeyOverview> keys;
  ContentHash hash;
  Overview overview;
  auto addRecord = [&](Record &&record) {
    hash.add(record);
    ++overview.records;
    RecordKey key = record.key();
    KeyOverview &entry =
        keys[{record.taskText, key.target, key.templateId, key.templateVersion, key.policy}];
    entry.key = std::move(key);
    entry.taskText = record.taskText;
    ++entry.trials[record.outcome];
    double ns = record.outcome == Outcome::Ok ? medianNs(record.samples) : 0;
    bool isFaster = entry.bestNs == 0 || ns < entry.bestNs ||
                    (ns == entry.bestNs && record.configuration < entry.best);
    if (ns > 0 && isFaster) {
      entry.bestNs = ns;
      entry.best = record.configuration;
    }
  };
  if (llvm::Error error = store.readAll(addRecord, [&](Verdict &&verdict) { hash.add(verdict); })) {
    return error;
  }
  overview.hash = hash.finish();
  for (auto &[order, entry] : keys) {
    overview.keys.push_back(std::move(entry));
  }
  return overview;
}

} // namespace convoy::tuning
