// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each stage of a trial has one entry with the highest fencing token that was seen. A result with
// a lower token comes from a worker that NATS no longer regards as the owner of the work.

#include "service/queue/WorkTable.h"

using convoy::tuning::WorkStage;

namespace convoy::service {

// The number of finished stages whose late results are recognized: 10 s at 1,000 trials per second.
// The caller receives later ones and drops them, because the trial has a result.
static constexpr size_t kHistory = 20000;

static FencingToken tokenOf(const WorkMessage &message) {
  return {message.epoch, message.attempt, message.issue, 0};
}

std::string workKey(WorkStage stage, llvm::StringRef trial) {
  return (name(stage) + " " + trial).str();
}

WorkTable::Entry *WorkTable::entryOf(const WorkMessage &message) {
  auto found = entries.find(workKey(message.stage, message.trial));
  return found == entries.end() ? nullptr : &found->second;
}

void WorkTable::setState(Entry &entry, State state) {
  open += state == State::Open ? 1 : 0;
  open -= entry.state == State::Open ? 1 : 0;
  entry.state = state;
}

bool WorkTable::add(const WorkMessage &message, std::string subject, double now) {
  std::string key = workKey(message.stage, message.trial);
  FencingToken token = tokenOf(message);
  auto isSameAttempt = [&](const FencingToken &other) {
    return other.epoch == token.epoch && other.attempt == token.attempt;
  };
  auto past = finished.find(key);
  if (past != finished.end() && isSameAttempt(past->second)) {
    return false;
  }
  auto [found, isNew] = entries.try_emplace(key);
  Entry &entry = found->second;
  if (isNew) {
    ++open;
    entry.highest = past == finished.end() ? token : past->second;
  } else {
    if (isSameAttempt(entry.highest) && entry.state != State::Open) {
      return false;
    }
    setState(entry, State::Open);
  }
  finished.erase(key);
  if (entry.highest < token) {
    entry.highest = token;
  }
  entry.work = {message, std::move(subject), 0, ""};
  entry.lastSign = now;
  return true;
}

void WorkTable::setSequence(const WorkMessage &message, uint64_t sequence) {
  Entry *entry = entryOf(message);
  if (entry && entry->state == State::Open && entry->work.message.attempt == message.attempt &&
      entry->work.message.issue == message.issue) {
    entry->work.sequence = sequence;
  }
}

void WorkTable::retract(const WorkMessage &message) {
  setSequence(message, 0); // findStale() ignores it
}

void WorkTable::noteStarted(const StartedMessage &started, double now) {
  auto found = entries.find(workKey(started.stage, started.trial));
  if (found == entries.end() || started.token < found->second.highest) {
    return;
  }
  Entry &entry = found->second;
  if (entry.state == State::Open) {
    entry.highest = started.token;
    entry.work.lastWorker = started.worker;
    entry.lastSign = now;
  }
}

void WorkTable::noteBusy(llvm::StringRef trial, double now) {
  for (WorkStage stage : {WorkStage::Build, WorkStage::Measure}) {
    auto found = entries.find(workKey(stage, trial));
    if (found != entries.end() && found->second.state == State::Open) {
      found->second.lastSign = now;
    }
  }
}

void WorkTable::touch(double now) {
  for (auto &[key, entry] : entries) {
    entry.lastSign = now;
  }
}

WorkTable::Verdict WorkTable::judge(const ResultMessage &result, uint64_t sequence, double now) {
  const tuning::Completion &completion = result.completion;
  std::string key = workKey(completion.stage, completion.trial);
  auto past = finished.find(key);
  if (past != finished.end()) {
    return result.token < past->second ? Verdict::Stale : Verdict::Repeated;
  }
  auto [found, isNew] = entries.try_emplace(key);
  Entry &entry = found->second;
  if (isNew) {
    // Published by an earlier leader, or its job was canceled. The caller decides.
    ++open;
    entry.highest = result.token;
  }
  if (result.token < entry.highest) {
    return Verdict::Stale;
  }
  bool isSameMessage = entry.state == State::Delivered && entry.resultSequence == sequence;
  if (entry.state != State::Open && !isSameMessage) {
    return Verdict::Repeated;
  }
  entry.highest = result.token;
  entry.resultSequence = sequence;
  entry.lastSign = now;
  setState(entry, State::Delivered);
  return Verdict::Deliver;
}

void WorkTable::acknowledge(const std::string &key) {
  auto found = entries.find(key);
  if (found == entries.end() || found->second.state != State::Delivered) {
    return;
  }
  finished[key] = found->second.highest;
  entries.erase(found);
  finishedOrder.push_back(key);
  while (finishedOrder.size() > kHistory) {
    finished.erase(finishedOrder.front());
    finishedOrder.pop_front();
  }
}

const WorkTable::Work *WorkTable::find(const WorkMessage &message) const {
  auto found = entries.find(workKey(message.stage, message.trial));
  if (found == entries.end() || found->second.state != State::Open) {
    return nullptr;
  }
  const WorkMessage &expected = found->second.work.message;
  bool isSame = expected.epoch == message.epoch && expected.attempt == message.attempt &&
                expected.issue == message.issue;
  return isSame ? &found->second.work : nullptr;
}

void WorkTable::exhaust(const WorkMessage &message, double now) {
  if (Entry *entry = entryOf(message)) {
    entry->resultSequence = 0;
    entry->lastSign = now;
    setState(*entry, State::Delivered);
  }
}

std::vector<WorkTable::Work> WorkTable::findStale(double now, double seconds) const {
  std::vector<Work> stale;
  for (const auto &[key, entry] : entries) {
    if (entry.state == State::Open && entry.work.sequence != 0 && now - entry.lastSign > seconds) {
      stale.push_back(entry.work);
    }
  }
  return stale;
}

WorkMessage WorkTable::reissue(const WorkMessage &message, double now) {
  WorkMessage again = message;
  ++again.issue;
  if (Entry *entry = entryOf(message)) {
    entry->work.message = again;
    entry->work.sequence = 0;
    entry->highest = std::max(entry->highest, tokenOf(again));
    entry->lastSign = now;
  }
  return again;
}

void WorkTable::forget(llvm::StringRef job) {
  std::string prefix = (job + "/").str();
  for (auto it = entries.begin(); it != entries.end();) {
    llvm::StringRef trial = llvm::StringRef(it->first).split(' ').second;
    bool isDropped = trial.starts_with(prefix) && it->second.state == State::Open;
    open -= isDropped ? 1 : 0;
    it = isDropped ? entries.erase(it) : std::next(it);
  }
}

} // namespace convoy::service
