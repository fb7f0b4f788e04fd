// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes the machines that Convoy compiles for. A description is data: a
// JSON file in this folder, which is embedded in the library, or a user's file.
// `host` is the same structure, detected on the current machine.

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace convoy::targets {

struct Cache {
  int64_t level = 0;
  int64_t bytes = 0;
  int64_t lineBytes = 64;
  /// Number of cores that share one instance of the cache.
  int64_t sharedByCores = 1;
};

/// Memory in which the memory planner may place buffers.
struct Memory {
  std::string name;
  /// Size in bytes; 0 means unlimited.
  int64_t bytes = 0;
  int64_t alignmentBytes = 64;

  // Only for a target with a tool chain.
  int64_t address = 0;
  /// Cycles of one access by the CPU: 1 means no wait state.
  int64_t accessCycles = 0;
  /// What may live in the memory: "code", "weights", "data" (arena, inputs, outputs), "stack".
  std::vector<std::string> holds = {};
};

/// A clock frequency of the cores and the power of one core at this frequency.
struct PowerState {
  std::string name; // a C identifier, by which code requests the state
  int64_t megahertz = 0;
  int64_t activeMilliwatts = 0;
  int64_t idleMilliwatts = 0;
};

/// Cycles of single instructions, by kind. Estimates of a core without cache misses.
struct InstructionCycles {
  int64_t integer = 1, multiply = 1, divide = 1, load = 1, store = 1, branch = 1;
  /// Multiply-add of floats; without a floating-point unit, the library function that emulates it.
  int64_t floating = 1;
  /// Operation on a whole vector register; 0: the core has no vectors.
  int64_t vector = 0;
};

/// A program of a tool chain.
struct Tool {
  std::string name; // by which a user selects the tool; empty if there is no choice
  std::vector<std::string> command;
  /// The Debian packages that contain the program and the files that it reads.
  std::vector<std::string> packages;
};

/// How to build and run a program on a machine without an operating system.
struct Toolchain {
  /// The start-up code in runtime/micro: "cortex-m" or "riscv".
  std::string start;
  /// The size of the stack if the compiler cannot bound it.
  int64_t stackBytes = 0;
  /// The bytes of stack that functions of the C library need, with the functions that they call.
  std::map<std::string, int64_t> libraryStack;
  /// Compile emitted C; the first one is the default. `TARGET:NAME` selects another one.
  std::vector<Tool> compilers;
  Tool linker;
  /// QEMU and its board; an empty command means that programs for the target are only built.
  Tool emulator;
  /// Time limit of one run under the emulator.
  int64_t timeoutSeconds = 300;
};

/// How emitted C writes inner loops.
enum class LoopForm {
  Vectors, ///< With the vector extension of gcc and clang.
  Plain,   ///< With loops over lanes.
};

struct Target {
  std::string name;
  /// One line for `convoy targets`.
  std::string summary;

  // The target description for LLVM. `features` are sorted names without a
  // sign. The list is complete: a machine with all of them runs the code. `cpu`
  // only selects the scheduling model, because virtual machines often lack
  // features of the CPU they name.
  std::string triple;
  std::string cpu;
  std::vector<std::string> features;

  // Properties that determine the shape of kernels.
  int64_t vectorBytes = 0;
  int64_t vectorRegisters = 0;
  int64_t fmaPorts = 0;
  bool hasFma = false;
  /// Whether vector instructions accept a scalar register as operand, so that
  /// no broadcast to a vector register is required. Long-vector machines do.
  bool hasScalarOperands = false;
  std::vector<Cache> caches;
  int64_t cores = 1;
  std::vector<Memory> memories;

  /// Fastest first; empty if there is no choice.
  std::vector<PowerState> powerStates;

  /// The form of loops in emitted C and the command that compiles it; empty if
  /// unknown. The command of the host follows from its features.
  std::optional<LoopForm> sourceLoops;
  std::vector<std::string> sourceCompiler;

  /// The command that runs a program for this target on other machines; empty
  /// if unknown.
  std::vector<std::string> emulator;

  /// Unset if unknown.
  std::optional<InstructionCycles> instructionCycles;
  /// Set for microcontrollers. Their programs are emitted C and have one thread.
  std::optional<Toolchain> toolchain;

  /// Returns the SHA-256 of all fields that may affect the code or its speed.
  /// Excludes names, the summary, power states, emulators, and a compiler
  /// command that follows from the features.
  std::string fingerprint() const;
  /// Returns the features in LLVM's form: "+avx,+avx2".
  std::string featureString() const;
  /// Returns the cache of this level, or null.
  const Cache *cache(int64_t level) const;
};

/// Parses a description. `origin` names the text in errors, which report a
/// missing, invalid or unknown field.
llvm::Expected<Target> parseTarget(llvm::StringRef json, llvm::StringRef origin);

/// Returns the target as JSON that parseTarget accepts.
std::string toJson(const Target &target);

/// Returns the current machine: the CPU name of LLVM, the features that the
/// runtime checks, and the cache sizes that the system reports.
Target detectHost();

/// Returns the built-in targets, `host` first.
std::vector<Target> listTargets();

/// Returns a built-in target by name, or the description in a file if `name`
/// ends in .json. `NAME:COMPILER` selects a compiler of the target's tool chain.
/// The error lists the names.
llvm::Expected<Target> findTarget(llvm::StringRef name);

/// Returns the features that `target` requires and `machine` lacks; empty if
/// code for `target` runs on `machine`.
std::vector<std::string> missingFeatures(const Target &target, const Target &machine);

/// Returns the reason why this machine does not run code for `target`, for
/// example "this CPU lacks avx2, fma"; empty if it does.
std::string whyNotHere(const Target &target);

} // namespace convoy::targets
