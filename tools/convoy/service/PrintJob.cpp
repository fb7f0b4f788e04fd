// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats the answers of a tuning service.

#include "tools/convoy/service/PrintJob.h"
#include "Support/Json.h"
#include "Support/TextTable.h"
#include "service/api/ApiJson.h"
#include "tuning/records/Record.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

namespace convoy::tool {
namespace {

using service::DeviceStatus;
using service::JobStatus;
using service::TaskStatus;

constexpr ColumnKind kNumber = ColumnKind::Number;

/// "trials_done" of "trialsDone".
std::string snakeCase(llvm::StringRef key) {
  std::string result;
  for (char c : key) {
    if (llvm::isUpper(c)) {
      result += '_';
    }
    result += llvm::toLower(c);
  }
  return result;
}

llvm::json::Value withSnakeCase(llvm::json::Value value) {
  if (llvm::json::Array *list = value.getAsArray()) {
    for (llvm::json::Value &item : *list) {
      item = withSnakeCase(std::move(item));
    }
  } else if (llvm::json::Object *object = value.getAsObject()) {
    llvm::json::Object renamed;
    for (auto &[key, member] : *object) {
      renamed[snakeCase(key)] = withSnakeCase(std::move(member));
    }
    return renamed;
  }
  return value;
}

bool isCounted(const JobStatus &job) { return job.policy() == "instructions"; }

/// Returns an estimate of one inference.
std::string estimateText(const JobStatus &job, double microseconds) {
  return microseconds == 0 ? "-"
         : isCounted(job)
             ? llvm::formatv("{0:N} instructions", std::llround(microseconds * 1e3)).str()
             : llvm::formatv("{0:f3} ms", microseconds / 1e3).str();
}

/// Returns the time of one task in microseconds, or its instructions.
std::string taskText(const JobStatus &job, double nanoseconds) {
  return nanoseconds == 0 ? "-"
         : isCounted(job) ? llvm::formatv("{0:N}", std::llround(nanoseconds)).str()
                          : llvm::formatv("{0:f3}", nanoseconds / 1e3).str();
}

std::string trialsText(const JobStatus &job) {
  return std::to_string(job.trials_done()) +
         (job.max_trials() > 0 ? "/" + std::to_string(job.max_trials()) : "");
}

void printNetwork(llvm::raw_ostream &os, const JobStatus &job) {
  const service::NetworkTime &network = job.network();
  if (!network.problem().empty()) {
    // A later stage that failed keeps the time; a time without the default ones has no ratio.
    os << (network.us() == 0 ? "the network was not timed: "
                             : "the last timing of the network is incomplete: ")
       << network.problem() << "\n";
  }
  if (network.us() == 0) {
    return;
  }
  os << llvm::formatv("the network takes {0:f3} ms ({1:f3} to {2:f3}, 95 % confidence, {3} samples "
                      "on {4})\n",
                      network.us() / 1e3, network.low_us() / 1e3, network.high_us() / 1e3,
                      network.samples(), network.device());
  if (network.ratio() > 0) {
    os << llvm::formatv("with the best configurations, it takes {0:f3} of the time with the "
                        "default ones ({1:f3} to {2:f3}){3}\n",
                        network.ratio(), network.low_ratio(), network.high_ratio(),
                        network.keeps_default() ? ": the files have the default ones" : "");
  }
}

} // namespace

llvm::json::Value apiToJson(const google::protobuf::Message &message) {
  return withSnakeCase(llvm::cantFail(parseJson(service::toJson(message))));
}

std::string progressText(const JobStatus &job) {
  std::string text = llvm::formatv("{0}  {1} trials, {2} failed, {3:f1} device-seconds",
                                   service::name(job.state()), trialsText(job), job.trials_failed(),
                                   job.device_seconds());
  if (job.best_us() > 0) {
    text += "  inference " + estimateText(job, job.default_us()) + " -> " +
            estimateText(job, job.best_us());
  }
  if (job.estimated_end_us() > 0 && !service::isEnded(job.state())) {
    int64_t left = (job.estimated_end_us() - tuning::unixMicroseconds()) / 1000000;
    text += llvm::formatv("  ends in about {0} s", std::max<int64_t>(left, 0));
  }
  return text;
}

void printJob(llvm::raw_ostream &os, const JobStatus &job) {
  os << "job " << job.id() << " of project " << job.project() << ": " << service::name(job.state())
     << (job.reason().empty() ? "" : ", " + job.reason()) << "\n"
     << llvm::formatv("{0} trials, {1} failed, {2:f1} device-seconds on {3}\n", trialsText(job),
                      job.trials_failed(), job.device_seconds(), job.target_class());
  if (job.best_us() > 0) {
    os << "estimate of an inference: " << estimateText(job, job.default_us()) << " before, "
       << estimateText(job, job.best_us()) << " after\n";
  }
  printNetwork(os, job);
}

void printTasks(llvm::raw_ostream &os, const JobStatus &job) {
  TextTable table({{"count", kNumber},
                   {"trials", kNumber},
                   {isCounted(job) ? "before" : "before us", kNumber},
                   {isCounted(job) ? "after" : "after us", kNumber},
                   {"task"}});
  for (const TaskStatus &task : job.tasks()) {
    table.add({std::to_string(task.count()), std::to_string(task.trials()),
               taskText(job, task.default_ns()), taskText(job, task.best_ns()), task.name()});
  }
  table.print(os);
}

void printJobs(llvm::raw_ostream &os, const service::JobList &list) {
  TextTable table({{"job"},
                   {"state"},
                   {"project"},
                   {"class"},
                   {"trials", kNumber},
                   {"before", kNumber},
                   {"after", kNumber},
                   {"reason"}});
  for (const JobStatus &job : list.jobs()) {
    table.add({job.id(), service::name(job.state()).str(), job.project(), job.target_class(),
               trialsText(job), estimateText(job, job.default_us()),
               estimateText(job, job.best_us()), job.reason()});
  }
  table.print(os);
  os << list.jobs_size() << " jobs\n";
}

void printDevices(llvm::raw_ostream &os, const service::DeviceList &list) {
  TextTable table({{"device"}, {"class"}, {"state"}, {"measured", kNumber}, {"trial"}, {"reason"}});
  for (const DeviceStatus &device : list.devices()) {
    table.add({device.name(), device.device_class(), service::name(device.state()).str(),
               std::to_string(device.measured()), device.trial().empty() ? "-" : device.trial(),
               device.reason()});
  }
  table.print(os);
  os << list.devices_size() << " devices\n";
}

} // namespace convoy::tool
