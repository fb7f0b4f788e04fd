// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A space that was measured once, completely: searches are replayed on it in
// milliseconds. A file is CSV, compressed by gzip:
//
//     # {"format": 1, "name": ..., "weight": 0.047, "isHeldOut": false, "task": ..., "target":
//     {...}} template,version,configuration,input,output,seconds
//     conv_direct,1,"#kernel.conv_direct<block = 16, ...>",planar,#graph.blocked<c = 16>,0.00123
//
// No seconds: the candidate failed.

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
  /// The task's share of the time of its model.
  double weight = 1;
  /// The analytical model was not fitted on it.
  bool isHeldOut = false;
  std::vector<ReplayRow> rows;
};

llvm::Error writeTable(const ReplayTable &table, llvm::StringRef path);

/// The error names the file, the line and what is wrong there.
llvm::Expected<ReplayTable> readTable(llvm::StringRef path);

/// A table against the space that this compiler has for its task.
struct ReplaySpace {
  /// Entries that were measured, in today's analytical order.
  TaskSpace space;
  /// What became of each.
  std::vector<Trial> outcomes;
  /// The fastest of the table.
  double bestSeconds = 0;
  /// Why it says nothing about this compiler any more: templates have changed, or much of
  /// the space was not measured. Empty when it does.
  std::string staleness;
};

llvm::Expected<ReplaySpace> replaySpace(const ReplayTable &table);

/// Shares of the table's best speed that a search has found after so many trials; the
/// compiler's own choice after 0.
llvm::Expected<std::vector<double>> replay(const ReplaySpace &table, llvm::StringRef searcher,
                                           const SearchOptions &options,
                                           llvm::ArrayRef<size_t> trials, size_t batch);

} // namespace convoy::tuning
