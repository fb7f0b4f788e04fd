// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes multiply-adds and bytes from the types of operands and results.

#include "Pipeline/CountWork.h"
#include "Graph/Graph.h"
#include "Support/ElementType.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include <map>

using namespace mlir;

namespace convoy {
namespace {

double elements(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? static_cast<double>(type.getNumElements()) : 0;
}

double bytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape()) {
    return 0;
  }
  return static_cast<double>(tensor.getNumElements() *
                             storageBytes(fromMlir(tensor.getElementType())));
}

/// Returns the multiply-adds of an einsum: one per combination of its labels and per product.
double einsumMultiplyAdds(graph::EinsumOp op) {
  std::map<char, int64_t> sizes;
  StringRef inputs = op.getEquation().split("->").first;
  SmallVector<StringRef> terms;
  inputs.split(terms, ',');
  for (auto [term, input] : llvm::zip(terms, op.getInputs())) {
    auto type = dyn_cast<RankedTensorType>(input.getType());
    for (size_t i = 0; type && i < term.size() && i < static_cast<size_t>(type.getRank()); ++i) {
      sizes[term[i]] = std::max(sizes[term[i]], type.getDimSize(static_cast<unsigned>(i)));
    }
  }
  double combinations = terms.size() > 1 ? 1 : 0;
  for (const auto &[label, size] : sizes) {
    combinations *= static_cast<double>(size);
  }
  return combinations;
}

/// Returns the product of the elements of `outputs` and the elements of one output channel of
/// `weight`.
double windowMultiplyAdds(Value outputs, Value weight) {
  auto type = dyn_cast<RankedTensorType>(weight.getType());
  double channels = type ? static_cast<double>(std::max<int64_t>(type.getDimSize(0), 1)) : 1;
  return elements(outputs) * elements(weight) / channels;
}

/// Returns the product of the elements of the result and the columns of the left operand.
double productMultiplyAdds(Operation *op) {
  auto lhs = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  bool hasDepth = lhs && lhs.getRank() > 0;
  return elements(op->getResult(0)) * (hasDepth ? static_cast<double>(lhs.getShape().back()) : 1);
}

double multiplyAdds(Operation *op) {
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case<graph::MatMulOp, graph::ByteMatMulOp, graph::IntegerMatMulOp>(
          [](Operation *product) { return productMultiplyAdds(product); })
      .Case<graph::ConvOp, graph::IntegerConvOp, graph::DeformConvOp>(
          [](auto conv) { return windowMultiplyAdds(conv.getResult(), conv.getWeight()); })
      .Case([](graph::ConvTransposeOp conv) {
        return windowMultiplyAdds(conv.getInput(), conv.getWeight());
      })
      .Case([](graph::EinsumOp einsum) { return einsumMultiplyAdds(einsum); })
      .Default([](Operation *) { return 0.0; });
}

} // namespace

double runsOf(Operation *op) {
  double runs = 1;
  for (auto scan = op->getParentOfType<graph::ScanOp>(); scan;
       scan = scan->getParentOfType<graph::ScanOp>()) {
    if (scan.getScanned().empty()) {
      continue;
    }
    auto type = dyn_cast<RankedTensorType>(scan.getScanned().front().getType());
    int64_t steps = type ? type.getDimSize(static_cast<unsigned>(scan.getInputAxes().front())) : 1;
    runs *= static_cast<double>(std::max<int64_t>(steps, 1));
  }
  return runs;
}

double flopsIn(Operation *root) {
  double sum = 0;
  root->walk([&](Operation *op) {
    if (double count = multiplyAdds(op)) {
      sum += 2 * count * runsOf(op);
    }
  });
  return sum;
}

double bytesOf(task::RunOp run) {
  llvm::SetVector<Value> values(run->operand_begin(), run->operand_end());
  values.insert(run->result_begin(), run->result_end());
  double sum = 0;
  for (Value value : values) {
    sum += bytes(value.getType());
  }
  return sum;
}

} // namespace convoy
