// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The example template: its configuration. docs/howto/add-kernel.md walks through this folder.

#ifndef CONVOY_KERNELS_EXAMPLE_TD
#define CONVOY_KERNELS_EXAMPLE_TD

include "Kernels/Kernel.td"

def Kernel_ExampleAttr : Kernel_NumbersAttr<"Example", "example"> {
  let summary = "Element-wise ops on f32 vectors of one length, without a remainder loop";
  let description = [{
    Only tests contain this template. No parameter changes the result.

    ```
    for task:                        # one step of the range: lanes x unroll elements
      for u in unroll:               # unrolled
        y[lanes] = ops(x[lanes], ...)
    ```

    ```mlir
    task.kernel @unary_0(%x: tensor<256xf32>) -> tensor<256xf32>                 // before
        attributes {config = #kernel.example<lanes = 16, unroll = 4>}

    task.kernel @unary_0(%x: memref<256xf32>, %y: memref<256xf32>,               // after
                               %begin: index, %end: index)
        attributes {range = 4 : i64}
    ```
  }];
  let parameters = (ins
    "int64_t":$lanes,    // elements per vector
    "int64_t":$unroll);  // vectors per task
  let products = "unroll";
}

#endif // CONVOY_KERNELS_EXAMPLE_TD
