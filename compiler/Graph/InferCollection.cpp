// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type rules of Collection.td.

#include "Graph/Graph.h"

using namespace mlir;

namespace convoy::graph {

LogicalResult SequenceConstructOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult SequenceInsertOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult SequenceEraseOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult SequenceAtOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult SequenceLengthOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult SplitToSequenceOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult ConcatFromSequenceOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult SequenceMapOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult OptionalOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult OptionalHasOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult OptionalGetOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult StringConcatOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult StringSplitOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult StringNormalizeOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult RegexMatchOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult TfIdfOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult LabelEncodeOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult TreeEnsembleOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult ImageDecodeOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult RandomOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

} // namespace convoy::graph
