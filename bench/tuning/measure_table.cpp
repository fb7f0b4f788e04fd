// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures every configuration of a task once and writes a table for tuning_replay:
//
//     convoy tune --list-tasks MODEL --json > tasks.json
//     tuning_measure_table tasks.json NUMBER TABLE.csv.gz CONVOY-MEASURE [held-out [TARGET]]
//     tuning_measure_table TABLE.csv.gz CONVOY-MEASURE
//
// The second form measures an existing table again if it is stale. With a target that this machine
// can only emulate, a nanosecond of the table is an executed instruction.
//
// Builds and measurements alternate, so that builds do not disturb measurements. At the end,
// the 20 fastest configurations and the compiler's default run in a race with 30 samples
// each. Counts of instructions need no race. The table is written after each batch. A second run
// does not measure its rows again, but repeats the race.

#include "Pipeline/TargetOptions.h"
#include "bench/tuning/TaskList.h"
#include "tuning/build/BuildBatch.h"
#include "tuning/measure/LocalMeasurer.h"
#include "tuning/measure/Race.h"
#include "tuning/measure/TaskData.h"
#include "tuning/network/EmulatedMeasurer.h"
#include "tuning/search/ReplayTable.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"

using namespace convoy;
using namespace convoy::tuning;

namespace {

constexpr size_t kBatch = 32;
constexpr size_t kRaced = 20;

/// Returns task `number` of a list, with its weight.
llvm::Expected<ReplayTable> readTask(llvm::StringRef path, size_t number,
                                     const targets::Target &target) {
  llvm::Expected<std::vector<ListedTask>> tasks = readTaskList(path);
  if (!tasks) {
    return tasks.takeError();
  }
  if (number >= tasks->size()) {
    return llvm::createStringError(path + ": no task " + std::to_string(number));
  }
  ReplayTable table;
  table.task = (*tasks)[number].task;
  table.weight = (*tasks)[number].weight;
  table.target = target;
  return table;
}

class TableMaker {
public:
  TableMaker(ReplayTable table, std::string path, const std::string &program,
             llvm::StringRef folder)
      : table(std::move(table)), path(std::move(path)), folder(folder.str()), program(program) {
    batch.build = {this->table.target, this->folder};
  }

  llvm::Error run() {
    if (llvm::Error error = chooseMeasurer()) {
      return error;
    }
    llvm::Expected<TaskData> computed = TaskData::compute(table.task, folder);
    if (!computed) {
      return computed.takeError();
    }
    data = std::move(*computed);
    llvm::Expected<std::vector<Configuration>> all = configurations();
    if (!all) {
      return all.takeError();
    }
    if (llvm::Error error = takeUp(*all)) {
      return error;
    }
    while (table.rows.size() < all->size()) {
      llvm::ArrayRef<Configuration> rest = llvm::ArrayRef(*all).drop_front(table.rows.size());
      if (llvm::Error error = addBatch(rest.take_front(kBatch))) {
        return error;
      }
      if (llvm::Error error = writeTable(table, path)) {
        return error;
      }
      llvm::errs() << llvm::format("\r%zu of %zu", table.rows.size(), all->size());
    }
    llvm::errs() << "\n";
    if (llvm::Error error = isCounted ? llvm::Error::success() : raceFastest()) {
      return error;
    }
    return writeTable(table, path);
  }

private:
  /// Counts instructions if this machine cannot run the target's code.
  llvm::Error chooseMeasurer() {
    isCounted = !targets::whyNotHere(table.target).empty();
    batch.build.isLoadable = isCounted;
    if (!isCounted) {
      measurer = std::make_unique<LocalMeasurer>(localOptions(program));
      return llvm::Error::success();
    }
    if (llvm::Error error = scratch.createInSystem()) {
      return error;
    }
    llvm::Expected<std::unique_ptr<Measurer>> created = emulatedMeasurer(table.target, scratch);
    if (!created) {
      return created.takeError();
    }
    measurer = std::move(*created);
    return llvm::Error::success();
  }

