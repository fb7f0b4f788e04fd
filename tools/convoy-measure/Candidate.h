// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads a candidate of the tuner: a library with one function, its input data and its expected
// results. A candidate may contain any error, so each tensor ends at an inaccessible page.
// Reading or writing beyond the end of a tensor then crashes instead of changing the next
// tensor.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace convoy::measure {

struct CandidateInput {
  std::string file; // holds the bytes
  size_t bytes = 0;
};

struct CandidateOutput {
  size_t bytes = 0;
  std::string expected; // file of ExpectedPoints; empty: not checked
};

struct CandidateSpec {
  std::string library;
  std::string symbol; // <symbol>_run
  size_t workspaceBytes = 0;
  std::vector<CandidateInput> inputs;
  std::vector<CandidateOutput> outputs;
};

/// One element of an output and its permitted error.
struct ExpectedPoint {
  int64_t index; // index of the element in memory
  double value;
  double tolerance;
};

/// The content of a file of expected points: the element type as ONNX numbers it, then the points.
struct ExpectedPoints {
  int64_t type = 1;
  std::vector<ExpectedPoint> points;
};

/// Memory whose end, up to alignment, is followed by an inaccessible page.
class GuardedBuffer {
public:
  explicit GuardedBuffer(size_t bytes);
  ~GuardedBuffer();
  GuardedBuffer(GuardedBuffer &&other) noexcept;
  GuardedBuffer &operator=(GuardedBuffer &&) = delete;

  char *data() const { return begin; }
  size_t size() const { return bytes; }

private:
  void *mapping = nullptr;
  size_t mappedBytes = 0;
  char *begin = nullptr;
  size_t bytes = 0;
};

class LoadedCandidate {
public:
  /// Ends the process with a message if a file cannot be read or loaded.
  explicit LoadedCandidate(const CandidateSpec &spec);
  LoadedCandidate(LoadedCandidate &&) = default;

  void run();
  /// Fills outputs and workspace with NaN, and the elements that are checked with wrong values.
  void forgetOutputs();
  /// Returns a description of the first wrong output element, or an empty text.
  std::string whatIsWrong() const;
  /// Flushes the library's constants from all caches.
  void coolWeights() const;
  /// Loads the inputs into the caches, as if they had just been computed.
  void warmInputs() const;

private:
  struct ByteRange {
    const char *begin;
    size_t bytes;
  };
  using RunFunction = int (*)(const void *const *inputs, void *const *outputs, void *workspace);

  void findConstants(void *function);

  CandidateSpec spec;
  std::vector<GuardedBuffer> inputs, outputs;
  GuardedBuffer workspace;
  std::vector<const void *> inputPointers;
  std::vector<void *> outputPointers;
  std::vector<ExpectedPoints> expected;
  std::vector<ByteRange> constants;
  RunFunction function = nullptr;
};

} // namespace convoy::measure
