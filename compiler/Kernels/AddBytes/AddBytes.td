// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The add_bytes template: its configuration. Kernel.td declares its byte op.

#ifndef CONVOY_KERNELS_ADD_BYTES_TD
#define CONVOY_KERNELS_ADD_BYTES_TD

include "Kernels/Kernel.td"

def Kernel_AddBytesAttr : Kernel_RowStepAttr<"AddBytes", "add_bytes"> {
  let summary = "Sum of two quantized images of bytes, for microcontrollers";
  let description = [{
    The channels of a pixel are consecutive in memory, without padding. One step of the range is one
    row of the result:

    ```
    for row:                         # one step of the range
      y[row] = byte_add(a[row], b[row])
    ```

    Takes kernels that contain one `graph.integer_add` of two images. Reaches the images only
    through `task.row_view`. The result may share memory with an operand. Only emitted C supports
    the byte op.

    ```mlir
    task.kernel @add_0(%a: tensor<1x16x32x32xi8, #graph.blocked<c = 16>>,        // before
        %b: tensor<1x16x32x32xi8, #graph.blocked<c = 16>>)
        -> tensor<1x16x32x32xi8, #graph.blocked<c = 16>>
        attributes {config = #kernel.add_bytes<rows = 1>}

    task.kernel @add_0(%a: memref<16384xi8>, %b: memref<16384xi8>,               // after
                             %y: memref<16384xi8>, %begin: index, %end: index)
        attributes {range = 32 : i64}
    ```
  }];
}

#endif // CONVOY_KERNELS_ADD_BYTES_TD
