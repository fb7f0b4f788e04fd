// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A completely measured space. Searches run on it in milliseconds. The file format is CSV,
// compressed by gzip:
//
//     # {"format": 1, "name": ..., "weight": 0.047, "isHeldOut": false, "task": ..., "target":
//     {...}} template,version,configuration,input,output,seconds
//     conv_direct,1,"#kernel.conv_direct<block = 16, ...>",planar,#graph.blocked<c = 16>,0.00123
//
// An empty value of seconds means that the candidate failed.

#pragma once

#include "Targets/Target.h"
#include "tuning/search/Searcher.h"

namespace convoy::tuning {

struct ReplayRow {
  Configuration configuration;
  std::optional<double> seconds;
};

struct ReplayTable {
  Task task;
  targets::Target target;
  /// The task's share of the model's time.
  double weight = 1;
  /// Whether the analytical model was fitted without this table.
  bool isHeldOut = false;
  std::vector<ReplayRow> rows;
};

llvm::Error writeTable(const ReplayTable &table, llvm::StringRef path);

/// The error names the file, the line and the expected content.
llvm::Expected<ReplayTable> readTable(llvm::StringRef path);

/// A table, matched with the current space of its task.
struct ReplaySpace {
  /// The measured entries in the current analytical order.
  TaskSpace space;
  /// The result of each entry.
  std::vector<Trial> outcomes;
  /// The fastest time in the table.
  double bestSeconds = 0;
  /// Why the table does not apply to this compiler: templates have changed, or a large part of
  /// the space was not measured. Empty if it applies.
  std::string staleness;
};

llvm::Expected<ReplaySpace> replaySpace(const ReplayTable &table);

/// The rounds of a replayed search; see JobSearch.h.
struct ReplayRounds {
  size_t batch = 8;
  size_t lookAhead = 0;
};

/// Returns, for each number in `trials`, the share of the table's best speed that a search
/// reaches after that number of trials. After 0 trials, this is the compiler's default.
llvm::Expected<std::vector<double>> replay(const ReplaySpace &table, llvm::StringRef searcher,
                                           const SearchOptions &options,
                                           llvm::ArrayRef<size_t> trials,
                                           const ReplayRounds &rounds);

} // namespace convoy::tuning
