// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses a schedule. Runs every list scheduler with three settings: all workers for each task,
// group sizes chosen per part of the graph, and unsplit tasks. A search improves the shortest
// candidate. The schedule in program order is kept unless the candidate is better.

#include "Schedule/MacroTasks.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::schedule {
namespace {

// Relative differences below this are within the error of the cost estimates.
constexpr double kSame = 0.01;
// Budget of the search in placements: about a thousand tries (20 ms) for a hundred tasks and two
// workers, and no tries for large graphs.
constexpr int64_t kSearchPlacements = 200000;

struct Found {
  ScheduleCandidate candidate;
  ListOptions options;
};

} // namespace

bool isBetter(const ScheduleCandidate &a, const ScheduleCandidate &b) {
  if (std::abs(a.makespanNs - b.makespanNs) <= kSame * b.makespanNs) {
    return a.transferBytes < b.transferBytes && a.makespanNs <= b.makespanNs;
  }
  return a.makespanNs < b.makespanNs;
}

std::optional<ListRule> ruleOf(Scheduler scheduler) {
  switch (scheduler) {
  case Scheduler::Best:
  case Scheduler::ProgramOrder:
    return std::nullopt;
  case Scheduler::CpDtMisf:
    return ListRule::CpDtMisf;
  case Scheduler::CpEtfMisf:
    return ListRule::CpEtfMisf;
  case Scheduler::EtfCp:
    return ListRule::EtfCp;
  case Scheduler::DtCp:
    return ListRule::DtCp;
  }
  return std::nullopt;
}

llvm::StringRef nameOf(Scheduler scheduler) {
  if (std::optional<ListRule> rule = ruleOf(scheduler)) {
    return nameOf(*rule);
  }
  return scheduler == Scheduler::Best ? "best" : "program-order";
}

ScheduleCandidate chooseSchedule(const MacroGraph &graph, const ScheduleCandidate &plain,
                                 Scheduler only) {
  if (only == Scheduler::ProgramOrder || graph.tasks.empty()) {
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
      if (only != Scheduler::Best && ruleOf(only) != rule) {
        continue;
      }
      ListOptions options;
      options.rule = rule;
      options.widths = widths;
      ScheduleCandidate candidate = listSchedule(graph, options);
      if (!best || isBetter(candidate, best->candidate)) {
        best = Found{std::move(candidate), std::move(options)};
      }
    }
  }
  if (only != Scheduler::Best) {
    return best->candidate;
  }
  ScheduleCandidate improved =
      improve(graph, best->candidate, best->options, kSearchPlacements / graph.workers);
  if (improved.makespanNs < best->candidate.makespanNs) {
    improved.name += "+search";
    best->candidate = std::move(improved);
  }
  return isBetter(best->candidate, plain) ? best->candidate : plain;
}

} // namespace convoy::schedule
