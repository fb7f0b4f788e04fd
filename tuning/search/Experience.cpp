// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts records to training examples.

#include "tuning/search/Experience.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

namespace convoy::tuning {
namespace {

/// The cost model is trained again for each batch; 256 examples take about 0.14 s.
constexpr size_t kMostExamples = 256;
/// The limit of examples from one task if there are few tasks.
constexpr size_t kMostOfTask = 48;

} // namespace

void Experience::learn(const std::string &taskText, const SpaceEntry &entry, double seconds) {
  std::vector<Timed> &list = byTask[taskText];
  auto place = std::upper_bound(list.begin(), list.end(), seconds,
                                [](double value, const Timed &one) { return value < one.seconds; });
  list.insert(place, Timed{seconds, exampleOf(entry, seconds)});
}

void Experience::learn(const std::string &taskText, llvm::ArrayRef<Record> records) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  llvm::Expected<TaskModule> task = readTask({taskText, ""}, &context);
  if (!task) {
    llvm::consumeError(task.takeError());
    return;
  }
  if (task->settings.threads != threads) {
    return;
  }
  SpaceOptions own = options;
  own.isStrictMath = task->settings.isStrictMath;
  llvm::Expected<TaskSpace> space = spaceOf(task->kernel(), own);
  if (!space) {
    llvm::consumeError(space.takeError());
    return;
  }
  for (const Record &record : records) {
    const SpaceEntry *entry = space->find(record.configuration);
    double ns = record.outcome == Outcome::Ok ? medianNs(record.samples) : 0;
    if (entry && ns > 0) {
      learn(taskText, *entry, ns * 1e-9);
    }
  }
}

std::vector<Example> Experience::examplesFor(llvm::StringRef taskText) const {
  std::vector<const std::vector<Timed> *> others;
  for (const auto &[text, list] : byTask) {
    if (text != taskText) {
      others.push_back(&list);
    }
  }
  std::vector<Example> examples;
  if (others.empty()) {
    return examples;
  }
  size_t quota = std::clamp<size_t>(kMostExamples / others.size(), 1, kMostOfTask);
  for (const std::vector<Timed> *list : others) {
    size_t count = std::min({quota, list->size(), kMostExamples - examples.size()});
    std::vector<Example> chosen;
    for (size_t i = 0; i < count; ++i) {
      size_t place = count == 1 ? 0 : i * (list->size() - 1) / (count - 1);
      chosen.push_back((*list)[place].example);
    }
    center(chosen);
    llvm::append_range(examples, chosen);
  }
  return examples;
}

} // namespace convoy::tuning
