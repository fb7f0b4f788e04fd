// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every scheduler of the family is run, with all workers for each task, with groups
// chosen for each part of the graph, and with tasks left whole; the shortest is improved and must
// then beat the plain list in program order, which is kept when it does not.

#include "Tasks/MacroTasks.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::tasks {
namespace {

// Differences below this are noise in the estimates of costs.
constexpr double kSame = 0.01;
// For the search: a thousand tries on a hundred tasks for two workers, some 20 ms, and
// none on a large graph.
constexpr int64_t kSearchPlacements = 200000;

struct Found {
  Candidate candidate;
  ListOptions options;
};

} // namespace

bool isBetter(const Candidate &a, const Candidate &b) {
  if (std::abs(a.makespanNs - b.makespanNs) <= kSame * b.makespanNs) {
    return a.transferBytes < b.transferBytes && a.makespanNs <= b.makespanNs;
  }
  return a.makespanNs < b.makespanNs;
}

std::vector<std::string> schedulerNames() {
  std::vector<std::string> names{kBestScheduler.str(), kPlainScheduler.str()};
  for (ListRule rule : kListRules) {
    names.push_back(nameOf(rule).str());
  }
  return names;
}

Candidate chooseSchedule(const MacroGraph &graph, const Candidate &plain, llvm::StringRef only) {
  if (only == kPlainScheduler || graph.tasks.empty()) {
    return plain;
  }
  std::optional<Found> best;
  std::vector<unsigned> whole(graph.tasks.size(), 1);
  std::vector<std::vector<unsigned>> allWidths{fullWidths(graph)};
  for (const std::vector<unsigned> &widths : {chooseWidths(graph), whole}) {
    if (!llvm::is_contained(allWidths, widths)) {
      allWidths.push_back(widths);
    }
  }
  for (const std::vector<unsigned> &widths : allWidths) {
    for (ListRule rule : kListRules) {
      if (only != kBestScheduler && only != nameOf(rule)) {
        continue;
      }
      ListOptions options;
      options.rule = rule;
      options.widths = widths;
      Candidate candidate = listSchedule(graph, options);
      if (!best || isBetter(candidate, best->candidate)) {
        best = Found{std::move(candidate), std::move(options)};
      }
    }
  }
  if (only != kBestScheduler) {
    return best->candidate;
  }
  Candidate improved =
      improve(graph, best->candidate, best->options, kSearchPlacements / graph.workers);
  if (improved.makespanNs < best->candidate.makespanNs) {
    improved.name += "+search";
    best->candidate = std::move(improved);
  }
  return isBetter(best->candidate, plain) ? best->candidate : plain;
}

} // namespace convoy::tasks
