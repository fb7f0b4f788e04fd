// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the errors about memory that is too small. `convoy compile` and `convoy bench` show them.

#include "Driver/Backends/Micro/MemoryFit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using llvm::formatv;

namespace convoy::driver {
namespace {

/// Returns the bytes of inputs and outputs in buffers of the caller.
int64_t callerBytes(const codegen::ModelInterface &interface) {
  int64_t bytes = 0;
  for (const codegen::TensorDescriptor &tensor : interface.inputs) {
    bytes += tensor.offset || tensor.rows > 0 ? 0 : tensor.bytes;
  }
  for (const codegen::TensorDescriptor &tensor : codegen::writtenTensors(interface)) {
    bytes += tensor.offset ? 0 : tensor.bytes;
  }
  return bytes;
}

std::string ramProblem(const MemoryNeed &need, int64_t limit) {
  const codegen::ModelInterface &interface = need.interface;
  int64_t outside = callerBytes(interface);
  std::string text =
      formatv("--max-ram of {0} bytes is {1} bytes too small for model '{2}' on target '{3}': the "
              "model "
              "needs {4} bytes (workspace {5}, inputs and outputs outside the workspace {6}, "
              "stack {7})",
              limit, need.ramBytes - limit, interface.model, need.target, need.ramBytes,
              interface.allWorkspaceBytes(), outside, need.stackBytes)
          .str();
  if (interface.copiedWeightsBytes > 0) {
    text += formatv("; {0} bytes of it are copies of weights, which a target without 'weights' in "
                    "the memory for data does not have",
                    interface.copiedWeightsBytes)
                .str();
  }
  if (interface.peakBytes > 0) {
    text += formatv("; {0} makes the peak of the workspace with {1} bytes of tensors",
                    interface.peakNode, interface.peakBytes)
                .str();
  }
  if (!need.stackProblem.empty()) {
    text += "; the size of the stack is the one in the target's description, because " +
            need.stackProblem;
  }
  if (outside > 0) {
    text += "; use --io=workspace, which lets tensors overwrite the inputs after their last use";
  } else if (!interface.hasInputRows()) {
    text +=
        "; try --io=rows, which needs no memory for an input that the first layers read row by row";
  }
  return text + formatv("; use a model with smaller tensors at the peak, or a target with at least "
                        "{0} bytes of RAM",
                        need.ramBytes)
                    .str();
}

std::string flashProblem(const MemoryNeed &need, int64_t limit) {
  int64_t weights = need.interface.weightsBytes;
  std::string text =
      formatv(
          "--max-flash of {0} bytes is {1} bytes too small for model '{2}' on target '{3}': the "
          "program needs {4} bytes (weights {5}, code and constants {6})",
          limit, need.flashBytes - limit, need.interface.model, need.target, need.flashBytes,
          weights, need.flashBytes - weights)
          .str();
  if (weights < limit && !need.compilers.empty()) {
    text += "; use --target=" + llvm::join(need.compilers, " or --target=") +
            ", or -Os instead of -O3 in the compiler's command of the target's description";
  }
  if (weights >= limit) {
    text += "; quantize float weights to 8 bits with `convoy quantize`";
  }
  return text + formatv("; use a model with fewer weights, or a target with at least {0} bytes of "
                        "flash",
                        need.flashBytes)
                    .str();
}

} // namespace

MemoryNeed memoryNeedOf(const MicroProgram &program) {
  const targets::Target &target = program.target();
  MemoryNeed need;
  need.interface = program.description();
  need.target = target.name;
  llvm::StringRef name = llvm::StringRef(target.name).split(':').first;
  for (const targets::Tool &compiler : llvm::ArrayRef(target.toolchain->compilers).drop_front()) {
    need.compilers.push_back((name + ":" + compiler.name).str());
  }
  need.stackBytes = program.stack() ? program.stack()->bytes : target.toolchain->stackBytes;
  need.stackProblem = program.stackProblem();
  need.ramBytes = program.ramBytes();
  need.flashBytes = program.flashBytes();
  return need;
}

llvm::Error checkLimits(const MemoryNeed &need, const MemoryLimits &limits) {
  llvm::Error error = llvm::Error::success();
  if (limits.ramBytes > 0 && need.ramBytes > limits.ramBytes) {
    error = llvm::joinErrors(std::move(error),
                             llvm::createStringError(ramProblem(need, limits.ramBytes)));
  }
  if (limits.flashBytes > 0 && need.flashBytes > limits.flashBytes) {
    error = llvm::joinErrors(std::move(error),
                             llvm::createStringError(flashProblem(need, limits.flashBytes)));
  }
  return error;
}

} // namespace convoy::driver
