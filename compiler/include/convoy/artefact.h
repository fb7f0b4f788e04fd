// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The result of a compile: files, a model in memory, or IR, and a summary.

#pragma once

#include "convoy/request.h"
#include "convoy/result.h"
#include "convoy/tensor.h"
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct convoy_model; // convoy/table.h; NOLINT(readability-identifier-naming)

namespace convoy {

/// One call of a kernel.
struct KernelSummary {
  std::string kernel;
  std::string nodes;  // of the model, that the kernel computes
  std::string config; // of the kernel template; empty: generic loops
  /// The kernel template: "conv_direct" or another; "loops": generic loops; "reorder": a change
  /// of a layout; "offload": a program of a device.
  std::string templateId;
  std::vector<std::string> operandLayouts, resultLayouts;
  double predictedNs = 0;  // on one core; 0: a device runs the kernel
  int64_t block = 0;       // channel block of the result's layout; 0: planar
  double vectorLength = 0; // estimated mean length of vector operations
  double vectorRatio = 0;  // estimated share of vector operations
};

/// How much of a model runs in generic loops. The times are predictions for one core. Kernels
/// of a device do not count.
struct GenericLoops {
  int64_t kernels = 0;    // that are generic loops
  int64_t allKernels = 0; // reorders included
  double predictedNs = 0; // of the kernels that are generic loops
  double allPredictedNs = 0;

  /// Returns the share of the generic loops in the predicted time.
  double share() const { return allPredictedNs > 0 ? predictedNs / allPredictedNs : 0; }
};

/// A layer of a device with its simulated time.
struct DeviceLayer {
  std::string name, unit;
  double cycles = 0, stallCycles = 0, utilization = 0;
  int64_t bytesMoved = 0;
};

/// How a device and the CPU share the ops of a model. Times are estimates and do not
/// contain the transfers between both.
struct PlacementSummary {
  std::string device;    // empty: the target is no device
  int64_t ops = 0;       // of the graph, without constants
  int64_t placedOps = 0; // that run on the device
  int64_t regions = 0;   // of connected ops, one program each
  int64_t slowerOps = 0; // that PlacePolicy::Fastest left on the CPU
  double deviceNs = 0;   // of the placed ops on the device; 0: the device has no estimate
  double cpuNs = 0;      // of the placed ops on one CPU core
  PlacePolicy policy = PlacePolicy::All;
  /// Why most of the other ops stay on the CPU, and how to change this; may be empty.
  std::string reason, remedy;
  /// The reason is that the model computes in float and the device in integers.
  bool needsIntegers = false;
};

/// How many kernels use tuning records.
struct TunedSummary {
  std::string hash;    // of all records; empty: compiled without records
  int64_t kernels = 0; // tunable kernels
  int64_t tuned = 0;   // kernels with records
  int64_t kept = 0;    // kernels with records whose default is faster in the network
};

/// Why the compiled weights have another size than those in the model file. The members sum
/// up to CompileSummary::weightsBytes.
struct WeightsSummary {
  int64_t modelBytes = 0;     // initializers and Constant nodes of the file
  int64_t foldingBytes = 0;   // constant folding, quantisation, weights stored twice; may be < 0
  int64_t winogradBytes = 0;  // Winograd transforms of 3 x 3 filters
  int64_t paddingBytes = 0;   // zeros that fill blocks of channels, and sums of integer weights
  int64_t alignmentBytes = 0; // gaps between weights
};

struct CompileSummary {
  std::string model, target;
  std::string hash; // of code and weights
  std::vector<TensorInfo> inputs, outputs;
  int64_t workspaceBytes = 0, weightsBytes = 0, codeBytes = 0;
  WeightsSummary weights;
  int64_t threads = 1;

  int64_t modelNodes = 0;               // nodes in the file, subgraphs included
  int64_t graphOps = 0;                 // ops after folding, without constants
  int64_t kernels = 0;                  // calls of kernels
  int64_t reorders = 0;                 // reorders that move data
  int64_t fusedOps = 0;                 // ops that share a kernel with another op
  std::map<std::string, int64_t> fused; // number of kernels by ops: "conv + relu"
  std::vector<KernelSummary> layers;
  GenericLoops genericLoops;

  TunedSummary tuned;
  PlacementSummary placement;
  /// The predictions of the schedule for several threads. For one thread `scheduler` is
  /// empty.
  std::string scheduler;
  double predictedMs = 0, serialMs = 0;
  /// The predictions of the plan for a deadline, by the names in task.power_plan.
  std::map<std::string, double> power;
  /// For Emit::Program.
  std::vector<DeviceLayer> deviceLayers;
  /// For Emit::Source: the command that compiles the source; empty: unknown.
  std::vector<std::string> sourceCompiler;
};

/// Paths of the written files; empty if a file was not written.
struct ArtefactFiles {
  std::string library; // or the C source
  std::string header;
  std::string weights;         // empty if the weights are in the library
  std::string weightsAssembly; // links the weights of C source
  std::string test;            // test bench of C source
  std::vector<std::string> programs;
};

namespace driver {
class LoadedProgram;
} // namespace driver

/// A compiled model in this process. Only one thread at a time may call run().
class CONVOY_API InMemoryModel {
public:
  explicit InMemoryModel(std::unique_ptr<driver::LoadedProgram> program);
  ~InMemoryModel();

  const std::vector<std::string> &inputNames() const;
  const std::vector<std::string> &outputNames() const;
  /// Returns the outputs in order. Ignores data for inputs that the model does not have.
  Result<std::vector<TensorData>> run(const NamedTensors &inputs);

  /// Returns the table of the model, which is valid as long as this object: names, types and
  /// shapes of its tensors, and functions that run it on the caller's buffers. Any thread may
  /// call its `run` with its own workspace; if the table has programs of a device, calls must
  /// not overlap. Returns null if the model has no such function: the reference and emulated
  /// machines.
  const convoy_model *table() const;

  /// For the compiler's own tools, whose values can be sequences.
  driver::LoadedProgram &program() { return *loaded; }

private:
  std::unique_ptr<driver::LoadedProgram> loaded;
};

struct Artefact {
  Emit kind = Emit::Library;
  ArtefactFiles files;
  std::shared_ptr<InMemoryModel> memory; // for Emit::Memory
  std::string ir;                        // after DebuggingRequest::stopAfter
  CompileSummary summary;
};

} // namespace convoy
