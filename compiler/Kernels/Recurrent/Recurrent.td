// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recurrent template: its configuration.

#ifndef CONVOY_KERNELS_RECURRENT_TD
#define CONVOY_KERNELS_RECURRENT_TD

include "Kernels/Kernel.td"

def Kernel_RecurrentAttr : Kernel_ConfigAttr<"Recurrent", "recurrent"> {
  let summary = "All steps of a recurrent scan with packed constant matrices";
  let description = [{
    One kernel runs all steps of a scan. Each product of a step streams its packed matrix once per
    task; `vectors` x `unroll` accumulators stay in registers. The generic emitters compute the
    element-wise ops. States and products are in scratch memory. Steps depend on each other, so the
    range runs over the batch: a scan of batch 1 has one task. No parameter changes how an
    element is rounded: a product sums its terms in order with one accumulator per element.

    ```
    for task:                          # one step of the range: unroll entries of the batch
      state = initial state
      for step:
        copy the scanned inputs of the step
        for product: for panel of the matrix
          for k:  acc[unroll][vectors] += x[unroll] * w[vectors]     # depth times unrolled
        next state and scanned results = element-wise ops
        state = next state
    ```

    The lowering takes functions marked `task.kernel` with `task.config = #kernel.recurrent<...>`
    that contain one scan. The matrices have the layout `#kernel.conv_weights<o = vectors x lanes,
    i = 1, transposed = true>`. The lowering gives functions on flat memory, as
    `convoy-kernels-lower-loops` does, with scratch memory.

    ```mlir
    func.func private @recurrent_0(%h: tensor<1x256xf32>, %x: tensor<100x1x256xf32>,   // before
        %w: tensor<256x256xf32, #kernel.conv_weights<o = 128, i = 1, transposed = true>>)
        -> tensor<100x1x256xf32>
        attributes {task.kernel, task.config = #kernel.recurrent<...>}

    func.func private @recurrent_0(%h: memref<256xf32>, %x: memref<25600xf32>,         // after
        %w: memref<65536xf32>, %y: memref<25600xf32>, %scratch: memref<4096xi8>,
        %begin: index, %end: index)
        attributes {task.kernel, task.range = 1 : i64, task.scratch = 4096 : i64}
    ```
  }];
  let parameters = (ins
    "int64_t":$vectors,  // vectors of result columns per panel
    "int64_t":$depth,    // rows of the matrix per innermost step
    "int64_t":$unroll);  // entries of the batch per task; divides the batch
}

#endif // CONVOY_KERNELS_RECURRENT_TD
