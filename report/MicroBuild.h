// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model that was built for a microcontroller, as data: what each layer computes, which flash and
// RAM the build needs, and where its tensors live in the arena. `convoy bench` and `convoy compile`
// print a build as a table, as JSON and as a page; MicroCompare.h compares two builds.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>
#include <vector>

namespace convoy::report {

/// One call of a kernel.
struct MicroLayer {
  std::string kernel, nodes;
  int64_t instructions = 0;
  int64_t multiplyAdds = 0;
  int64_t weightsBytes = 0; // constants that no earlier layer reads

  /// The kernel, a space, and its nodes; unique within a model.
  std::string key() const { return kernel + " " + nodes; }
};

/// A part of the arena that holds one tensor, or the scratch memory of a layer.
struct MicroTensor {
  int64_t layer = -1; // the index of the layer that writes the tensor; -1: the caller
  bool isScratch = false;
  int64_t offset = 0, bytes = 0;
  /// The layers, by index, between which the memory is in use; both included.
  int64_t first = 0, last = 0;
};

/// A function of the C library with its declared stack.
struct LibraryCall {
  std::string name;
  int64_t bytes = 0;
};

/// One model on one microcontroller.
struct MicroBuild {
  std::string model, target;
  std::string compiler; // the command that compiles the emitted C
  /// The instructions of one run: counted by the emulator, or estimated from the kernels.
  bool isCounted = false;
  int64_t instructions = 0;
  int64_t between = 0; // of `instructions`: in no layer
  std::vector<MicroLayer> layers;
  std::vector<MicroTensor> tensors;

  int64_t arenaBytes = 0;
  int64_t inputBytes = 0, outputBytes = 0; // outside of the arena
  int64_t weightsBytes = 0;                // all constants of the model
  /// Sizes of the linked program, which has start-up code; 0 if no program was linked.
  int64_t codeBytes = 0;
  int64_t flashBytes = 0; // code, weights, other constants and initial values of data
  int64_t ramBytes = 0;   // arena, inputs and outputs outside of it, and the stack
  int64_t stackBytes = 0; // the bound of a run, or the stack in the target's description
  bool isStackBounded = false;
  std::vector<LibraryCall> libraryCalls; // that the bound contains
  /// What a counted run used: the end of the last byte of the arena, and the stack if it is known.
  int64_t usedArenaBytes = 0;
  std::optional<int64_t> usedStackBytes;

  bool isLinked() const { return flashBytes > 0; }
  int64_t multiplyAdds() const;
  /// Constants of layers without multiply-adds, for example the tables of softmax.
  int64_t tableBytes() const;
  /// The bytes of the constants in the flash, at most `weightsBytes`: the linker merges equal
  /// constants.
  int64_t storedWeightsBytes() const;
  int64_t otherBytes() const { return flashBytes - codeBytes - storedWeightsBytes(); }
  /// The end of the highest tensor in the arena, and the first layer that uses this tensor.
  std::pair<int64_t, size_t> highest() const;
  /// The place of a layer's first result in the arena; null if the arena has none.
  const MicroTensor *resultOf(size_t layer) const;
  /// "conv_0", "conv_0 (scratch)" or "input".
  std::string nameOf(const MicroTensor &tensor) const;
};

/// Returns the digits of a number in groups of three: "-1,234,567".
std::string grouped(int64_t number);

/// Prints one line per build, and with `hasLayers` one line per layer and the totals of each build.
void printBuilds(llvm::raw_ostream &os, llvm::ArrayRef<MicroBuild> builds, bool hasLayers);

/// Prints what flash and RAM consist of, and the layer that uses the highest address of the arena.
void printTotals(llvm::raw_ostream &os, const MicroBuild &build);

llvm::json::Object toJson(const MicroBuild &build);
/// Returns the text of a JSON array of all builds.
std::string toJson(llvm::ArrayRef<MicroBuild> builds);
/// Reads what toJson writes. The error names `origin`.
llvm::Expected<MicroBuild> microBuildFromJson(const llvm::json::Value &value,
                                              llvm::StringRef origin);

/// Draws a page for a browser: the totals, the arena as a picture of time against address, and the
/// table of layers.
std::string drawPage(const MicroBuild &build);

} // namespace convoy::report
