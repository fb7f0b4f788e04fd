// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the instructions of a model on a microcontroller, for `convoy bench --target TARGET`. The
// emulator executes the program, so counts are exact and equal on every run. They are not cycles.

#pragma once

#include "convoy/artefact.h"
#include "convoy/model.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::timing {

/// The instructions of one kernel.
struct MicroLayer {
  std::string kernel, nodes;
  uint64_t instructions = 0;
  double multiplyAdds = 0;
};

/// One model on one microcontroller.
struct MicroRow {
  std::string model, target;
  std::string compiler; // the command that compiled the emitted C
  uint64_t instructions = 0;
  uint64_t between = 0; // of `instructions`: in no layer
  std::vector<MicroLayer> layers;
  int64_t workspaceBytes = 0, weightsBytes = 0;
  int64_t flashBytes = 0; // the program with its weights
  int64_t ramBytes = 0;   // workspace, inputs, outputs, other data and the stack

  double multiplyAdds() const;
};

/// Builds the model for the microcontroller of the request and counts one run. Inputs without data
/// in `inputs` are random.
Result<MicroRow> benchMicro(const Model &model, const CompileRequest &request,
                            const NamedTensors &inputs);

/// Prints one line per model, and with `hasLayers` one line per layer.
void printMicroRows(llvm::raw_ostream &os, llvm::ArrayRef<MicroRow> rows, bool hasLayers);
std::string toJson(llvm::ArrayRef<MicroRow> rows);

} // namespace convoy::timing
