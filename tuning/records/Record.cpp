// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements names, identifiers and the median time of a record.

#include "Record.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"
#include <algorithm>
#include <chrono>
#include <random>

namespace convoy::tuning {
namespace {

struct OutcomeName {
  Outcome outcome;
  llvm::StringLiteral name;
};

constexpr OutcomeName kOutcomes[] = {
    {Outcome::Ok, "ok"},
    {Outcome::BuildError, "build-error"},
    {Outcome::Crash, "crash"},
    {Outcome::TimeOut, "time-out"},
    {Outcome::WrongResult, "wrong-result"},
};

} // namespace

llvm::StringRef name(Outcome outcome) {
  for (const OutcomeName &entry : kOutcomes) {
    if (entry.outcome == outcome) {
      return entry.name;
    }
  }
  return "unknown";
}

std::optional<Outcome> outcomeFromName(llvm::StringRef name) {
  for (const OutcomeName &entry : kOutcomes) {
    if (entry.name == name) {
      return entry.outcome;
    }
  }
  return std::nullopt;
}

RecordKey Record::key() const {
  return {taskHash(taskText), target, configuration.templateId, configuration.templateVersion,
          policy};
}

std::string sha256(llvm::StringRef bytes) {
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(bytes)), /*LowerCase=*/true);
}

std::string newTrialId() {
  // Uses the system's generator, because two tuners must never generate the same id.
  std::random_device random;
  uint8_t bytes[16];
  for (uint8_t &byte : bytes) {
    byte = static_cast<uint8_t>(random());
  }
  return llvm::toHex(bytes, /*LowerCase=*/true);
}

int64_t unixMicroseconds() {
  using namespace std::chrono;
  return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
}

double medianNs(llvm::ArrayRef<Sample> samples) {
  std::vector<double> times;
  for (const Sample &sample : samples) {
    if (sample.isClean) {
      times.push_back(sample.nsPerRun());
    }
  }
  if (times.empty()) {
    return 0;
  }
  std::sort(times.begin(), times.end());
  size_t middle = times.size() / 2;
  return times.size() % 2 == 1 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
}

} // namespace convoy::tuning
