// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generates random functions of convcore ops that the BM1880 supports.

#pragma once

#include "ConvCore/LayerBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <random>

namespace convoy::bm1880 {

class LayerGraph {
public:
  LayerGraph(mlir::MLIRContext *context, uint32_t seed);

  /// Makes a chain of layers with branches; sizes range from one pixel to more than a lane holds.
  mlir::func::FuncOp make();

private:
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  }
  convcore::RequantAttr requant(int64_t multiplier, int64_t shift, bool hasRelu);
  Tensor numbers(ElementType type, llvm::ArrayRef<int64_t> shape, int64_t most);

  mlir::Value layer(mlir::Value x);
  mlir::Value conv(mlir::Value x, int64_t outputs, int64_t kernel, bool keepsSize);
  mlir::Value pool(mlir::Value x);
  mlir::Value normalization(mlir::Value x);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value rescale(mlir::Value x, bool hasRelu);
  mlir::Value classify(mlir::Value x);
  Shape shapeOf(mlir::Value value) const { return layers.shapeOf(value); }

  std::mt19937 random;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::OpBuilder builder;
  mlir::IRMapping mapping;
  convcore::LayerBuilder layers;
};

} // namespace convoy::bm1880
