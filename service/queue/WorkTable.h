// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work that the dispatcher has published, and the decision which results count. It uses
// neither a connection nor a clock, so unit tests can run it. Times are seconds of a monotonic
// clock. The dispatcher serializes the calls.

#pragma once

#include "service/queue/Messages.h"
#include <deque>
#include <unordered_map>

namespace convoy::service {

/// Identifies a stage of a trial.
std::string workKey(tuning::WorkStage stage, llvm::StringRef trial);

class WorkTable {
public:
  /// Work without a result.
  struct Work {
    WorkMessage message;
    std::string subject;
    uint64_t sequence = 0;  // in the stream; 0: not known
    std::string lastWorker; // that announced itself
  };

  /// Registers work before it is published. Returns false if its result has arrived already, so
  /// there is nothing to publish.
  bool add(const WorkMessage &message, std::string subject, double now);
  void setSequence(const WorkMessage &message, uint64_t sequence);
  /// Notes that it is not known whether work was published. Its result counts if it arrives.
  void retract(const WorkMessage &message);

  void noteStarted(const StartedMessage &started, double now);
  /// A worker reports that it works on the trial.
  void noteBusy(llvm::StringRef trial, double now);
  /// Gives all work time, after the signs of life could not arrive for a while.
  void touch(double now);

  enum class Verdict {
    Deliver,  ///< Give it to the caller.
    Stale,    ///< From a worker that has lost its lease, or of an old attempt.
    Repeated, ///< The caller has another result of this attempt.
  };
  /// `sequence` identifies the message of the result, which arrives again if it is not
  /// acknowledged.
  Verdict judge(const ResultMessage &result, uint64_t sequence, double now);
  /// The caller has stored the result.
  void acknowledge(const std::string &key);

  /// Returns the work of a message, if the table expects a result for it.
  const Work *find(const WorkMessage &message) const;
  /// No worker finishes this work: the dispatcher gives the caller a result itself.
  void exhaust(const WorkMessage &message, double now);
  /// Returns work without a sign of life for this time.
  std::vector<Work> findStale(double now, double seconds) const;
  /// Registers that lost work is published again and returns the new message.
  WorkMessage reissue(const WorkMessage &message, double now);

  /// Drops the work of a job.
  void forget(llvm::StringRef job);
  /// The number of stages without a result.
  size_t openCount() const { return open; }
  /// The number of stages whose result is not acknowledged.
  size_t size() const { return entries.size(); }

private:
  enum class State { Open, Delivered };
  struct Entry {
    Work work;
    FencingToken highest;
    State state = State::Open;
    double lastSign = 0;
    uint64_t resultSequence = 0; // of the delivered result
  };
  Entry *entryOf(const WorkMessage &message);
  void setState(Entry &entry, State state);

  std::unordered_map<std::string, Entry> entries; // by workKey()
  /// The highest tokens of the stages whose results were acknowledged last, and their order.
  std::unordered_map<std::string, FencingToken> finished;
  std::deque<std::string> finishedOrder; // the oldest first
  size_t open = 0;
};

} // namespace convoy::service
