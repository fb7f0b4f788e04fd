// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches attention in a block of graph ops: a product of queries and keys, element-wise ops on the
// scores, a softmax, and a product with the values. The fusion stage matches the ops of a function,
// the template matches the ops of a kernel.

#pragma once

#include "Graph/Graph.h"
#include "Kernels/Attention/StridedView.h"
#include "Support/Tensor.h"

namespace convoy::kernels {

/// A tensor of an attention as a view of a value that is not part of the group.
struct AttentionOperand {
  mlir::Value base;
  StridedView view;
};

struct AttentionProblem {
  // The sizes. The scores have the shape `lead` x queries x keys; each combination of leading
  // dimensions is one head of one batch.
  Shape lead;
  int64_t queries = 0;
  int64_t keys = 0;
  int64_t headSize = 0;  // of queries and keys
  int64_t valueSize = 0; // of values and results

  // The values of the group.
  mlir::Value scores;      // scaled products of queries and keys, lead x queries x keys
  mlir::Value input;       // the operand of the softmax
  mlir::Value largest;     // the maximum of each row
  mlir::Value exponential; // of the differences to the maximum
  mlir::Value sum;         // of the exponentials of each row
  mlir::Value quotient;    // the result of the softmax
  mlir::Value weights;     // the factors of the values
  mlir::Value output;

  // The operands. The dimensions of their views are `lead` and the two that the comment names.
  AttentionOperand query; // queries x headSize
  AttentionOperand key;   // headSize x keys
  AttentionOperand value; // keys x valueSize
  StridedView result;     // queries x valueSize, in the memory of `output`
  /// The product of the constants by which the group scales queries, keys and their products. The
  /// template multiplies the queries by it.
  double factor = 1;
  /// The number of ops between `scores` and `input`.
  int64_t scoreOps = 0;
  /// The mask of the last op before the softmax, if it has one and all heads share it: a boolean
  /// tensor or a tensor that the group adds to the scores. The score of an excluded key is -inf.
  mlir::Value mask;
  bool isMaskAdded = false;
  bool excludes = false; // the element of a boolean mask that excludes a key
  /// The operands of the ops between `scores` and `input` whose last dimensions are the queries and
  /// the keys. If the last op that computes such an operand is a transpose inside the group, the
  /// operand is not in this list.
  llvm::SmallVector<mlir::OpOperand *> rowMasks;
  /// The ops of the group in block order, without constants.
  llvm::SmallVector<mlir::Operation *> ops;

  int64_t heads() const;
  /// Returns whether the mask has an element for each query and key.
  bool hasSquareMask() const;
  /// Returns whether the weights are the result of the softmax. The division by the sum then
  /// commutes with the product.
  bool dividesLast() const { return weights == quotient; }
};

struct AttentionMatch {
  std::optional<AttentionProblem> problem;
  /// The reason why the ops are not an attention that the template supports.
  std::string reason;
  /// The left operand of the product is computed from a softmax.
  bool hasSoftmax = false;
};

/// Matches the attention that ends with the product of `product` and the movement ops after it.
AttentionMatch matchAttention(graph::MatMulOp product);

/// Matches a block whose ops are all part of one attention.
AttentionMatch matchAttentionKernel(mlir::Block &body);

/// Returns the text of the attention that a kernel computes. If the kernel contains the second
/// product of an attention that the fusion stage did not group, returns the reason. Otherwise
/// returns an empty string.
std::string attentionRemark(graph::KernelOp kernel);

} // namespace convoy::kernels
