// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs searches on tables of measurements.

#include "Pipeline/TargetOptions.h"
#include "tuning/search/ReplayTable.h"
#include <map>

namespace convoy::tuning {
namespace {

/// If a table contains less of the current space than this share, it is stale.
constexpr double kLeastShare = 0.9;

std::string stalenessOf(const ReplayTable &table, size_t measured, size_t entries) {
  std::map<std::string, int> versions;
  for (const layout::TemplateVersion &known : layout::templateVersions()) {
    versions[known.id.str()] = known.version;
  }
  for (const ReplayRow &row : table.rows) {
    const Configuration &c = row.configuration;
    auto found = versions.find(c.templateId);
    if (found == versions.end() || found->second != c.templateVersion) {
      return "template '" + c.templateId + "' had version " + std::to_string(c.templateVersion) +
             (found == versions.end()
                  ? " and no longer exists"
                  : " and has version " + std::to_string(found->second) + " now");
    }
  }
  if (static_cast<double>(measured) < kLeastShare * static_cast<double>(entries)) {
    return std::to_string(measured) + " of " + std::to_string(entries) +
           " configurations are in the table";
  }
  return "";
}

/// Returns the share of the best speed after each number of trials.
std::vector<double> sharesAfter(const ReplaySpace &table, llvm::ArrayRef<Trial> order,
                                llvm::ArrayRef<size_t> trials) {
  // The compiler's default is available without a search.
  std::optional<double> best = table.outcomes.front().seconds;
  std::vector<double> shares;
  size_t done = 0;
  for (size_t goal : trials) {
    for (; done < std::min(goal, order.size()); ++done) {
      std::optional<double> seconds = order[done].seconds;
      best = seconds && (!best || *seconds < *best) ? seconds : best;
    }
    shares.push_back(best ? table.bestSeconds / *best : 0);
  }
  return shares;
}

} // namespace

llvm::Expected<ReplaySpace> replaySpace(const ReplayTable &table) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  llvm::Expected<TaskModule> module = readTask(table.task, &context);
  if (!module) {
    return module.takeError();
  }
  SpaceOptions options;
  options.machine = machineOf(table.target);
  options.isStrictMath = module->settings.isStrictMath;
  llvm::Expected<TaskSpace> space = spaceOf(module->kernel(), options);
  if (!space) {
    return space.takeError();
  }
  std::map<Configuration, std::optional<double>> measured;
  for (const ReplayRow &row : table.rows) {
    measured[row.configuration] = row.seconds;
  }
  ReplaySpace result;
  size_t all = space->entries.size();
  std::vector<SpaceEntry> entries = std::move(space->entries);
  result.space = std::move(*space);
  result.space.entries.clear();
  for (SpaceEntry &entry : entries) {
    auto found = measured.find(entry.configuration);
    if (found == measured.end()) {
      continue;
    }
    result.outcomes.push_back({result.space.entries.size(), found->second});
    result.space.entries.push_back(std::move(entry));
    double seconds = found->second.value_or(0);
    if (seconds > 0 && (result.bestSeconds == 0 || seconds < result.bestSeconds)) {
      result.bestSeconds = seconds;
    }
  }
  result.staleness = stalenessOf(table, result.space.entries.size(), all);
  if (result.bestSeconds == 0) {
    return llvm::createStringError("no configuration of '" + table.task.name +
                                   "' in the table belongs to the space of this compiler");
  }
  return result;
}

llvm::Expected<std::vector<double>> replay(const ReplaySpace &table, llvm::StringRef searcher,
                                           const SearchOptions &options,
                                           llvm::ArrayRef<size_t> trials,
                                           const ReplayRounds &rounds) {
  llvm::Expected<std::unique_ptr<Searcher>> search = createSearcher(searcher, table.space, options);
  if (!search) {
    return search.takeError();
  }
  std::vector<Trial> order;
  std::vector<std::vector<Trial>> inFlight;
  for (int64_t round = 0; order.size() < trials.back(); ++round) {
    if (inFlight.size() > rounds.lookAhead) {
      (*search)->update(inFlight.front());
      inFlight.erase(inFlight.begin());
    }
    std::vector<Trial> &outcomes = inFlight.emplace_back();
    for (size_t entry : (*search)->propose(rounds.batch, round)) {
      outcomes.push_back(table.outcomes[entry]);
    }
    if (outcomes.empty()) {
      break;
    }
    llvm::append_range(order, outcomes);
  }
  return sharesAfter(table, order, trials);
}

} // namespace convoy::tuning
