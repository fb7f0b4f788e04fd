// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that is tuned: a library with one function, its data, and what its results
// must be. It may be wrong in any way, so its tensors end at pages that nobody may
// touch: one element too far is a crash, not a wrong neighbour.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace convoy::measure {

struct CandidateInput {
  std::string file; // its bytes
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

/// One element of an output, of type f32, and how far it may be off.
struct ExpectedPoint {
  int64_t index; // of the element in memory
  double value;
  double tolerance;
};

/// Memory that ends, but for alignment, where the next page is forbidden.
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

class Candidate {
public:
  /// Ends the process with a text when a file cannot be read or loaded.
  explicit Candidate(const CandidateSpec &spec);
  Candidate(Candidate &&) = default;

  void run();
  /// Fills outputs and workspace with what no kernel gives.
  void forgetOutputs();
  /// What is wrong with the outputs; empty when nothing is.
  std::string whatIsWrong() const;
  /// Puts the library's constants out of all caches.
  void coolWeights() const;
  /// Brings the inputs into the caches as far as they fit, as if just computed.
  void warmInputs() const;

private:
  struct Range {
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
  std::vector<std::vector<ExpectedPoint>> expected;
  std::vector<Range> constants;
  RunFunction function = nullptr;
};

} // namespace convoy::measure