  /// Reads the rows of an existing file if they match the start of the space.
  llvm::Error takeUp(llvm::ArrayRef<Configuration> all) {
    if (!llvm::sys::fs::exists(path)) {
      return llvm::Error::success();
    }
    llvm::Expected<ReplayTable> earlier = readTable(path);
    if (!earlier) {
      return earlier.takeError();
    }
    bool isPrefix = earlier->task.text == table.task.text && earlier->rows.size() <= all.size();
    for (size_t i = 0; isPrefix && i < earlier->rows.size(); ++i) {
      isPrefix = earlier->rows[i].configuration == all[i];
    }
    if (!isPrefix) {
      return llvm::createStringError(path + ": belongs to a different space; remove it first");
    }
    table.rows = std::move(earlier->rows);
    return llvm::Error::success();
  }

  static LocalOptions localOptions(const std::string &program) {
    LocalOptions options;
    options.program = program;
    options.watch.cpus = usableCpus();
    options.say = [](const std::string &text) { llvm::errs() << "\n" << text << "\n"; };
    return options;
  }

  llvm::Expected<std::vector<Configuration>> configurations() {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    llvm::Expected<TaskModule> module = tuning::readTask(table.task, &context);
    if (!module) {
      return module.takeError();
    }
    plan.threads = static_cast<int>(module->settings.threads);
    SpaceOptions options;
    options.machine = machineOf(table.target);
    options.isStrictMath = module->settings.isStrictMath;
    llvm::Expected<TaskSpace> space = spaceOf(module->kernel(), options);
    if (!space) {
      return space.takeError();
    }
    std::vector<Configuration> result;
    for (const SpaceEntry &entry : space->entries) {
      result.push_back(entry.configuration);
    }
    return result;
  }

  /// Builds the configurations and returns the candidates and their indices in
  /// `configurations`.
  llvm::Expected<std::vector<RunnableCandidate>> build(llvm::ArrayRef<Configuration> configurations,
                                                       std::vector<size_t> &places) {
    std::vector<BuildRequest> requests;
    for (const Configuration &configuration : configurations) {
      requests.push_back({table.task, configuration});
    }
    std::vector<BuildResult> built = buildBatch(requests, batch, "candidate");
    std::vector<RunnableCandidate> candidates;
    for (size_t i = 0; i < built.size(); ++i) {
      if (!built[i].isBuilt()) {
        llvm::errs() << "\n" << configurations[i].text << ": " << built[i].message << "\n";
        continue;
      }
      llvm::Expected<RunnableCandidate> candidate =
          data->candidateOf(configurations[i], built[i].candidate);
      if (!candidate) {
        return candidate.takeError();
      }
      candidates.push_back(std::move(*candidate));
      places.push_back(i);
    }
    return candidates;
  }

  llvm::Error addBatch(llvm::ArrayRef<Configuration> configurations) {
    std::vector<size_t> places;
    llvm::Expected<std::vector<RunnableCandidate>> candidates = build(configurations, places);
    if (!candidates) {
      return candidates.takeError();
    }
    llvm::Expected<std::vector<Measurement>> measured = measurer->measure(*candidates, plan);
    if (!measured) {
      return measured.takeError();
    }
    size_t first = table.rows.size();
    for (const Configuration &configuration : configurations) {
      table.rows.push_back({configuration, std::nullopt});
    }
    for (auto [place, measurement] : llvm::zip(places, *measured)) {
      if (measurement.outcome == Outcome::Ok) {
        table.rows[first + place].seconds = measurement.ns() * 1e-9;
      } else {
        llvm::errs() << "\n" << configurations[place].text << ": " << measurement.message << "\n";
      }
    }
    for (const RunnableCandidate &candidate : *candidates) {
      [[maybe_unused]] std::error_code ignored = llvm::sys::fs::remove(candidate.library);
    }
    return llvm::Error::success();
  }

