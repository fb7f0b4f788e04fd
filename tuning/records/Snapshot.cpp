// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If a configuration was measured in several trials, the snapshot combines their samples. One
// trial with a wrong result or a crash excludes the configuration, because its other results
// may be right only by chance.

#include "Snapshot.h"
#include "tuning/records/JsonLines.h"
#include <algorithm>

namespace convoy::tuning {
namespace {

struct SampledConfiguration {
  Configuration configuration;
  std::vector<Sample> samples;
  bool isRuledOut = false;
};

/// The key of a candidate, which also breaks ties: layouts first, then the text of the
/// configuration.
using Place = std::tuple<std::string, std::string, std::string, std::string, std::string>;

bool isSelected(const Record &record, const Selection &selection) {
  auto version = selection.templateVersions.find(record.configuration.templateId);
  return record.target == selection.target && record.policy == selection.policy &&
         version != selection.templateVersions.end() &&
         version->second == record.configuration.templateVersion;
}

void addTo(SampledConfiguration &candidate, const Record &record) {
  candidate.configuration = record.configuration;
  switch (record.outcome) {
  case Outcome::Ok:
    candidate.samples.insert(candidate.samples.end(), record.samples.begin(), record.samples.end());
    return;
  case Outcome::WrongResult:
  case Outcome::Crash:
    candidate.isRuledOut = true;
    return;
  case Outcome::BuildError:
  case Outcome::TimeOut:
    return; // A full disk or a busy machine may be the cause.
  }
}

auto order(const RankedConfiguration &choice) {
  const Configuration &c = choice.configuration;
  return std::tie(c.inputLayout, c.outputLayout, choice.ns, c.text, c.templateId);
}

/// Returns the first choice of each pair of layouts.
std::vector<RankedConfiguration> firstOfLayouts(llvm::ArrayRef<RankedConfiguration> ranked) {
  std::vector<RankedConfiguration> result;
  for (const RankedConfiguration &choice : ranked) {
    const Configuration &now = choice.configuration;
    if (result.empty() || result.back().configuration.inputLayout != now.inputLayout ||
        result.back().configuration.outputLayout != now.outputLayout) {
      result.push_back(choice);
    }
  }
  return result;
}

bool isSelected(const Verdict &verdict, const Selection &selection) {
  return verdict.target == selection.target && verdict.policy == selection.policy &&
         verdict.templates == templatesText(selection.templateVersions);
}

} // namespace

void ContentHash::add(const Record &record) { lines.push_back(sha256(toJsonLine(record))); }
void ContentHash::add(const Verdict &verdict) { lines.push_back(sha256(toJsonLine(verdict))); }

std::string ContentHash::finish() {
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string &line : lines) {
    text += line;
  }
  return sha256(text);
}

llvm::Expected<Snapshot> Snapshot::read(llvm::StringRef path, const Selection &selection) {
  llvm::Expected<RecordStore> store = RecordStore::open(path, RecordStore::Access::Read);
  if (!store) {
    return store.takeError();
  }
  return read(*store, selection);
}

llvm::Expected<Snapshot> Snapshot::read(RecordStore &store, const Selection &selection) {
  Snapshot snapshot;
  ContentHash hash;
  std::map<Place, SampledConfiguration> candidates;
  auto addRecord = [&](Record &&record) {
    hash.add(record);
    ++snapshot.records;
    if (isSelected(record, selection)) {
      const Configuration &one = record.configuration;
      Place place{taskHash(record.taskText), one.inputLayout, one.outputLayout, one.text,
                  one.templateId};
      addTo(candidates[place], record);
    }
  };
  auto addVerdict = [&](Verdict &&verdict) {
    hash.add(verdict);
    if (!isSelected(verdict, selection)) {
      return;
    }
    auto [last, isNew] = snapshot.byNetwork.try_emplace(verdict.network, verdict);
    if (!isNew &&
        std::tie(last->second.unixUs, last->second.id) < std::tie(verdict.unixUs, verdict.id)) {
      last->second = std::move(verdict);
    }
  };
  if (llvm::Error error = store.readAll(addRecord, addVerdict)) {
    return error;
  }
  snapshot.contentHash = hash.finish();
  for (auto &[place, candidate] : candidates) {
    double ns = candidate.isRuledOut ? 0 : medianNs(candidate.samples);
    if (ns > 0) {
      RankedConfiguration choice{candidate.configuration, ns,
                                 static_cast<int64_t>(candidate.samples.size())};
      snapshot.all[std::get<0>(place)].push_back(std::move(choice));
    }
  }
  for (auto &[task, ranked] : snapshot.all) {
    std::sort(ranked.begin(), ranked.end(),
              [](const RankedConfiguration &a, const RankedConfiguration &b) {
                return order(a) < order(b);
              });
    snapshot.byTask[task] = firstOfLayouts(ranked);
  }
  return snapshot;
}

llvm::ArrayRef<RankedConfiguration> Snapshot::choices(llvm::StringRef task) const {
  auto it = byTask.find(std::string_view(task));
  return it == byTask.end() ? llvm::ArrayRef<RankedConfiguration>()
                            : llvm::ArrayRef<RankedConfiguration>(it->second);
}

llvm::ArrayRef<RankedConfiguration> Snapshot::ranked(llvm::StringRef task) const {
  auto it = all.find(std::string_view(task));
  return it == all.end() ? llvm::ArrayRef<RankedConfiguration>()
                         : llvm::ArrayRef<RankedConfiguration>(it->second);
}

std::vector<RankedConfiguration> Snapshot::choices(llvm::StringRef task,
                                                   const Verdict *verdict) const {
  if (!verdict) {
    return choices(task).vec();
  }
  std::vector<RankedConfiguration> left;
  for (const RankedConfiguration &choice : ranked(task)) {
    if (!verdict->passesOver(task, choice.configuration)) {
      left.push_back(choice);
    }
  }
  return firstOfLayouts(left);
}

const Verdict *Snapshot::verdict(llvm::StringRef network) const {
  auto it = byNetwork.find(std::string_view(network));
  return it == byNetwork.end() ? nullptr : &it->second;
}

const RankedConfiguration *Snapshot::find(llvm::StringRef task, llvm::StringRef inputLayout,
                                          llvm::StringRef outputLayout) const {
  for (const RankedConfiguration &choice : choices(task)) {
    if (choice.configuration.inputLayout == inputLayout &&
        choice.configuration.outputLayout == outputLayout) {
      return &choice;
    }
  }
  return nullptr;
}

} // namespace convoy::tuning
