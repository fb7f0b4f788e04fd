// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "service/jobs/BestRecords.h"
#include <algorithm>
#include <mutex>

namespace convoy::service {
namespace {

/// The number of samples of a configuration that are kept: the newest ones.
constexpr size_t kMostSamples = 256;

using tuning::Configuration;
using tuning::Outcome;
using tuning::Record;
using tuning::Sample;

bool isUsable(const Configuration &configuration, const TaskQuery &query) {
  if (query.templateVersions.empty()) {
    return true;
  }
  auto version = query.templateVersions.find(configuration.templateId);
  return version != query.templateVersions.end() &&
         version->second == configuration.templateVersion;
}

double median(std::vector<double> values) {
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) {
    return *middle;
  }
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// Sorts by time. The text of the configuration breaks ties.
bool isFaster(const BestChoice &a, const BestChoice &b) {
  return std::tie(a.ns, a.configuration) < std::tie(b.ns, b.configuration);
}

} // namespace

void BestRecords::add(const Record &record, llvm::StringRef worker) {
  std::unique_lock<std::shared_mutex> lock(mutex);
  Measured &entry = byKey[{tuning::taskHash(record.taskText), record.target, record.policy}]
                         [record.configuration];
  if (record.outcome == Outcome::WrongResult || record.outcome == Outcome::Crash) {
    entry.isRuledOut = true;
  }
  if (record.outcome != Outcome::Ok) {
    return;
  }
  for (const Sample &sample : record.samples) {
    if (sample.isClean) {
      entry.ns.push_back(sample.nsPerRun());
    }
  }
  if (entry.ns.empty()) {
    return;
  }
  if (entry.ns.size() > kMostSamples) {
    entry.ns.erase(entry.ns.begin(), entry.ns.end() - kMostSamples);
  }
  ++entry.trials;
  BestChoice &choice = entry.choice;
  choice.configuration = record.configuration;
  choice.ns = median(entry.ns);
  choice.samples = static_cast<int64_t>(entry.ns.size());
  if (record.unixUs < choice.unixUs) {
    return; // the trial that measured it last is known
  }
  choice.trial = record.trial;
  choice.worker = worker.str();
  choice.compiler = record.compiler;
  choice.unixUs = record.unixUs;
}

std::vector<BestChoice> BestRecords::find(const TaskQuery &query) const {
  std::shared_lock<std::shared_mutex> lock(mutex);
  auto found = byKey.find({query.task, query.target, query.policy});
  if (found == byKey.end()) {
    return {};
  }
  std::map<std::pair<std::string, std::string>, const BestChoice *> byLayouts;
  for (const auto &[configuration, measured] : found->second) {
    if (measured.isRuledOut || measured.ns.empty() || !isUsable(configuration, query)) {
      continue;
    }
    const BestChoice *&best = byLayouts[{configuration.inputLayout, configuration.outputLayout}];
    if (!best || isFaster(measured.choice, *best)) {
      best = &measured.choice;
    }
  }
  std::vector<BestChoice> choices;
  for (const auto &[layouts, choice] : byLayouts) {
    choices.push_back(*choice);
  }
  std::sort(choices.begin(), choices.end(), isFaster);
  return choices;
}

int64_t BestRecords::trialCount(const TaskQuery &query) const {
  std::shared_lock<std::shared_mutex> lock(mutex);
  auto found = byKey.find({query.task, query.target, query.policy});
  if (found == byKey.end()) {
    return 0;
  }
  int64_t count = 0;
  for (const auto &[configuration, measured] : found->second) {
    count += isUsable(configuration, query) ? measured.trials : 0;
  }
  return count;
}

size_t BestRecords::taskCount() const {
  std::shared_lock<std::shared_mutex> lock(mutex);
  return byKey.size();
}

} // namespace convoy::service
