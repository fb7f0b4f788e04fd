// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the effect of larger spaces on a search with the same number of trials: a few
// tiles of one template in one layout, then more tiles, more layouts, more templates. Each
// space contains the previous one:
//
//     tuning_enlarge TABLE.csv.gz...
//
// Fails if a larger space makes the result worse by more than 2 %.

#include "bench/tuning/MeasuredTask.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace convoy::tuning;

namespace {

constexpr size_t kTrials = 40;
constexpr double kMostLoss = 0.02;

/// From the smallest space to the whole space.
constexpr llvm::StringLiteral kSteps[] = {"few tiles", "all tiles", "all blocks", "all templates"};

bool isWinograd(const SpaceEntry &entry) {
  return llvm::StringRef(entry.configuration.templateId).contains("winograd");
}

/// Returns the entry whose layout and template define the smallest space: the first entry that
/// does not use Winograd convolution.
const SpaceEntry &plainest(const MeasuredTask &task) {
  for (const SpaceEntry &entry : task.space.space.entries) {
    if (!isWinograd(entry)) {
      return entry;
    }
  }
  return task.space.space.first();
}

MeasuredTask spaceAt(const MeasuredTask &task, size_t step) {
  const SpaceEntry &plain = plainest(task);
  size_t number = 0;
  return restricted(task, [&](const SpaceEntry &entry) {
    bool isOwnPart = entry.configuration.templateId == plain.configuration.templateId &&
                     entry.configuration.inputLayout == plain.configuration.inputLayout;
    switch (step) {
    case 0:
      return isOwnPart && number++ % 8 == 0;
    case 1:
      return isOwnPart;
    case 2:
      return entry.configuration.templateId == plain.configuration.templateId;
    default:
      return true;
    }
  });
}

/// Prints the share after kTrials for each step. Returns whether no share is much below the
/// previous one.
bool printTask(const MeasuredTask &task) {
  bool isGood = true;
  double before = 0;
  for (size_t step = 0; step < std::size(kSteps); ++step) {
    MeasuredTask part = spaceAt(task, step);
    double share = medianShares(part, searcherNames().front(), {kTrials}).front();
    llvm::outs() << llvm::format("  %6.1f %% %5zu", 100 * share, part.space.space.entries.size());
    isGood &= share >= before * (1 - kMostLoss);
    before = share;
  }
  llvm::outs() << "  " << task.name << (isGood ? "" : ", LOSES") << "\n";
  return isGood;
}

} // namespace

int main(int argc, char **argv) {
  bool hasStale = false;
  llvm::Expected<std::vector<MeasuredTask>> tasks =
      readMeasuredTasks(std::vector<std::string>(argv + 1, argv + argc), hasStale);
  if (!tasks) {
    llvm::errs() << "error: " << llvm::toString(tasks.takeError()) << "\n";
    return 1;
  }
  llvm::outs() << "share of the best after " << kTrials << " trials, and configurations, with\n";
  for (llvm::StringRef step : kSteps) {
    llvm::outs() << llvm::right_justify(step, 16);
  }
  llvm::outs() << "\n";
  bool isGood = true;
  for (const MeasuredTask &task : *tasks) {
    isGood &= printTask(task);
  }
  return hasStale ? reportStale() : isGood ? 0 : 1;
}
