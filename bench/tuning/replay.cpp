// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replays searches on measured tables and prints the median share of the best speed
// after some trials, weighted by the tasks' shares of their models:
//
//     tuning_replay TABLE.csv.gz...

#include "tuning/search/ReplayTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include <map>

using namespace convoy::tuning;

namespace {

constexpr size_t kTrials[] = {0, 8, 40, 100};
constexpr uint64_t kSeeds = 10;
constexpr size_t kBatch = 8;

struct Table {
  std::string name;
  double weight;
  bool isHeldOut;
  ReplaySpace space;
};

double median(std::vector<double> values) {
  llvm::sort(values);
  return values[values.size() / 2];
}

/// Median over seeds of the share after each number of trials.
std::vector<double> sharesOf(const Table &table, llvm::StringRef searcher) {
  std::vector<std::vector<double>> byTrials(std::size(kTrials));
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    SearchOptions options;
    options.seed = seed;
    std::vector<double> shares =
        llvm::cantFail(replay(table.space, searcher, options, kTrials, kBatch));
    for (auto [all, share] : llvm::zip(byTrials, shares)) {
      all.push_back(share);
    }
  }
  std::vector<double> medians;
  for (const std::vector<double> &shares : byTrials) {
    medians.push_back(median(shares));
  }
  return medians;
}

void printRow(llvm::StringRef name, llvm::ArrayRef<double> shares) {
  llvm::outs() << llvm::left_justify(name, 12);
  for (double share : shares) {
    llvm::outs() << llvm::format("  %6.1f %%", 100 * share);
  }
  llvm::outs() << "\n";
}

/// One line for each search: means over tables by weight.
void printGroup(llvm::StringRef title, llvm::ArrayRef<Table> tables, bool isHeldOut) {
  double weight = 0;
  for (const Table &table : tables) {
    weight += table.isHeldOut == isHeldOut ? table.weight : 0;
  }
  if (weight == 0) {
    return;
  }
  llvm::outs() << "\n" << title << ", after";
  for (size_t trials : kTrials) {
    llvm::outs() << " " << trials;
  }
  llvm::outs() << " trials\n";
  for (llvm::StringRef searcher : searcherNames()) {
    std::vector<double> means(std::size(kTrials), 0);
    for (const Table &table : tables) {
      if (table.isHeldOut != isHeldOut) {
        continue;
      }
      for (auto [mean, share] : llvm::zip(means, sharesOf(table, searcher))) {
        mean += share * table.weight / weight;
      }
    }
    printRow(searcher, means);
  }
}

} // namespace

int main(int argc, char **argv) {
  std::vector<Table> tables;
  bool hasStale = false;
  for (int i = 1; i < argc; ++i) {
    llvm::Expected<ReplayTable> table = readTable(argv[i]);
    llvm::Expected<ReplaySpace> space = table ? replaySpace(*table) : table.takeError();
    if (!space) {
      llvm::errs() << "error: " << llvm::toString(space.takeError()) << "\n";
      return 1;
    }
    if (!space->staleness.empty()) {
      llvm::errs() << argv[i] << ": stale, measure it again: " << space->staleness << "\n";
      hasStale = true;
    }
    tables.push_back({table->task.name, table->weight, table->isHeldOut, std::move(*space)});
  }
  if (tables.empty()) {
    llvm::errs() << "usage: tuning_replay TABLE.csv.gz...\n";
    return 1;
  }
  llvm::outs() << "mixed, table by table\n";
  for (const Table &table : tables) {
    printRow("", sharesOf(table, "mixed"));
    llvm::outs() << "  " << table.name << ", " << table.space.space.entries.size()
                 << " configurations" << (table.isHeldOut ? ", held out" : "") << "\n";
  }
  printGroup("fitted", tables, /*isHeldOut=*/false);
  printGroup("held out", tables, /*isHeldOut=*/true);
  return hasStale ? 2 : 0;
}
