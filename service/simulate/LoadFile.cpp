// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads loads and stage times. JSON is parsed without exceptions; each value is checked before use.

#include "service/simulate/LoadFile.h"
#include "service/scheduler/StageTimes.h"
#include "service/simulate/Random.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace convoy::service {
namespace {

using Json = nlohmann::json;
constexpr const char *kStageNames[] = {"propose", "build", "measure"};
/// Limits that keep a mistake in a file from filling the memory.
constexpr int64_t kMostSlots = 100000, kMostRounds = 100000, kMostBatch = 4096;

llvm::Error problem(llvm::StringRef path, const llvm::Twine &text) {
  return llvm::createStringError(llvm::Twine(path) + ": " + text);
}

llvm::Expected<std::string> readText(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer) {
    return problem(path, buffer.getError().message());
  }
  return (*buffer)->getBuffer().str();
}

/// Returns "100000" or "1e+09".
std::string shortText(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", value);
  return text;
}

/// Reads values of a JSON object and keeps the first problem.
class Fields {
public:
  Fields(const Json &json, std::string where) : json(json), where(std::move(where)) {
    if (!json.is_object()) {
      fail("expected an object");
    }
  }

  double number(const char *name, double fallback, double low, double high) {
    const Json *value = find(name);
    if (!value) {
      return fallback;
    }
    bool isValid =
        value->is_number() && value->get<double>() >= low && value->get<double>() <= high;
    if (!isValid) {
      fail(llvm::formatv("'{0}' expects a number from {1} to {2}, got {3}", name, shortText(low),
                         shortText(high), value->dump()));
      return fallback;
    }
    return value->get<double>();
  }
  int64_t integer(const char *name, int64_t fallback, int64_t low, int64_t high) {
    return static_cast<int64_t>(number(name, static_cast<double>(fallback),
                                       static_cast<double>(low), static_cast<double>(high)));
  }
  std::string text(const char *name, const std::string &fallback) {
    const Json *value = find(name);
    if (value && !value->is_string()) {
      fail(llvm::formatv("'{0}' expects a string, got {1}", name, value->dump()));
    }
    return value && value->is_string() ? value->get<std::string>() : fallback;
  }

  /// Returns the first problem, empty if there is none.
  const std::string &firstProblem() const { return first; }

private:
  const Json *find(const char *name) const {
    auto found = json.is_object() ? json.find(name) : json.end();
    return found == json.end() ? nullptr : &*found;
  }
  void fail(const std::string &text) {
    if (first.empty()) {
      first = where + ": " + text;
    }
  }

  const Json &json;
  std::string where, first;
};

LoadJob readJob(const Json &json, size_t index, uint64_t seed, std::string &firstProblem) {
  Fields fields(json, "jobs[" + std::to_string(index) + "]");
  LoadJob job;
  job.project = fields.text("project", "default");
  job.deviceClass = fields.text("class", "default");
  job.releaseSeconds = fields.number("release", 0, 0, 1e9);
  job.tier = static_cast<int>(fields.integer("tier", 0, -100, 100));
  job.rounds = fields.integer("rounds", 1, 1, kMostRounds);
  job.batch = fields.integer("batch", 16, 1, kMostBatch);
  for (size_t stage = 0; stage < service::scheduler::kStages; ++stage) {
    double fallback = service::scheduler::kDefaultStageSeconds[stage];
    job.meanSeconds[stage] = fields.number(kStageNames[stage], fallback, 1e-6, 1e6);
  }
  job.seed = Random(seed * 1000003 + index).next();
  if (firstProblem.empty()) {
    firstProblem = fields.firstProblem();
  }
  return job;
}

/// Returns why the devices and jobs do not fit, empty if they do.
std::string checkClasses(const Load &load) {
  if (load.jobs.empty()) {
    return "expected at least one job in 'jobs'";
  }
  for (const LoadJob &job : load.jobs) {
    auto found = load.devices.find(job.deviceClass);
    if (found == load.devices.end() || found->second < 1) {
      return "no device of class '" + job.deviceClass + "', which a job needs; add it to 'devices'";
    }
  }
  return "";
}

llvm::Error readCsv(llvm::StringRef path, llvm::StringRef text, StageSamples &samples) {
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines) {
    auto [stage, number] = line.trim().split(',');
    auto found = std::find(std::begin(kStageNames), std::end(kStageNames), stage.trim());
    double seconds = 0;
    if (stage.trim() == "stage" && number.trim() == "seconds") {
      continue; // the header
    }
    if (found == std::end(kStageNames) || number.trim().getAsDouble(seconds) || seconds <= 0) {
      return problem(path, "expected 'propose|build|measure,seconds', got '" + line + "'");
    }
    samples.seconds[static_cast<size_t>(found - std::begin(kStageNames))].push_back(seconds);
  }
  return llvm::Error::success();
}

llvm::Error readJsonSamples(llvm::StringRef path, const Json &json, StageSamples &samples) {
  for (size_t stage = 0; stage < service::scheduler::kStages; ++stage) {
    auto found = json.find(kStageNames[stage]);
    if (found == json.end()) {
      continue;
    }
    for (const Json &value : found->is_array() ? *found : Json::array({*found})) {
      if (!value.is_number() || value.get<double>() <= 0) {
        return problem(path, llvm::Twine("'") + kStageNames[stage] +
                                 "' expects an array of positive seconds, got " + value.dump());
      }
      samples.seconds[stage].push_back(value.get<double>());
    }
  }
  return llvm::Error::success();
}

} // namespace

llvm::Expected<Load> readLoad(llvm::StringRef path, uint64_t seed) {
  llvm::Expected<std::string> text = readText(path);
  if (!text) {
    return text.takeError();
  }
  Json json = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
  Fields fields(json, "load");
  Load load;
  load.name = fields.text("name", path.str());
  load.searchSlots = static_cast<int>(fields.integer("searchSlots", 1, 1, kMostSlots));
  load.buildSlots = static_cast<int>(fields.integer("buildSlots", 1, 1, kMostSlots));
  std::string firstProblem = json.is_discarded() ? "is not valid JSON" : fields.firstProblem();
  if (json.is_object() && json.contains("devices") && json["devices"].is_object()) {
    Fields devices(json["devices"], "devices");
    for (const auto &[name, count] : json["devices"].items()) {
      load.devices[name] = static_cast<int>(devices.integer(name.c_str(), 1, 1, kMostSlots));
    }
    firstProblem = firstProblem.empty() ? devices.firstProblem() : firstProblem;
  }
  if (json.is_object() && json.contains("jobs") && json["jobs"].is_array()) {
    for (const Json &job : json["jobs"]) {
      load.jobs.push_back(readJob(job, load.jobs.size(), seed, firstProblem));
    }
  }
  firstProblem = firstProblem.empty() ? checkClasses(load) : firstProblem;
  if (!firstProblem.empty()) {
    return problem(path, firstProblem);
  }
  sortByRelease(load);
  return load;
}

llvm::Expected<StageSamples> readStageSamples(llvm::StringRef path) {
  llvm::Expected<std::string> text = readText(path);
  if (!text) {
    return text.takeError();
  }
  StageSamples samples;
  Json json = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
  llvm::Error error =
      json.is_object() ? readJsonSamples(path, json, samples) : readCsv(path, *text, samples);
  if (error) {
    return std::move(error);
  }
  return samples;
}

} // namespace convoy::service
