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

/// Adds the clean samples and drops the oldest ones beyond the limit.
void addSamples(std::vector<Sample> &samples, llvm::ArrayRef<Sample> news) {
  std::copy_if(news.begin(), news.end(), std::back_inserter(samples),
               [](const Sample &sample) { return sample.isClean; });
  if (samples.size() > kMostSamples) {
    samples.erase(samples.begin(), samples.end() - kMostSamples);
  }
}

/// Sorts by time. The text of the configuration breaks ties.
bool isFaster(const BestChoice &a, const BestChoice &b) {
  return std::tie(a.ns, a.configuration) < std::tie(b.ns, b.configuration);
}

} // namespace

BestRecords::Variant BestRecords::variantOf(const Configuration &configuration) {
  return {configuration.inputLayout, configuration.outputLayout, configuration.templateId,
          configuration.templateVersion};
}

void BestRecords::findFastest(TaskRecords &task, const Variant &variant) {
  const BestChoice *best = nullptr;
  for (const auto &[configuration, measured] : task.measured) {
    bool isUsable = !measured.isRuledOut && !measured.samples.empty();
    if (isUsable && variantOf(configuration) == variant &&
        (!best || isFaster(measured.choice, *best))) {
      best = &measured.choice;
    }
  }
  task.fastest[variant] = best;
}

void BestRecords::add(const Record &record, llvm::StringRef worker) {
  std::unique_lock<std::shared_mutex> lock(mutex);
  TaskRecords &task = byKey[{tuning::taskHash(record.taskText), record.target, record.policy}];
  Measured &entry = task.measured[record.configuration];
  entry.isRuledOut |= record.outcome == Outcome::WrongResult || record.outcome == Outcome::Crash;
  if (record.outcome == Outcome::Ok) {
    addSamples(entry.samples, record.samples);
  }
  if (record.outcome == Outcome::Ok && !entry.samples.empty()) {
    ++entry.trials;
    BestChoice &choice = entry.choice;
    choice.configuration = record.configuration;
    choice.ns = tuning::medianNs(entry.samples);
    choice.samples = static_cast<int64_t>(entry.samples.size());
    if (record.unixUs >= choice.unixUs) { // else the trial that measured it last is known
      choice.trial = record.trial;
      choice.worker = worker.str();
      choice.compiler = record.compiler;
      choice.unixUs = record.unixUs;
    }
  }
  findFastest(task, variantOf(record.configuration));
}

std::vector<BestChoice> BestRecords::find(const TaskQuery &query) const {
  std::shared_lock<std::shared_mutex> lock(mutex);
  auto found = byKey.find({query.task, query.target, query.policy});
  if (found == byKey.end()) {
    return {};
  }
  std::map<std::pair<std::string, std::string>, const BestChoice *> byLayouts;
  for (const auto &[variant, choice] : found->second.fastest) {
    if (!choice || !isUsable(choice->configuration, query)) {
      continue;
    }
    const BestChoice *&best = byLayouts[{std::get<0>(variant), std::get<1>(variant)}];
    if (!best || isFaster(*choice, *best)) {
      best = choice;
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
  for (const auto &[configuration, measured] : found->second.measured) {
    count += isUsable(configuration, query) ? measured.trials : 0;
  }
  return count;
}

size_t BestRecords::taskCount() const {
  std::shared_lock<std::shared_mutex> lock(mutex);
  return byKey.size();
}

} // namespace convoy::service
