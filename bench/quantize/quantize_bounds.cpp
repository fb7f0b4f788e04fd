// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that the bound of the lost accuracy is a bound, and not a vacuous one:
//
//     quantize_bounds answers.npy names.json [draws]
//
// answers.npy contains which samples each model answers correctly, bool [models, samples]; the
// first row is the float model. The truth of a plan is its drop on all samples. The program draws
// proof samples with replacement and counts how often the bound is below the truth. Then it runs
// the whole chain, select, prove and retry, with a limit that no plan meets, and counts the
// promises. All random numbers have fixed seeds. The exit code is 1 if a share is outside its
// limits.

#include "Support/TextTable.h"
#include "io/Files.h"
#include "io/Npy.h"
#include "quantizer/proof/Promise.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <random>

using namespace convoy;
using namespace convoy::quantizer;

namespace {

constexpr int64_t kProofSizes[] = {500, 2000, 5000};
constexpr int64_t kLeastPlans = 6;
constexpr int64_t kSelectSamples = 2000;
constexpr int64_t kAttempts[] = {1, 3};
/// The shares that the issue of the promise allows: 5 % and the error of the simulation.
constexpr double kMostMisses = 0.065, kLeastMisses = 0.035;
/// Plans that differ on fewer samples have a bound that may be larger than necessary.
constexpr double kOftenDiffering = 0.02;

/// The answers of a plan relative to the float model, on each sample: 1 if the answer is lost, -1
/// if it is gained, 0 if both models are right or both are wrong.
struct Plan {
  std::string name;
  std::vector<int8_t> changes;
  PairedCounts all;

  double differing() const {
    return static_cast<double>(all.lost + all.gained) / static_cast<double>(all.samples);
  }
};

llvm::Expected<std::vector<std::string>> readNames(llvm::StringRef path) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> file = io::readFile(path);
  if (!file) {
    return file.takeError();
  }
  return llvm::json::parse<std::vector<std::string>>((*file)->getBuffer(), "names");
}

llvm::Expected<std::vector<Plan>> readPlans(llvm::StringRef answersPath,
                                            llvm::StringRef namesPath) {
  llvm::Expected<Tensor> answers = io::readNpy(answersPath);
  if (!answers) {
    return answers.takeError();
  }
  llvm::Expected<std::vector<std::string>> names = readNames(namesPath);
  if (!names) {
    return names.takeError();
  }
  if (answers->rank() != 2 || answers->dim(0) < kLeastPlans + 1 ||
      static_cast<int64_t>(names->size()) != answers->dim(0)) {
    return io::fileError("'" + answersPath + "' and '" + namesPath +
                         "': expect a matrix with a row for the float model and at least " +
                         llvm::Twine(kLeastPlans) +
                         " plans, and one name per row; write them with bench/quantize.py");
  }
  std::vector<Plan> plans;
  int64_t samples = answers->dim(1);
  for (int64_t row = 1; row < answers->dim(0); ++row) {
    Plan plan{(*names)[row], std::vector<int8_t>(samples), {samples, 0, 0}};
    for (int64_t i = 0; i < samples; ++i) {
      bool wasRight = answers->asInt(i) != 0, isRight = answers->asInt(row * samples + i) != 0;
      plan.changes[i] = static_cast<int8_t>(int(wasRight) - int(isRight));
      plan.all.lost += wasRight && !isRight;
      plan.all.gained += !wasRight && isRight;
    }
    plans.push_back(std::move(plan));
  }
  return plans;
}

/// Computes each bound once.
class Bounds {
public:
  double operator()(const PairedCounts &counts, double alpha) {
    auto key = std::make_tuple(counts.samples, counts.lost, counts.gained, alpha);
    auto [entry, isNew] = known.try_emplace(key, 0);
    if (isNew) {
      entry->second = dropBound(counts, alpha);
    }
    return entry->second;
  }

private:
  std::map<std::tuple<int64_t, int64_t, int64_t, double>, double> known;
};

/// Draws samples with replacement and returns the counts of each plan.
std::vector<PairedCounts> draw(const std::vector<Plan> &plans, int64_t count,
                               std::mt19937_64 &random) {
  std::vector<size_t> drawn(count);
  for (size_t &sample : drawn) {
    sample = random() % plans[0].changes.size();
  }
  std::vector<PairedCounts> result;
  for (const Plan &plan : plans) {
    PairedCounts counts{count, 0, 0};
    for (size_t sample : drawn) {
      counts.lost += plan.changes[sample] > 0;
      counts.gained += plan.changes[sample] < 0;
    }
    result.push_back(counts);
  }
  return result;
}

std::string percent(double share) { return llvm::formatv("{0:f2} %", share * 100); }

