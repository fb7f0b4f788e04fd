// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports the iterations into a scratch region, because an iteration may show that
// the loop cannot be unrolled. Its ops move before the next node after the last
// iteration.

#include "Import/UnrollLoop.h"
#include "Import/CollectionForm.h"
#include "Import/HeldDiagnostics.h"
#include "Import/OnnxProto.h"

using namespace mlir;

namespace convoy::import {
namespace {

/// Returns the value of a condition of one element if it is known.
std::optional<bool> knownFlag(NodeContext &n, Value condition) {
  std::optional<Tensor> known = n.known(condition);
  bool isFlag = known && known->type() == ElementType::Bool && known->size() == 1;
  return isFlag ? std::optional<bool>(known->asInt(0) != 0) : std::nullopt;
}

/// Returns the largest number of iterations if it is known.
std::optional<int64_t> tripCount(NodeContext &n) {
  if (!n.input(0)) {
    return INT64_MAX;
  }
  std::optional<Tensor> known = n.known(n.input(0));
  bool isCount = known && isInteger(known->type()) && known->size() == 1;
  return isCount ? std::optional<int64_t>(known->asInt(0)) : std::nullopt;
}

/// Imports the iterations at the builder's insertion point.
std::optional<SmallVector<Value>> importIterations(NodeContext &n, const onnx::GraphProto &body,
                                                   SmallVector<Value> carried,
                                                   const UnrollLimits &limits) {
  std::optional<int64_t> limit = tripCount(n);
  std::optional<bool> goesOn = n.input(1) ? knownFlag(n, n.input(1)) : std::optional<bool>(true);
  SmallVector<SmallVector<Value>> stacked(body.output_size() - 1 - carried.size());
  for (int64_t step = 0; limit && goesOn.value_or(false) && step < *limit; ++step) {
    SmallVector<Value> arguments = {n.intScalar(step), n.scalar(ElementType::Bool, 1)};
    llvm::append_range(arguments, carried);
    FailureOr<SmallVector<Value>> outputs = n.importInline(body, arguments);
    if (failed(outputs) || step == limits.steps ||
        (limits.isStatic && !llvm::all_of(*outputs, isStaticTensor))) {
      return std::nullopt;
    }
    ArrayRef<Value> values = *outputs;
    goesOn = knownFlag(n, values.front());
    carried.assign(values.begin() + 1, values.begin() + 1 + carried.size());
    for (auto [list, value] : llvm::zip(stacked, values.drop_front(1 + carried.size()))) {
      list.push_back(value);
    }
  }
  if (!limit || !goesOn) {
    return std::nullopt;
  }
  for (const SmallVector<Value> &list : stacked) {
    Value joined = list.empty() ? Value() : joinValues(n, list, 0, /*isNewAxis=*/true);
    if (!joined) {
      return std::nullopt;
    }
    carried.push_back(joined);
  }
  return carried;
}

} // namespace

bool isStaticTensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape();
}

std::optional<SmallVector<Value>> importUnrolled(NodeContext &n, const onnx::GraphProto &body,
                                                 ArrayRef<Value> carried, Region &scratch,
                                                 const UnrollLimits &limits) {
  if (!llvm::all_of(carried, hasKnownForm)) {
    return std::nullopt;
  }
  MLIRContext *context = n.builder.getContext();
  std::optional<SmallVector<Value>> results;
  int64_t before = n.importedNodes();
  std::vector<Diagnostic> held = capture(context, [&] {
    OpBuilder::InsertionGuard guard(n.builder);
    n.builder.createBlock(&scratch);
    results = importIterations(n, body, SmallVector<Value>(carried), limits);
  });
  // If the iterations fail, the caller imports the loop as one op, which reports errors.
  bool hasFailed = std::exchange(n.hasFailed, false);
  if (!results || hasFailed) {
    n.discard(scratch);
    n.setImportedNodes(before);
    return std::nullopt;
  }
  release(context, std::move(held));
  n.builder.getInsertionBlock()->getOperations().splice(n.builder.getInsertionPoint(),
                                                        scratch.front().getOperations());
  return results;
}

} // namespace convoy::import
