// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the interface of type rules. Import, the infer-types pass and the
// reference interpreter share the one rule of each op.

#ifndef CONVOY_GRAPH_TYPE_INFERENCE
#define CONVOY_GRAPH_TYPE_INFERENCE

include "mlir/IR/OpBase.td"

def Graph_TypeInferenceOpInterface : OpInterface<"TypeInferenceOpInterface"> {
  let cppNamespace = "::convoy::graph";
  let description = [{
    Computes the result types from the operand types and the known operand values.
    The reference interpreter knows every value, so the same rule computes its
    concrete shapes.
  }];
  let methods = [
    InterfaceMethod<"Sets every result type of `inference` or emits an error.",
                    "::mlir::LogicalResult", "inferTypes",
                    (ins "::convoy::graph::TypeInference &":$inference)>
  ];
}

#endif