/// Prints the share of draws whose bound is below the truth. Returns whether all are in the limits.
bool checkMisses(const std::vector<Plan> &plans, int64_t draws, Bounds &bounds) {
  TextTable table({{"plan"},
                   {"differs", ColumnKind::Number},
                   {"drop", ColumnKind::Number},
                   {"samples", ColumnKind::Number},
                   {"bound below the drop", ColumnKind::Number},
                   {"limits", ColumnKind::Number},
                   {""}});
  bool isGood = true;
  for (int64_t samples : kProofSizes) {
    std::mt19937_64 random(samples);
    std::vector<int64_t> misses(plans.size());
    for (int64_t i = 0; i < draws; ++i) {
      std::vector<PairedCounts> counts = draw(plans, samples, random);
      for (size_t plan = 0; plan < plans.size(); ++plan) {
        misses[plan] += bounds(counts[plan], kPromiseAlpha) < plans[plan].all.drop();
      }
    }
    for (size_t i = 0; i < plans.size(); ++i) {
      double share = static_cast<double>(misses[i]) / static_cast<double>(draws);
      double least = plans[i].differing() >= kOftenDiffering ? kLeastMisses : 0;
      bool isInside = share <= kMostMisses && share >= least;
      isGood &= isInside;
      table.add({plans[i].name, percent(plans[i].differing()), percent(plans[i].all.drop()),
                 std::to_string(samples), percent(share),
                 llvm::formatv("{0:f1} to {1:f1} %", least * 100, kMostMisses * 100),
                 isInside ? "" : "FAILED"});
    }
  }
  table.print(llvm::outs());
  return isGood;
}

/// Runs the chain once: tries the plans in the order of their drops on the select samples. Returns
/// whether a proof promises the limit.
bool hasPromise(const std::vector<Plan> &plans, int64_t samples, int64_t attempts, double limit,
                std::mt19937_64 &random, Bounds &bounds) {
  std::vector<PairedCounts> selected = draw(plans, kSelectSamples, random);
  std::vector<PairedCounts> proofs = draw(plans, samples, random);
  std::vector<size_t> order(plans.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::make_pair(selected[a].drop(), a) < std::make_pair(selected[b].drop(), b);
  });
  double alpha = kPromiseAlpha / static_cast<double>(attempts);
  return std::any_of(order.begin(), order.begin() + attempts,
                     [&](size_t plan) { return bounds(proofs[plan], alpha) <= limit; });
}

/// Prints the share of chains that end with a promise although no plan meets the limit.
bool checkChain(const std::vector<Plan> &plans, int64_t draws, Bounds &bounds) {
  double least = 1;
  for (const Plan &plan : plans) {
    least = std::min(least, plan.all.drop());
  }
  double limit = std::nextafter(least, -1);
  TextTable table({{"attempts", ColumnKind::Number},
                   {"samples", ColumnKind::Number},
                   {"limit below", ColumnKind::Number},
                   {"false promises", ColumnKind::Number},
                   {"limit", ColumnKind::Number},
                   {""}});
  bool isGood = true;
  for (int64_t attempts : kAttempts) {
    for (int64_t samples : kProofSizes) {
      std::mt19937_64 random(1000000 * attempts + samples);
      int64_t promises = 0;
      for (int64_t i = 0; i < draws; ++i) {
        promises += hasPromise(plans, samples, attempts, limit, random, bounds);
      }
      double share = static_cast<double>(promises) / static_cast<double>(draws);
      bool isInside = share <= kMostMisses;
      isGood &= isInside;
      table.add({std::to_string(attempts), std::to_string(samples), percent(least), percent(share),
                 percent(kMostMisses), isInside ? "" : "FAILED"});
    }
  }
  table.print(llvm::outs());
  return isGood;
}

} // namespace

int main(int argc, char **argv) {
  int64_t draws = 2000;
  if (argc < 3 || argc > 4 || (argc == 4 && llvm::StringRef(argv[3]).getAsInteger(10, draws)) ||
      draws < 1) {
    llvm::errs() << "usage: quantize_bounds answers.npy names.json [draws]\n";
    return 1;
  }
  llvm::Expected<std::vector<Plan>> plans = readPlans(argv[1], argv[2]);
  if (!plans) {
    llvm::errs() << "error: " << llvm::toString(plans.takeError()) << "\n";
    return 1;
  }
  Bounds bounds;
  bool isBound = checkMisses(*plans, draws, bounds);
  llvm::outs() << "\nThe chain of select, prove and retry; no plan meets the limit.\n";
  bool isHonest = checkChain(*plans, draws, bounds);
  return isBound && isHonest ? 0 : 1;
}
