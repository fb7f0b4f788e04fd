// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptions of the machines we compile for. They are data: JSON files beside
// this one, built into the library, or a user's own file. `host` is the same
// structure filled by looking at this machine.

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace convoy::targets {

struct Cache {
  int64_t level = 0;
  int64_t bytes = 0;
  int64_t lineBytes = 64;
  /// How many cores use one instance together.
  int64_t sharedByCores = 1;
};

/// Memory a planner may place buffers in.
struct Memory {
  std::string name;
  /// 0: as much as the system gives.
  int64_t bytes = 0;
  int64_t alignmentBytes = 64;
};

/// A speed that cores can run at, and what one takes at it.
struct PowerState {
  std::string name; // a C identifier: code asks for it by this name
  int64_t megahertz = 0;
  int64_t activeMilliwatts = 0;
  int64_t idleMilliwatts = 0;
};

struct Target {
  std::string name;
  /// One line for `convoy targets`.
  std::string summary;

  // What LLVM is told. `features` are names without a sign, sorted, and complete:
  // a machine that has them all runs the code. `cpu` is only what it is scheduled
  // for: virtual machines often lack what their CPU's name promises.
  std::string triple;
  std::string cpu;
  std::vector<std::string> features;

  // What kernels are shaped by.
  int64_t vectorBytes = 0;
  int64_t vectorRegisters = 0;
  int64_t fmaPorts = 0;
  bool hasFma = false;
  /// Vector instructions take a factor from a scalar register: none has to be spread
  /// over a vector register first. Long-vector machines do.
  bool hasScalarOperands = false;
  std::vector<Cache> caches;
  int64_t cores = 1;
  std::vector<Memory> memories;

  /// Fastest first; empty when there is nothing to choose.
  std::vector<PowerState> powerStates;

  /// How C for this target writes inner loops, "vectors" or "plain", and the command
  /// that compiles it; empty when nothing is known. The host's command follows from its
  /// features.
  std::string sourceLoops;
  std::vector<std::string> sourceCompiler;

  /// The command that runs a program for this target on other machines; empty when
  /// none is known.
  std::vector<std::string> emulator;

  /// SHA-256 of all that code and its speed may depend on; names, remarks and a compiler
  /// command that follows from the features are not part of it.
  std::string fingerprint() const;
  /// "+avx,+avx2": as LLVM wants it.
  std::string featureString() const;
  /// The cache of that level, or null.
  const Cache *cache(int64_t level) const;
};

/// Reads a description. `origin` names the text in errors, which list what is
/// missing, of the wrong kind or unknown.
llvm::Expected<Target> parseTarget(llvm::StringRef json, llvm::StringRef origin);

/// The target as JSON that parseTarget reads back.
std::string toJson(const Target &target);

/// This machine: LLVM's name of the CPU, the features that the runtime checks, cache
/// sizes from the system.
Target detectHost();

/// Built-in targets by name, `host` first.
std::vector<Target> listTargets();

/// A built-in target by name, or a description by path when `name` ends in .json.
/// The error lists the names.
llvm::Expected<Target> findTarget(llvm::StringRef name);

/// The features that `target` needs and `machine` lacks; empty when it runs there.
std::vector<std::string> missingFeatures(const Target &target, const Target &machine);

/// Why this machine does not run code for `target`, as "this CPU lacks avx2, fma";
/// empty when it does.
std::string whyNotHere(const Target &target);

} // namespace convoy::targets
