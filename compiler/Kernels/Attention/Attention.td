// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The configuration of the template `attention`.

#ifndef CONVOY_KERNELS_ATTENTION_TD
#define CONVOY_KERNELS_ATTENTION_TD

include "Kernels/Kernel.td"

def Kernel_AttentionAttr : Kernel_ConfigAttr<"Attention", "attention"> {
  let summary = "TODO";
  let description = [{
    TODO
  }];
  let parameters = (ins
    "int64_t":$queries,
    "int64_t":$keys,
    "int64_t":$vectors,
    "int64_t":$unroll,
    "int64_t":$pack);
}

#endif // CONVOY_KERNELS_ATTENTION_TD
