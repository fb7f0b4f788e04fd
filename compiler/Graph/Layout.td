// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of layout encodings.

#ifndef CONVOY_GRAPH_LAYOUT
#define CONVOY_GRAPH_LAYOUT

include "mlir/IR/OpBase.td"

def Graph_LayoutAttrInterface : AttrInterface<"LayoutAttrInterface"> {
  let cppNamespace = "::convoy::graph";
  let description = [{
    An encoding on a tensor type that defines the order and the padding of the
    elements in memory. Shapes and values stay logical, so the reference interpreter
    ignores encodings.
  }];
  let methods =
      [InterfaceMethod<"Returns the number of elements that this logical shape takes in memory.",
                       "int64_t", "physicalElements", (ins "::llvm::ArrayRef<int64_t>":$shape)>,
       InterfaceMethod<"Returns the elements of a tensor in memory order, as a vector.",
                       "::convoy::Tensor", "pack", (ins "const ::convoy::Tensor &":$tensor)>,
  ];
}

#endif // CONVOY_GRAPH_LAYOUT
