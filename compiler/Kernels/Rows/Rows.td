// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The configuration of the template `rows`.

#ifndef CONVOY_KERNELS_ROWS_TD
#define CONVOY_KERNELS_ROWS_TD

include "Kernels/Kernel.td"

def Kernel_RowsAttr : Kernel_ConfigAttr<"Rows", "rows"> {
  let summary = "TODO";
  let description = [{
    TODO
  }];
  let parameters = (ins
    "int64_t":$rows,
    "int64_t":$vectors,
    "int64_t":$unroll);
}

#endif // CONVOY_KERNELS_ROWS_TD
