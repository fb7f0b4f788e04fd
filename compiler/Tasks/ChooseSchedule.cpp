// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses a schedule. Runs every list scheduler with three settings: all workers for each task,
// group sizes chosen per part of the graph, and unsplit tasks. A search improves the shortest
// candidate. The schedule in program order is kept unless the candidate is better.

#include "Tasks/MacroTasks.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::tasks {
namespace {

// Relative differences below this are within the error of the cost estimates.
constexpr double kSame = 0.01;
// Budget of the search in placements: about a thousand tries (20 ms) for a hundred tasks and two
// workers, and no tries for large graphs.
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
