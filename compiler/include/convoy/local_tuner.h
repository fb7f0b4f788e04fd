// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tuner that measures on this machine, as `convoy tune` does. It is in
// libconvoy-tuning.so.0 (CMake: Convoy::tuning), which also contains the compiler: a program
// links Convoy::tuning instead of Convoy::compiler.

#pragma once

#include "convoy/tuner.h"
#include <memory>
#include <string>

namespace convoy {

struct LocalTunerOptions {
  /// The file to which the tuner adds its records. The tuner creates it if it is missing.
  std::string records;
  /// The program convoy-measure, which runs the candidates. Empty: the one beside the running
  /// program, else the one that is installed with libconvoy-tuning.so, else the one on PATH.
  std::string measureProgram;
  /// Limits the time of one candidate.
  double timeoutMs = 10000;
  /// Limits the total time that the tuner waits for an idle core.
  double waitSeconds = 60;
  /// The search proposes the same configurations for the same seed and measurements.
  uint64_t seed = 0;
  /// If set, receives messages for the user while the tuner waits.
  std::function<void(const std::string &)> say = nullptr;
};

/// Returns a tuner that measures one candidate at a time on the cores of this machine. It can
/// tune only for targets whose code runs here without an emulator.
CONVOY_API std::shared_ptr<Tuner> localTuner(LocalTunerOptions options);
/// Returns a tuner with default options that adds its records to a file.
CONVOY_API std::shared_ptr<Tuner> localTuner(const std::string &records);

} // namespace convoy
