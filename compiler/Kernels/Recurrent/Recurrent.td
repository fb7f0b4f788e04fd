// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The configuration of the template `recurrent`.

#ifndef CONVOY_KERNELS_RECURRENT_TD
#define CONVOY_KERNELS_RECURRENT_TD

include "Kernels/Kernel.td"

def Kernel_RecurrentAttr : Kernel_ConfigAttr<"Recurrent", "recurrent"> {
  let summary = "TODO";
  let description = [{
    TODO
  }];
  let parameters = (ins
    "int64_t":$vectors,
    "int64_t":$depth,
    "int64_t":$unroll);
}

#endif // CONVOY_KERNELS_RECURRENT_TD
