// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuning/dispatch/SavedSearch.h"
#include "tuning/dispatch/TaskResults.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace convoy::tuning {
namespace {

constexpr size_t kIdDigits = 16;
/// Rounds from this number on are races.
constexpr uint32_t kFirstRace = 0xf0000000;

uint32_t roundOf(const Record &record) {
  uint32_t round = 0;
  llvm::StringRef(record.trial).substr(kIdDigits, 8).getAsInteger(16, round);
  return round;
}

bool isRace(const Record &record) { return roundOf(record) >= kFirstRace; }

/// Returns whether nothing is left of a search: its races have begun, or its trials are used up.
bool isFinished(const std::map<std::string, Record> &own, int64_t trials) {
  return llvm::any_of(own, [](const auto &entry) { return isRace(entry.second); }) ||
         (trials > 0 && own.size() >= static_cast<size_t>(trials));
}

SavedSearch divide(llvm::ArrayRef<Record> records, const std::string &id) {
  SavedSearch saved;
  saved.id = id;
  int64_t begin = std::numeric_limits<int64_t>::max();
  for (const Record &record : records) {
    if (llvm::StringRef(record.trial).starts_with(id)) {
      saved.own[record.trial] = record;
      begin = std::min(begin, record.unixUs);
    }
  }
  // A search does not know what was measured after its begin, also if it continues later.
  for (const Record &record : records) {
    if (saved.own.count(record.trial) == 0 && record.unixUs <= begin) {
      saved.prior[record.taskText].push_back(record);
    }
  }
  return saved;
}

} // namespace

std::string trialIdOf(llvm::StringRef search, uint32_t round, uint32_t place) {
  return llvm::formatv("{0}{1}{2}", search, llvm::format_hex_no_prefix(round, 8),
                       llvm::format_hex_no_prefix(place, 8));
}

std::string raceIdOf(llvm::StringRef search, size_t task, size_t place) {
  return trialIdOf(search, kFirstRace + static_cast<uint32_t>(task), static_cast<uint32_t>(place));
}

std::string describeSearch(llvm::ArrayRef<ModelTask> tasks, const JobSearchOptions &options,
                           llvm::StringRef target, llvm::StringRef policy) {
  std::string text =
      llvm::formatv("search 1\nsearcher {0}\nseed {1}\nrounds {2} {3}\ntrials {4}\ntransfer "
                    "{5}\ntarget {6}\npolicy {7}\n",
                    options.searcher, options.seed, options.batch, options.lookAhead,
                    options.trials, options.experience.has_value(), target, policy);
  for (const ModelTask &task : tasks) {
    std::string entries;
    for (const SpaceEntry &entry : task.space.entries) {
      const Configuration &c = entry.configuration;
      entries += c.templateId + std::to_string(c.templateVersion) + c.text + c.inputLayout +
                 c.outputLayout + llvm::formatv("{0:f0}\n", entry.cycles).str();
    }
    text += task.task.key() + " " + std::to_string(task.count) + " " + sha256(entries) + "\n";
  }
  return text;
}

SavedSearch SavedSearch::find(llvm::ArrayRef<Record> records, llvm::StringRef description,
                              int64_t trials, size_t skipped) {
  for (size_t ordinal = 0;; ++ordinal) {
    std::string text = description.str() + "ordinal " + std::to_string(ordinal);
    SavedSearch saved = divide(records, sha256(text).substr(0, kIdDigits));
    if (saved.own.empty() || (!isFinished(saved.own, trials) && skipped-- == 0)) {
      return saved;
    }
  }
}

bool SavedSearch::restore(JobSearch &search, llvm::ArrayRef<ModelTask> tasks,
                          const JobSearchOptions &options) const {
  size_t proposed = 0;
  for (uint32_t number = 0;; ++number) {
    size_t count = options.batch;
    if (options.trials > 0) {
      count = std::min(count, static_cast<size_t>(options.trials) - proposed);
    }
    SearchRound round;
    round.number = number;
    std::vector<std::optional<double>> seconds;
    for (uint32_t place = 0; place < count; ++place) {
      auto found = own.find(trialIdOf(id, number, place));
      if (found == own.end()) {
        return true; // The search proposes this round again.
      }
      const Record &record = found->second;
      const auto *task = llvm::find_if(
          tasks, [&](const ModelTask &one) { return one.task.text == record.taskText; });
      const SpaceEntry *entry =
          task == tasks.end() ? nullptr : task->space.find(record.configuration);
      auto index = static_cast<size_t>(task - tasks.begin());
      if (!entry || (place > 0 && index != round.task)) {
        return false;
      }
      round.task = index;
      round.entries.push_back(static_cast<size_t>(entry - task->space.entries.data()));
      seconds.push_back(secondsOf(record));
    }
    if (round.entries.empty()) {
      return true;
    }
    search.restore(round);
    proposed += round.entries.size();
    for (auto [place, time] : llvm::enumerate(seconds)) {
      search.complete(number, place, time);
    }
  }
}

SearchLock::SearchLock(const std::string &records)
    : file(open(records.c_str(), O_RDONLY | O_CLOEXEC)),
      held(file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0) {}

SearchLock::~SearchLock() {
  if (file >= 0) {
    close(file);
  }
}

} // namespace convoy::tuning
