// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every layout encoding must be able to say.

#ifndef CONVOY_GRAPH_LAYOUT
#define CONVOY_GRAPH_LAYOUT

include "mlir/IR/OpBase.td"

def Graph_LayoutAttrInterface : AttrInterface<"LayoutAttrInterface"> {
  let cppNamespace = "::convoy::graph";
  let description = [{
    An encoding on a tensor type that says in what order, and with what padding,
    its elements lie in memory. Shapes and values stay logical: the reference
    does not look at encodings.
  }];
  let methods =
      [InterfaceMethod<"How many elements a tensor of this logical shape takes in memory.",
                       "int64_t", "physicalElements", (ins "::llvm::ArrayRef<int64_t>":$shape)>,
       InterfaceMethod<"The elements of a tensor in the order of memory, as a vector.",
                       "::convoy::Tensor", "pack", (ins "const ::convoy::Tensor &":$tensor)>,
  ];
}

#endif // CONVOY_GRAPH_LAYOUT
