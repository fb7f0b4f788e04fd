// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuning/dispatch/TaskResults.h"
#include <algorithm>
#include <limits>

namespace convoy::tuning {
namespace {

constexpr double kFailed = std::numeric_limits<double>::infinity();

std::optional<size_t> entryOf(const TaskSpace &space, const Record &record) {
  const SpaceEntry *entry = space.find(record.configuration);
  return entry ? std::optional(static_cast<size_t>(entry - space.entries.data())) : std::nullopt;
}

} // namespace

llvm::StringRef compilerVersion() { return "convoy " CONVOY_VERSION; }

std::optional<double> secondsOf(const Record &record) {
  double ns = record.outcome == Outcome::Ok ? medianNs(record.samples) : 0;
  return ns > 0 ? std::optional(ns * 1e-9) : std::nullopt;
}

std::vector<Trial> trialsOf(const TaskSpace &space, llvm::ArrayRef<Record> records) {
  std::vector<Trial> trials;
  for (const Record &record : records) {
    if (std::optional<size_t> entry = entryOf(space, record)) {
      trials.push_back({*entry, secondsOf(record)});
    }
  }
  return trials;
}

void TaskResults::add(size_t entry, const Record &record) {
  // A race on a busy machine does not replace earlier measurements.
  if (record.outcome != Outcome::TimeOut || seconds.count(entry) == 0) {
    seconds[entry] = secondsOf(record).value_or(kFailed);
  }
}

void TaskResults::add(llvm::ArrayRef<Record> records) {
  for (const Record &record : records) {
    if (std::optional<size_t> entry = entryOf(model->space, record)) {
      add(*entry, record);
    }
  }
}

std::vector<size_t> TaskResults::leaders(size_t count) const {
  std::vector<std::pair<double, size_t>> ranked;
  for (auto [entry, time] : seconds) {
    if (time != kFailed) {
      ranked.emplace_back(time, entry);
    }
  }
  llvm::sort(ranked);
  auto own = llvm::find_if(ranked, [](const auto &place) { return place.second == 0; });
  if (own != ranked.end()) {
    std::rotate(ranked.begin(), own, own + 1);
  }
  std::vector<size_t> result;
  for (size_t i = 0; i < std::min(count, ranked.size()); ++i) {
    result.push_back(ranked[i].second);
  }
  return result;
}

double TaskResults::bestSeconds() const {
  double best = kFailed;
  for (auto [entry, time] : seconds) {
    best = std::min(best, time);
  }
  return best == kFailed ? 0 : best;
}

double TaskResults::defaultSeconds() const {
  auto first = seconds.find(0);
  return first == seconds.end() || first->second == kFailed ? 0 : first->second;
}

} // namespace convoy::tuning
