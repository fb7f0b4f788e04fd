// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the rows of kernels from their attribute `rows` and from the uses of their arguments.

#include "Memory/RowKernels.h"

using namespace mlir;

namespace convoy::memory {
namespace {

/// Returns the rows of an argument that is used only by views of rows, else 0.
int64_t rowsOf(BlockArgument argument) {
  int64_t rows = 0;
  for (Operation *user : argument.getUsers()) {
    auto view = dyn_cast<task::RowViewOp>(user);
    auto viewed = view ? static_cast<int64_t>(view.getRows()) : 0;
    if (viewed == 0 || (rows != 0 && rows != viewed)) {
      return 0;
    }
    rows = viewed;
  }
  return rows;
}

/// Returns whether step i computes row i.
bool isRowPerStep(const task::RowSteps &steps, int64_t range) {
  bool isPerStep = steps.outer == 1 && steps.inner == 1 && steps.chunks() == range;
  for (int64_t chunk = 0; isPerStep && chunk < range; ++chunk) {
    isPerStep = steps.ends[chunk] == chunk + 1;
  }
  return isPerStep;
}

} // namespace

std::optional<RowKernel> rowKernelOf(task::KernelOp kernel) {
  std::optional<task::RowSteps> steps = task::RowSteps::of(kernel);
  std::optional<int64_t> range = kernel.getRange();
  if (!steps || !range || kernel.isExternal() || !isRowPerStep(*steps, *range)) {
    return std::nullopt;
  }
  RowKernel result;
  kernel.walk([&](task::FetchRowOp) { result.isAscending = true; });
  for (BlockArgument argument : kernel.getArguments()) {
    result.rows.push_back(rowsOf(argument));
  }
  size_t operands = steps->reads.size();
  if (result.rows.size() <= operands || result.rows[operands] != *range) {
    return std::nullopt; // the result is not written by rows
  }
  for (auto [i, window] : llvm::enumerate(steps->reads)) {
    bool isByRows = result.rows[i] > 0 && window && window->dilation == 1;
    result.reads.push_back(isByRows ? window : std::nullopt);
  }
  return result;
}

RowKernels::RowKernels(ModuleOp module) {
  for (auto kernel : module.getOps<task::KernelOp>()) {
    if (std::optional<RowKernel> byRows = rowKernelOf(kernel)) {
      kernels[kernel.getSymNameAttr()] = std::move(*byRows);
    }
  }
}

const RowKernel *RowKernels::of(task::RunOp run) const {
  auto it = kernels.find(run.getKernelAttr().getAttr());
  bool isSame = it != kernels.end() && run.getNumResults() == 1 &&
                it->second.reads.size() == run.getInputs().size();
  return isSame ? &it->second : nullptr;
}

} // namespace convoy::memory
