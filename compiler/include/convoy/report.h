// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report of a compile: kernels, memory, schedule and placement. Each stage fills its part, and
// `convoy explain`, `bench`, `compile --json`, the HTML reports and Python read it.

#pragma once

#include "convoy/request.h"
#include "convoy/tensor.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace convoy {

/// A size in a report. If only a run determines the size, `most` is the upper bound.
struct ReportedSize {
  int64_t most = 0;
};

/// A kernel template and the reason why it does not run a kernel.
struct TemplateRefusal {
  std::string templateId, reason;
};

/// The operations of a lowered kernel, estimated from its loops.
struct KernelWork {
  double vectorOps = 0;
  double elements = 0;  // of all vector operations
  double scalarOps = 0; // without address computations
  /// The kernel has ops on memory that emitted C calls as functions. `flops` and `resultBytes`
  /// describe their work.
  bool callsFunctions = false;
  ReportedSize resultBytes;
};

/// One call of a kernel. Its index in CompileReport::kernels identifies the call; its name
/// identifies the function, which equal kernels share.
struct KernelReport {
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

  double flops = 0;   // two per multiply-add of the direct algorithm, of all runs
  double bytes = 0;   // read and written, each tensor once per run
  double runs = 1;    // per inference; more than one in the body of a scan
  ReportedSize steps; // of the outermost loop; threads share the steps of a kernel
  int64_t rounds = 1; // of equal numbers of steps; a round begins when the round before has ended

  /// The reasons of all templates, if the kernel is generic loops and the compile records reasons.
  std::vector<TemplateRefusal> refusals;
  /// The attention that the kernel computes, or why the product of the kernel is not part of one.
  /// Empty if the kernel has no softmax between two products, or without reasons.
  std::string remark;

  bool isGenericLoops() const { return templateId == "loops"; }
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
/// up to CompileReport::weightsBytes.
struct WeightsSummary {
  int64_t modelBytes = 0;     // initializers and Constant nodes of the file
  int64_t foldingBytes = 0;   // constant folding, quantization, weights stored twice; may be < 0
  int64_t winogradBytes = 0;  // Winograd transforms of 3 x 3 filters
  int64_t paddingBytes = 0;   // zeros that fill blocks of channels, and sums of integer weights
  int64_t alignmentBytes = 0; // gaps between weights
};

/// A memory that holds tensors.
struct ArenaReport {
  std::string memory; // empty: the only memory
  ReportedSize bytes;
};

/// A call of a kernel in planned memory. These are the calls of CompileReport::kernels, and the
/// calls that fetch rows of inputs.
struct MemoryCall {
  std::string kernel, nodes;
  int64_t weightsBytes = 0; // constants that no earlier call reads
  KernelWork work;
};

/// A part of an arena that holds one tensor, or the scratch memory of a call.
struct MemoryTensor {
  int64_t call = -1; // the index of the call that writes the tensor; -1: the caller of the model
  bool isScratch = false;
  int64_t arena = 0, offset = 0;
  ReportedSize bytes;
  /// The calls, by index, between which the memory is in use; both included.
  int64_t first = 0, last = 0;
  int64_t ringRows = 0; // of a ring; 0: the memory holds the whole tensor
};

/// Where the tensors of a model are.
struct MemoryReport {
  std::vector<ArenaReport> arenas;
  /// The call with the most bytes of tensors in the arenas at the same time.
  std::string peakNode;
  ReportedSize peakBytes;
  ReportedSize inputBytes, outputBytes; // in buffers of the caller
  std::vector<MemoryCall> calls;        // in execution order
  std::vector<MemoryTensor> tensors;    // in the order of their first use
  WeightsSummary weights;
};

/// The predictions for several threads. For one thread `scheduler` is empty.
struct ScheduleReport {
  std::string scheduler;
  double predictedMs = 0, serialMs = 0;
  /// The predictions of the plan for a deadline, by the names in task.power_plan.
  std::map<std::string, double> power;
};

struct CompileReport {
  std::string model, target;
  std::string hash; // of code and weights
  std::vector<TensorInfo> inputs, outputs;
  int64_t workspaceBytes = 0, weightsBytes = 0, codeBytes = 0;
  int64_t threads = 1;

  int64_t modelNodes = 0;               // nodes in the file, subgraphs included
  int64_t graphOps = 0;                 // ops after folding, without constants
  double flops = 0;                     // of convolutions and matrix products, per inference
  bool isQuantized = false;             // the model has integer layers
  int64_t kernelCount = 0;              // kernels after fusion, without reorders
  int64_t reorders = 0;                 // reorders that move data
  int64_t fusedOps = 0;                 // ops that share a kernel with another op
  std::map<std::string, int64_t> fused; // number of kernels by ops: "conv + relu"
  std::vector<KernelReport> kernels;    // one per call, in execution order
  GenericLoops genericLoops;

  TunedSummary tuned;
  PlacementSummary placement;
  MemoryReport memory;
  ScheduleReport schedule;
  /// For Emit::Program.
  std::vector<DeviceLayer> deviceLayers;
  /// For Emit::Source: the command that compiles the source; empty: unknown.
  std::vector<std::string> sourceCompiler;
};

} // namespace convoy
