// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The result of a compile: files, a model in memory, or IR, and a report.

#pragma once

#include "convoy/report.h"
#include "convoy/request.h"
#include "convoy/result.h"
#include "convoy/tensor.h"
#include <memory>
#include <string>
#include <vector>

struct convoy_model; // convoy/table.h; NOLINT(readability-identifier-naming)

namespace convoy {

/// Paths of the written files; empty if a file was not written.
struct ArtifactFiles {
  std::string library; // or the C source
  std::string header;
  std::string weights;                    // empty if the weights are in the library
  std::string weightsAssembly;            // links the weights of C source
  std::string test;                       // test bench of C source
  std::vector<std::string> customSources; // C files of custom ops, to compile with C source
  std::vector<std::string> programs;
};

/// The code and the memory of a model in this process. The compiler defines the class.
class LoadedProgram;

/// A compiled model in this process. Only one thread at a time may call run().
class CONVOY_API InMemoryModel {
public:
  explicit InMemoryModel(std::unique_ptr<LoadedProgram> program);
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
  LoadedProgram &program() { return *loaded; }

private:
  std::unique_ptr<LoadedProgram> loaded;
};

struct Artifact {
  Emit kind = Emit::Library;
  ArtifactFiles files;
  std::shared_ptr<InMemoryModel> memory; // for Emit::Memory
  std::string ir;                        // after DebuggingRequest::stopAfter
  CompileReport report;
};

} // namespace convoy
