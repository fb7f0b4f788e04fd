// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sleeps for the time of the work and answers. Answers depend only on the trial and the table, so
// that a repeated trial gives the same result.

#include "service/worker/Emulation.h"
#include "service/queue/JsonFields.h"
#include "tuning/records/Record.h"
#include "llvm/Support/MemoryBuffer.h"
#include <chrono>
#include <random>
#include <thread>

using namespace convoy::tuning;
using nlohmann::json;

namespace convoy::service {
namespace {

constexpr int64_t kFormat = 1;

std::string configurationKey(const Configuration &configuration) {
  return configuration.templateId + "|" + std::to_string(configuration.templateVersion) + "|" +
         configuration.text + "|" + configuration.inputLayout + "|" + configuration.outputLayout;
}

class EmulatedStation : public WorkStation {
public:
  EmulatedStation(EmulationOptions options, std::string role) : options(std::move(options)) {
    greeting.name = this->options.name;
    greeting.role = std::move(role);
    greeting.deviceClass = this->options.deviceClass;
    greeting.cpu = "emulated";
  }

  llvm::Error run(const WorkMessage &work, ResultMessage &result) override {
    if (options.hangEvery > 0 && ++trials % options.hangEvery == 0) {
      isHanging = true;
      sleep(options.hangSeconds);
    }
    sleep(options.seconds / options.speed);
    answer(work, result);
    isHanging = false;
    return llvm::Error::success();
  }
  WorkerHello hello() override { return greeting; }
  bool extendsLease() override { return !isHanging; }

protected:
  virtual void answer(const WorkMessage &work, ResultMessage &result) = 0;
  EmulationOptions options;

private:
  static void sleep(double seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  }

  WorkerHello greeting;
  int trials = 0;
  std::atomic<bool> isHanging{false};
};

class EmulatedBuilder : public EmulatedStation {
public:
  explicit EmulatedBuilder(EmulationOptions options)
      : EmulatedStation(std::move(options), "builder") {}

  void answer(const WorkMessage &work, ResultMessage &result) override {
    Completion &completion = result.completion;
    completion.artifact = sha256(work.taskKey + configurationKey(work.configuration));
    completion.candidate.id = work.configuration.text;
    completion.candidate.library = kBlobPrefix + completion.artifact;
    completion.candidate.symbol = "emulated";
  }
};

class EmulatedDevice : public EmulatedStation {
public:
  EmulatedDevice(EmulationOptions options, std::shared_ptr<const EmulationTables> tables)
      : EmulatedStation(std::move(options), "agent"), tables(std::move(tables)) {}

  void answer(const WorkMessage &work, ResultMessage &result) override {
    Completion &completion = result.completion;
    std::optional<double> seconds = tables->find(work.taskKey, work.configuration);
    if (!seconds) {
      completion.outcome = Outcome::BuildError;
      completion.message = "the table has no time for this configuration";
    } else {
      addSamples(work, *seconds, completion.measurement);
    }
    completion.measurement.outcome = completion.outcome;
    completion.measurement.message = completion.message;
  }

private:
  void addSamples(const WorkMessage &work, double seconds, Measurement &measurement) const {
    std::hash<std::string> seedOf;
    std::mt19937_64 random(seedOf(work.trial));
    std::normal_distribution<double> noise(1, std::max(options.noise, 1e-12));
    for (int i = 0; i < std::max(work.plan.samples, 1); ++i) {
      double factor = options.noise > 0 ? std::max(noise(random), 0.5) : 1;
      Sample sample;
      // Enough runs keep the digits of short times.
      sample.runs = 1000;
      sample.wallNs = sample.cpuNs = std::llround(seconds * factor * 1e9 * 1000);
      measurement.samples.push_back(sample);
    }
  }

  std::shared_ptr<const EmulationTables> tables;
};

} // namespace

llvm::Expected<EmulationTables> EmulationTables::read(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    return llvm::createStringError("cannot read '" + path + "': " + buffer.getError().message());
  }
  llvm::Expected<json> object = parseObject((*buffer)->getBuffer(), path);
  if (!object) {
    return object.takeError();
  }
  JsonFields fields(*object);
  if (fields.integer("format", 0) != kFormat) {
    return llvm::createStringError(path + " has no \"format\": 1; write it with "
                                          "tests/service/make_tables.py");
  }
  EmulationTables tables;
  for (const auto &[key, rows] : fields.part("tasks").items()) {
    auto &table = tables.tasks[key];
    for (const auto &[configuration, seconds] : rows.items()) {
      if (seconds.is_number()) {
        table[configuration] = seconds.get<double>();
      }
    }
  }
  return tables;
}

std::optional<double> EmulationTables::find(llvm::StringRef taskKey,
                                            const Configuration &configuration) const {
  auto task = tasks.find(taskKey.str());
  if (task == tasks.end()) {
    return std::nullopt;
  }
  auto row = task->second.find(configurationKey(configuration));
  return row == task->second.end() ? std::nullopt : std::optional<double>(row->second);
}

std::unique_ptr<WorkStation> makeEmulatedBuilder(EmulationOptions options) {
  return std::make_unique<EmulatedBuilder>(std::move(options));
}

std::unique_ptr<WorkStation> makeEmulatedDevice(EmulationOptions options,
                                                std::shared_ptr<const EmulationTables> tables) {
  return std::make_unique<EmulatedDevice>(std::move(options), std::move(tables));
}

} // namespace convoy::service
