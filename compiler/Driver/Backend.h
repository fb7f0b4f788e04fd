// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of a kind of target. Each folder of Backends/ implements it for one kind: code for
// a CPU, emitted C, programs of microcontrollers, devices and the reference. resolveTarget selects
// the back end of a target. All other code asks the back end and does not test the kind.

#pragma once

#include "QuantizePlan/TargetTypes.h"
#include "convoy/request.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <memory>

namespace convoy {
struct StageOptions;
} // namespace convoy

namespace convoy::driver {

struct BackendJob;
class Executable;
struct ResolvedTarget;

/// The properties that all targets of a kind share.
struct BackendFacts {
  llvm::StringLiteral kind; // as `convoy targets` prints it
  /// The output of a request that names none. The targets with Emit::Memory only run models in this
  /// process.
  Emit emit;
  bool hasKernels = true;      // that `convoy explain` lists
  bool allowsOpenDims = false; // dimensions may stay open until the model runs
  /// Whether the report of a compile shows the program's flash and RAM instead of the schedule.
  bool reportsMemory = false;
};

/// What `convoy targets` prints about a target.
struct TargetDescription {
  std::string summary;            // one line, with the way in which this machine runs the code
  std::vector<std::string> verbs; // that accept the target on this machine
  std::vector<std::pair<std::string, std::string>> properties;
  llvm::json::Object json; // the properties for programs
};

/// The ways to measure a model. `timing/` implements them, because they compile models.
class MeasureMethods {
public:
  virtual ~MeasureMethods() = default;
  virtual void timeLibrary() = 0;       // by the clock, in another process
  virtual void countInstructions() = 0; // of a program under an emulator
  virtual void simulateDevice() = 0;    // and time the part that runs on the CPU
};

class Backend {
public:
  explicit Backend(BackendFacts facts) : facts(facts) {}
  virtual ~Backend() = default;

  const BackendFacts facts;

  /// Returns an error if the target does not support the outputs or the placement of the request.
  virtual llvm::Error check(const CompileRequest &request, const ResolvedTarget &target) const;
  /// Returns an error if this machine cannot run code for the target.
  virtual llvm::Error checkRunnable(const ResolvedTarget &target) const;
  bool isRunnable(const ResolvedTarget &target) const;
  /// Returns why this CPU cannot run the code of the target itself; empty if it can.
  virtual std::string whyNotNative(const ResolvedTarget &target) const;

  /// Sets the options of stages that depend on the kind of target. Returns an error if members of
  /// the request contradict each other or the target.
  virtual llvm::Error setOptions(const CompileRequest &request, const ResolvedTarget &target,
                                 StageOptions &options) const;
  /// Returns whether emitted C has loops over lanes instead of vector types.
  virtual bool hasPlainLoops(const CompileRequest &request, const ResolvedTarget &target) const;
  virtual plan::TargetTypes types(const ResolvedTarget &target) const;

  /// Runs the stages that load() needs; `run` runs all stages up to a stage, "" for all.
  virtual bool runStages(BackendJob &job, llvm::function_ref<bool(llvm::StringRef)> run) const;
  /// Loads the module into this process and reports its interface. Returns null after a diagnostic.
  virtual std::unique_ptr<Executable> load(BackendJob &job) const = 0;
  /// Writes the files that the request names. check() has accepted the request.
  virtual llvm::Error write(BackendJob &job) const;

  /// Calls the method that measures models on the target; an error if there is none.
  virtual llvm::Error measure(const ResolvedTarget &target, MeasureMethods &methods) const;
  virtual TargetDescription describe(const ResolvedTarget &target) const = 0;

protected:
  /// Returns an error if the request limits memory, for targets that are no microcontrollers.
  static llvm::Error refuseLimits(const CompileRequest &request, const ResolvedTarget &target);
};

const Backend &machineBackend();
const Backend &sourceBackend();
const Backend &microBackend();
const Backend &deviceBackend();
const Backend &referenceBackend();

} // namespace convoy::driver
