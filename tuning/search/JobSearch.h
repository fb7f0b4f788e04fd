// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches the spaces of all tasks of a job in rounds. A round proposes entries of one task. The
// search neither builds nor measures; the tuner and the tuning service do so.
//
// The proposal of round k is a function of the options, of the results of earlier searches, of the
// entries of all earlier rounds, and of the results of the rounds up to k - 1 - lookAhead, which
// the search applies in the order of the rounds. Neither the order nor the time at which results
// arrive changes a proposal. A search that is restored from its rounds and results therefore
// proposes what the unbroken search proposes.
//
//     rounds   0    1    2    3         lookAhead = 1
//     results  applied   |    |
//                        in flight: the model answers for their entries when round 4 is proposed

#pragma once

#include "tuning/search/Experience.h"
#include "tuning/search/Searcher.h"
#include "tuning/search/TaskPolicy.h"
#include "tuning/space/ModelTasks.h"

namespace convoy::tuning {

/// The default number of entries of a round and of rounds in flight before the next one.
/// docs/benchmarks/tuning.md compares them on measured tables.
inline constexpr size_t kRoundEntries = 8, kLookAhead = 1;

struct SearchRound {
  int64_t number = 0;
  /// The index of the task.
  size_t task = 0;
  /// Indices of tasks[task].space.entries. A place is an index of this list.
  std::vector<size_t> entries;
};

struct JobSearchOptions {
  std::string searcher = "mixed";
  uint64_t seed = 0;
  /// The number of entries of a round.
  size_t batch = kRoundEntries;
  /// The number of rounds without results that precede a proposal.
  size_t lookAhead = kLookAhead;
  /// The limit of entries of all rounds; 0: no limit.
  int64_t trials = 0;
  /// The examples of other jobs; the search adds its own results. Nothing: tasks do not learn from
  /// other tasks.
  std::optional<Experience> experience;
};

class JobSearch {
public:
  /// The tasks must outlive the search. The error names the valid searchers.
  static llvm::Expected<JobSearch> create(llvm::ArrayRef<ModelTask> tasks,
                                          const JobSearchOptions &options);

  /// Adds the results of earlier searches. Call it before the first round.
  void know(size_t task, llvm::ArrayRef<Trial> trials);

  /// Returns the next round. Returns nothing if the search waits for results of earlier rounds, or
  /// if the limit of trials or all spaces are used up.
  std::optional<SearchRound> propose();

  /// Adds a round of the search that this search continues. Call it for all rounds in order,
  /// before the first propose().
  void restore(const SearchRound &round);

  /// Adds the result of one place of a round; no seconds: the candidate failed. Results may arrive
  /// in any order. A second result of a place is ignored.
  void complete(int64_t round, size_t place, std::optional<double> seconds);

  /// Changes the limit of entries of all rounds; 0: no limit.
  void setTrialLimit(int64_t trials) { options.trials = trials; }

  /// Returns whether nothing is left to propose and no result is missing.
  bool isFinished() const;
  /// Returns the number of completed trials of all rounds.
  int64_t trials() const { return completed; }
  /// Returns the proposed and restored rounds.
  llvm::ArrayRef<SearchRound> allRounds() const { return rounds; }

  /// The best entry of all results that have arrived, and its time; 0 if not known.
  double bestSeconds(size_t task) const;
  std::optional<size_t> bestEntry(size_t task) const;
  /// The time of the compiler's default; 0 if not known.
  double defaultSeconds(size_t task) const;

private:
  struct Place {
    bool isComplete = false;
    std::optional<double> seconds;
  };
  struct TaskSearch {
    const ModelTask *model = nullptr;
    std::unique_ptr<Searcher> searcher; // made in the task's first round
    std::vector<Trial> known;           // applied before the searcher was made
    std::vector<bool> isProposed;
    TaskState state;                  // for the policy
    std::map<size_t, double> arrived; // the successful results by entry
  };

  JobSearch(llvm::ArrayRef<ModelTask> tasks, const JobSearchOptions &options);
  bool hasLeft() const;
  bool isWhole(size_t round) const;
  /// Applies the results that precede the proposal of a round. Returns false if one is missing.
  bool applyBefore(size_t round);
  void apply(size_t task, llvm::ArrayRef<Trial> trials);
  /// Repeats what the unbroken search did for restored rounds. Returns false if it needs results
  /// that are missing.
  bool catchUp();
  /// Marks the entries of a round as proposed.
  void note(const SearchRound &round);
  void markProposed(TaskSearch &task, size_t entry);
  Searcher &searcherOf(TaskSearch &task);

  JobSearchOptions options;
  std::optional<Experience> experience;
  GainPolicy policy;
  std::vector<TaskSearch> tasks;
  std::vector<SearchRound> rounds;
  std::vector<std::vector<Place>> results; // by round and place
  size_t noted = 0;                        // rounds that the searchers know
  size_t applied = 0;                      // rounds whose results the searchers know
  int64_t proposed = 0, completed = 0;     // entries of all rounds
};

} // namespace convoy::tuning
