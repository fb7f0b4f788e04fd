// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates the time of an op on one CPU core from its products and bytes.

#include "Place/CpuEstimate.h"
#include "Graph/Graph.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace convoy::place {
namespace {

constexpr double kProductsPerNs = 16;
constexpr double kBytesPerNs = 8;

double elementsOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? static_cast<double>(type.getNumElements()) : 0;
}

double bytesOf(Value value) {
  auto type = dyn_cast<TensorType>(value.getType());
  return type ? elementsOf(value) *
                    static_cast<double>(storageBytes(fromMlir(type.getElementType())))
              : 0;
}

/// Returns the number of products per element of the result.
double depthOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case([](graph::ConvOp conv) {
        auto weight = cast<RankedTensorType>(conv.getWeight().getType());
        return elementsOf(conv.getWeight()) /
               static_cast<double>(std::max<int64_t>(weight.getDimSize(0), 1));
      })
      .Case<graph::MatMulOp, graph::ByteMatMulOp>([](auto product) {
        auto lhs = cast<RankedTensorType>(product.getLhs().getType());
        return lhs.getRank() == 0 ? 1.0 : static_cast<double>(lhs.getShape().back());
      })
      .Default([](Operation *) { return 1.0; });
}

} // namespace

double estimateCpuNs(Operation *op) {
  double bytes = 0;
  for (Value value : op->getOperands()) {
    bytes += bytesOf(value);
  }
  double products = 0;
  for (Value value : op->getResults()) {
    bytes += bytesOf(value);
    products += elementsOf(value) * depthOf(op);
  }
  return std::max(products / kProductsPerNs, bytes / kBytesPerNs);
}

} // namespace convoy::place
