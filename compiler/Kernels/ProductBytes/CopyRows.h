// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies rows of the left side to scratch memory and sums them. The product_bytes template uses it.

#pragma once

#include "Kernels/Core/LoopNest.h"
#include "Kernels/DotProduct.h"
#include "Kernels/KernelFunction.h"
#include "Kernels/ProductBytes/RowsPlan.h"

namespace convoy::kernels {

class RowCopier : LoopNest {
public:
  RowCopier(KernelFunction &function, const BytesProduct &product, const RowsPlan &plan,
            DotProduct &dot)
      : LoopNest(function.b), function(function), p(product), plan(plan), dot(dot) {}

  /// Copies the rows [first, last) to the start of the scratch memory of rows.
  void copy(mlir::Value first, mlir::Value last);

private:
  void copyRow(mlir::Value from, mlir::Value row);
  mlir::Value copyTail(mlir::Value from, mlir::Value to, mlir::Value sums);
  mlir::Value asFactor(mlir::Value bytes);
  mlir::Value addAll(mlir::Value sums, mlir::Value bytes);
  mlir::Value loadBytes(mlir::Value memory, mlir::Value offset, int64_t count);
  mlir::VectorType bytes(int64_t count) { return mlir::VectorType::get({count}, b.getI8Type()); }

  KernelFunction &function;
  const BytesProduct &p;
  const RowsPlan &plan;
  DotProduct &dot;
};

} // namespace convoy::kernels
