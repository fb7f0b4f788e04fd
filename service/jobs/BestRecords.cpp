// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "service/jobs/BestRecords.h"
#include <algorithm>

namespace convoy::service {
namespace {

/// The number of samples of a configuration that are kept: the newest ones. 64 samples of 8 bytes
/// for each of 100,000 configurations take 51 MB.
constexpr size_t kMostSamples = 64;

using tuning::Configuration;
using tuning::Outcome;
using tuning::Record;
using tuning::Sample;

bool isUsable(llvm::StringRef templateId, int version, const TaskQuery &query) {
  if (query.templateVersions.empty()) {
    return true;
  }
  auto known = query.templateVersions.find(templateId.str());
  return known != query.templateVersions.end() && known->second == version;
}

/// Adds the clean samples and drops the oldest ones beyond the limit.
void addSamples(std::vector<double> &sampleNs, llvm::ArrayRef<Sample> news) {
  for (const Sample &sample : news) {
    if (sample.isClean) {
      sampleNs.push_back(sample.nsPerRun());
    }
  }
  if (sampleNs.size() > kMostSamples) {
    sampleNs.erase(sampleNs.begin(), sampleNs.end() - kMostSamples);
  }
}

double medianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  size_t middle = values.size() / 2;
  double upper = values[middle];
  return values.size() % 2 == 1 ? upper : (upper + values[middle - 1]) / 2;
}

/// Sorts by time. The text of the configuration breaks ties.
bool isFaster(const BestChoice &a, const BestChoice &b) {
  return std::tie(a.ns, a.configuration) < std::tie(b.ns, b.configuration);
}

} // namespace

void BestRecords::findFastest(VariantRecords &variant) {
  variant.fastest = nullptr;
  for (const auto &[text, measured] : variant.measured) {
    if (measured.isUsable() &&
        (!variant.fastest || isFaster(*measured.choice, *variant.fastest->choice))) {
      variant.fastest = &measured;
    }
  }
}

void BestRecords::add(const Record &record, llvm::StringRef job, llvm::StringRef worker) {
  std::lock_guard<std::mutex> lock(mutex);
  Key key{hashes.of(record.taskText), record.target, record.policy};
  TaskRecords &task = byKey[key];
  const Configuration &configuration = record.configuration;
  VariantRecords &variant = task[{configuration.inputLayout, configuration.outputLayout,
                                  configuration.templateId, configuration.templateVersion}];
  Measured &entry = variant.measured[configuration.text];
  entry.isRuledOut |= record.outcome == Outcome::WrongResult || record.outcome == Outcome::Crash;
  if (record.outcome == Outcome::Ok) {
    addSamples(entry.sampleNs, record.samples);
  }
  if (record.outcome == Outcome::Ok && !entry.sampleNs.empty()) {
    ++entry.trials;
    auto choice =
        entry.choice ? std::make_shared<BestChoice>(*entry.choice) : std::make_shared<BestChoice>();
    choice->configuration = configuration;
    choice->ns = medianOf(entry.sampleNs);
    choice->samples = static_cast<int64_t>(entry.sampleNs.size());
    if (record.unixUs >= choice->unixUs) { // else the trial that measured it last is known
      choice->trial = record.trial;
      choice->job = job.str();
      choice->worker = worker.str();
      choice->compiler = record.compiler;
      choice->unixUs = record.unixUs;
    }
    entry.choice = std::move(choice);
  }
  const Measured *before = variant.fastest;
  if (before == &entry) {
    findFastest(variant); // it may have become slower
  } else if (entry.isUsable() && (!before || isFaster(*entry.choice, *before->choice))) {
    variant.fastest = &entry;
  }
  if (before == &entry || variant.fastest == &entry) {
    publish(key, task);
  }
}

void BestRecords::publish(const Key &key, const TaskRecords &task) {
  auto answer = std::make_shared<Answer>();
  for (const auto &[name, variant] : task) {
    if (variant.fastest) {
      answer->push_back(variant.fastest->choice);
    }
  }
  std::shared_ptr<const Answer> current = std::move(answer);
  {
    std::unique_lock<std::shared_mutex> lock(answerMutex);
    answers[key].swap(current);
  }
  // `current` is the answer before; it is freed without the lock.
}

std::vector<std::shared_ptr<const BestChoice>> BestRecords::find(const TaskQuery &query) const {
  std::shared_ptr<const Answer> answer;
  {
    std::shared_lock<std::shared_mutex> lock(answerMutex);
    auto found = answers.find(std::tie(query.task, query.target, query.policy));
    if (found == answers.end()) {
      return {};
    }
    answer = found->second;
  }
  std::vector<std::shared_ptr<const BestChoice>> choices;
  for (const std::shared_ptr<const BestChoice> &choice : *answer) {
    const Configuration &one = choice->configuration;
    if (!isUsable(one.templateId, one.templateVersion, query)) {
      continue;
    }
    // Variants are sorted by layouts, so those of one pair follow each other.
    bool isSamePair = !choices.empty() &&
                      choices.back()->configuration.inputLayout == one.inputLayout &&
                      choices.back()->configuration.outputLayout == one.outputLayout;
    if (!isSamePair) {
      choices.push_back(choice);
    } else if (isFaster(*choice, *choices.back())) {
      choices.back() = choice;
    }
  }
  std::sort(choices.begin(), choices.end(),
            [](const auto &a, const auto &b) { return isFaster(*a, *b); });
  return choices;
}

BestRecords::Counts BestRecords::count(const TaskQuery &query) const {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = byKey.find(std::tie(query.task, query.target, query.policy));
  if (found == byKey.end()) {
    return {};
  }
  Counts counts;
  for (const auto &[name, variant] : found->second) {
    if (isUsable(std::get<2>(name), std::get<3>(name), query)) {
      for (const auto &[text, measured] : variant.measured) {
        counts.trials += measured.trials;
        counts.configurations += measured.trials > 0;
      }
    }
  }
  return counts;
}

size_t BestRecords::taskCount() const {
  std::lock_guard<std::mutex> lock(mutex);
  return byKey.size();
}

} // namespace convoy::service
