// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The configuration of the template `product`.

#ifndef CONVOY_KERNELS_PRODUCT_TD
#define CONVOY_KERNELS_PRODUCT_TD

include "Kernels/Kernel.td"

def Kernel_ProductAttr : Kernel_ConfigAttr<"Product", "product"> {
  let summary = "TODO";
  let description = [{
    TODO
  }];
  let parameters = (ins
    "int64_t":$rows,
    "int64_t":$vectors,
    "int64_t":$depth,
    "int64_t":$columns,
    "int64_t":$unroll,
    "int64_t":$pack);
}

#endif // CONVOY_KERNELS_PRODUCT_TD
