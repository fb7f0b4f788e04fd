// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pool_pixels template: its configuration.

#ifndef CONVOY_KERNELS_POOL_PIXELS_TD
#define CONVOY_KERNELS_POOL_PIXELS_TD

include "Kernels/Kernel.td"

def Kernel_PoolPixelsAttr : Kernel_NumbersAttr<"PoolPixels", "pool_pixels"> {
  let summary = "Max pool with lanes along the pixels of several rows";
  let description = [{
    Like conv_pixels, one plane at a time. Padding has the lowest value.

    ```
    for task:                        # one step of the range: a band of rows of a plane
      copy the input of the band
      for vector of pixels
        for kh: for kw
          acc = max(acc, x)
    ```

    Takes kernels that contain one max pool of planar f32. Needs scratch memory.

    ```mlir
    task.kernel @max_pool_0(%x: tensor<1x64x112x112xf32>)                        // before
        -> tensor<1x64x56x56xf32>
        attributes {config = #kernel.pool_pixels<...>}

    task.kernel @max_pool_0(%x: memref<802816xf32>, %y: memref<200704xf32>,      // after
                                  %scratch: memref<70656xi8>, %begin: index, %end: index)
        attributes {range = 64 : i64, scratch = 70656 : i64}
    ```
  }];
  let parameters = (ins
    "int64_t":$lanes,    // pixels per vector
    "int64_t":$rows);    // output rows per band
}

#endif // CONVOY_KERNELS_POOL_PIXELS_TD
