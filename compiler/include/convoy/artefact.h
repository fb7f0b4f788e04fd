// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a compile gives: files, a model in memory, or IR; and a summary of all of them.

#pragma once

#include "convoy/request.h"
#include "convoy/result.h"
#include "convoy/tensor.h"
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace convoy {

/// One run of a kernel.
struct KernelSummary {
  std::string kernel;
  std::string nodes;       // of the model, that it computes
  std::string config;      // of its template; empty: the generic loops
  int64_t block = 0;       // channels that lie together in its result; 0: planar
  double vectorLength = 0; // estimated mean of its vector operations
  double vectorRatio = 0;  // estimated share of operations that they do
};

/// A layer of a device, by the device's model of time.
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
};

/// What tuning records meant for the model.
struct TunedSummary {
  std::string hash;    // of all records; empty: compiled without
  int64_t kernels = 0; // that can be tuned
  int64_t tuned = 0;   // for which there are records
  int64_t kept = 0;    // that stay as by default, as tuning did not win in the network
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

  int64_t modelNodes = 0;               // in the file, subgraphs included
  int64_t graphOps = 0;                 // left after folding, without constants
  int64_t kernels = 0;                  // loop nests, equal ones counted each time
  int64_t reorders = 0;                 // that move data
  int64_t fusedOps = 0;                 // that share a kernel with another
  std::map<std::string, int64_t> fused; // "conv + relu": how often
  std::vector<KernelSummary> layers;

  TunedSummary tuned;
  PlacementSummary placement;
  /// What the schedule of several threads promises; no scheduler for one.
  std::string scheduler;
  double predictedMs = 0, serialMs = 0;
  /// What the plan for a deadline promises, by the names of task.power_plan.
  std::map<std::string, double> power;
  /// Of Emit::Program.
  std::vector<DeviceLayer> deviceLayers;
  /// Of Emit::Source: the command that compiles it; empty: not known.
  std::vector<std::string> sourceCompiler;
};

/// Paths of what was written; empty where nothing was.
struct ArtefactFiles {
  std::string library; // or the C source
  std::string header;
  std::string weights;         // empty when they are linked in
  std::string weightsAssembly; // that links the weights of C source
  std::string test;            // of C source
  std::vector<std::string> programs;
};

namespace driver {
class LoadedProgram;
} // namespace driver

/// A compiled model in this process. One thread at a time may run it.
class CONVOY_API InMemoryModel {
public:
  explicit InMemoryModel(std::unique_ptr<driver::LoadedProgram> program);
  ~InMemoryModel();

  const std::vector<std::string> &inputNames() const;
  const std::vector<std::string> &outputNames() const;
  /// The outputs in order. Data for inputs that the model does not have is ignored.
  Result<std::vector<TensorData>> run(const NamedTensors &inputs);

  /// For the compiler's own tools, whose values may be sequences.
  driver::LoadedProgram &program() { return *loaded; }

private:
  std::unique_ptr<driver::LoadedProgram> loaded;
};

struct Artefact {
  Emit kind = Emit::Library;
  ArtefactFiles files;
  std::shared_ptr<InMemoryModel> memory; // of Emit::Memory
  std::string ir;                        // after DebuggingRequest::stopAfter
  CompileSummary summary;
};

} // namespace convoy
