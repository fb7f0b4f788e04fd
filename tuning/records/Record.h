// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The record of one trial: its task, its measurements and its outcome.
// docs/reference/tuning-records.md describes the stored form.

#pragma once

#include "tuning/space/Configuration.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace convoy::tuning {

/// The outcome of a trial. Only the times of `Ok` count.
enum class Outcome { Ok, BuildError, Crash, TimeOut, WrongResult };

/// Returns "ok", "build-error", "crash", "time-out" or "wrong-result".
llvm::StringRef name(Outcome outcome);
std::optional<Outcome> outcomeFromName(llvm::StringRef name);

/// One batch of runs.
struct Sample {
  int64_t runs = 1;
  int64_t wallNs = 0; // of all runs together
  int64_t cpuNs = 0;  // the part of wallNs in which the measuring thread ran on a CPU
  /// Whether the sample was undisturbed. Disturbed samples are stored but do not count.
  bool isClean = true;

  double nsPerRun() const { return static_cast<double>(wallNs) / static_cast<double>(runs); }
};

/// The fields that must be equal for two records to be comparable. If a template or a target
/// changes, its old keys are never looked up again.
struct RecordKey {
  std::string task; // Task::key, the SHA-256 of the task's text
  std::string target;
  std::string templateId;
  int64_t templateVersion = 0;
  std::string policy;
};

struct Record {
  std::string trial; // globally unique: newTrialId()
  std::string taskText;
  std::string target; // fingerprint
  std::string policy;
  Configuration configuration;
  Outcome outcome = Outcome::Ok;
  std::string message; // why the outcome is not ok
  std::vector<Sample> samples;
  int64_t sentinelNs = 0; // the time of the sentinel near this trial; 0: unknown
  std::string compiler;   // version of the compiler; stored, not matched
  std::string artifact;   // SHA-256 of the code that ran; empty if nothing was built
  int64_t unixUs = 0;     // time of the trial, in microseconds

  RecordKey key() const;
};

/// Returns the SHA-256 in lower-case hexadecimal.
std::string sha256(llvm::StringRef bytes);

/// Returns the key of a task: the SHA-256 of its canonical text.
inline std::string taskHash(llvm::StringRef canonicalText) { return sha256(canonicalText); }

/// Returns 32 random hexadecimal digits.
std::string newTrialId();

int64_t unixMicroseconds();

/// Returns the median of the clean samples in nanoseconds per run, or 0 if there is none.
double medianNs(llvm::ArrayRef<Sample> samples);

} // namespace convoy::tuning
