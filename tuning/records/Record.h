// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is kept of one trial: which task it was a candidate for, what was measured
// and how it ended. docs/reference/tuning-records.md describes the stored form.

#pragma once

#include "tuning/space/Configuration.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace convoy::tuning {

/// How a trial ended. Only the times of `Ok` count.
enum class Outcome { Ok, BuildError, Crash, TimeOut, WrongResult };

/// "ok", "build-error", "crash", "time-out", "wrong-result".
llvm::StringRef name(Outcome outcome);
std::optional<Outcome> outcomeFromName(llvm::StringRef name);

/// One batch of runs.
struct Sample {
  int64_t runs = 1;
  int64_t wallNs = 0; // of all runs together
  int64_t cpuNs = 0;  // of them, that the measuring thread had a core for
  /// Nothing disturbed it. Others are kept to be looked at, and count for nothing.
  bool isClean = true;

  double nsPerRun() const { return static_cast<double>(wallNs) / static_cast<double>(runs); }
};

/// What makes two records comparable. A key that nobody asks for any more, because
/// the template or the target has changed, is never found; it does no harm.
struct RecordKey {
  std::string task; // Task::key, which is taskHash of its text
  std::string target;
  std::string templateId;
  int64_t templateVersion = 0;
  std::string policy;
};

struct Record {
  std::string trial; // unique in the world: newTrialId()
  std::string taskText;
  std::string target; // fingerprint
  std::string policy;
  Configuration configuration;
  Outcome outcome = Outcome::Ok;
  std::string message; // why it is not ok
  std::vector<Sample> samples;
  int64_t sentinelNs = 0; // what the sentinel kernel took around that time; 0: not known
  std::string compiler;   // its version; stored, not matched
  std::string artefact;   // SHA-256 of the code that ran; empty when nothing was built
  int64_t unixUs = 0;     // when, in microseconds

  RecordKey key() const;
};

/// SHA-256 in lower-case hexadecimal.
std::string sha256(llvm::StringRef bytes);

/// The key of a task: SHA-256 of its canonical text.
inline std::string taskHash(llvm::StringRef canonicalText) { return sha256(canonicalText); }

/// 32 random hexadecimal digits.
std::string newTrialId();

int64_t unixMicroseconds();

/// The middle of the clean samples in nanoseconds per run; 0 when there is none.
double medianNs(llvm::ArrayRef<Sample> samples);

} // namespace convoy::tuning