  /// Returns the fastest configurations and the first one, the compiler's default, which is
  /// the baseline.
  std::vector<size_t> fastestRows() const {
    std::vector<size_t> rows;
    for (size_t i = 0; i < table.rows.size(); ++i) {
      if (table.rows[i].seconds) {
        rows.push_back(i);
      }
    }
    llvm::sort(rows,
               [&](size_t a, size_t b) { return *table.rows[a].seconds < *table.rows[b].seconds; });
    rows.resize(std::min(rows.size(), kRaced));
    if (!llvm::is_contained(rows, 0)) {
      rows.push_back(0);
    }
    return rows;
  }

  llvm::Error raceFastest() {
    std::vector<size_t> rows = fastestRows();
    std::vector<Configuration> fastest;
    for (size_t row : rows) {
      fastest.push_back(table.rows[row].configuration);
    }
    std::vector<size_t> places;
    llvm::Expected<std::vector<RunnableCandidate>> candidates = build(fastest, places);
    if (!candidates) {
      return candidates.takeError();
    }
    RaceOptions options;
    options.plan = plan;
    options.maxChance = 0; // no candidate is eliminated before 30 samples
    llvm::Expected<RaceResult> result = race(*measurer, *candidates, options);
    if (!result) {
      return result.takeError();
    }
    for (auto [place, measurement] : llvm::zip(places, result->measurements)) {
      if (measurement.outcome == Outcome::Ok) {
        table.rows[rows[place]].seconds = measurement.ns() * 1e-9;
      }
    }
    return llvm::Error::success();
  }

  ReplayTable table;
  std::string path;
  std::string folder;
  std::string program;
  TemporaryFolder scratch;
  bool isCounted = false;
  std::unique_ptr<Measurer> measurer;
  BatchOptions batch;
  MeasurePlan plan;
  std::optional<TaskData> data;
};

int fail(llvm::Error error) {
  llvm::errs() << "error: " << llvm::toString(std::move(error)) << "\n";
  return 1;
}

} // namespace

/// Reads an existing table. Drops its rows if templates have changed.
static llvm::Expected<ReplayTable> readAgain(const std::string &path) {
  llvm::Expected<ReplayTable> table = readTable(path);
  if (!table) {
    return table;
  }
  llvm::Expected<ReplaySpace> space = replaySpace(*table);
  bool isStale = !space || !space->staleness.empty();
  if (!space) {
    llvm::consumeError(space.takeError()); // the table matches no entry of the space
  }
  if (isStale) {
    llvm::errs() << path << ": the table is stale; measuring all configurations again\n";
    table->rows.clear();
    if (targets::whyNotHere(table->target).empty()) {
      table->target = targets::detectHost();
    }
    if (llvm::Error error = writeTable(*table, path)) {
      return std::move(error);
    }
  }
  return table;
}

int main(int argc, char **argv) {
  bool isAgain = argc == 3;
  if (!isAgain && argc < 5) {
    llvm::errs()
        << "usage: tuning_measure_table TASKS.json NUMBER TABLE.csv.gz CONVOY-MEASURE "
           "[held-out [TARGET]]\n       tuning_measure_table TABLE.csv.gz CONVOY-MEASURE\n";
    return 1;
  }
  llvm::Expected<targets::Target> target =
      argc > 6 ? targets::findTarget(argv[6]) : targets::detectHost();
  if (!target) {
    return fail(target.takeError());
  }
  llvm::Expected<ReplayTable> table =
      isAgain ? readAgain(argv[1]) : readTask(argv[1], std::strtoul(argv[2], nullptr, 10), *target);
  if (!table) {
    return fail(table.takeError());
  }
  table->isHeldOut |= argc > 5 && llvm::StringRef(argv[5]) == "held-out";
  llvm::SmallString<64> folder;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("table", folder)) {
    return fail(llvm::errorCodeToError(error));
  }
  TableMaker maker(std::move(*table), argv[isAgain ? 1 : 3], argv[isAgain ? 2 : 4], folder);
  llvm::Error error = maker.run();
  [[maybe_unused]] std::error_code ignored = llvm::sys::fs::remove_directories(folder);
  return error ? fail(std::move(error)) : 0;
}
