// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one shape and type rule of each op. Import, the infer-types pass and the
// reference all call it, so a rule is written once.

#ifndef CONVOY_GRAPH_TYPE_INFERENCE
#define CONVOY_GRAPH_TYPE_INFERENCE

include "mlir/IR/OpBase.td"

def Graph_TypeInferenceOpInterface : OpInterface<"TypeInferenceOpInterface"> {
  let cppNamespace = "::convoy::graph";
  let description = [{
    Computes the result types from operand types and the values of operands
    known now. The reference calls it with every value known, so the same rule
    gives the concrete shapes there.
  }];
  let methods = [
    InterfaceMethod<"Sets every result type of `inference` or emits an error.",
                    "::mlir::LogicalResult", "inferTypes",
                    (ins "::convoy::graph::TypeInference &":$inference)>
  ];
}

#endif
