// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recurrent template: its configuration.

#ifndef CONVOY_KERNELS_RECURRENT_TD
#define CONVOY_KERNELS_RECURRENT_TD

include "Kernels/Kernel.td"

def Kernel_RecurrentAttr : Kernel_NumbersAttr<"Recurrent", "recurrent"> {
  let summary = "All steps of a recurrent scan with packed constant matrices";
  let description = [{
    One kernel runs all steps of a scan. `vectors` x `unroll` accumulators of a product stay in
    registers. The generic emitters compute the element-wise ops. States and products are in scratch
    memory. No parameter changes how an element is rounded: a product sums its terms in order with
    one accumulator per element.

    The range runs over the batch if the batch is larger than `unroll`, if every product has one
    panel, or if `unroll` is above 1 and a row of a product is not a multiple of the vectors:

    ```
    for task:                          # unroll entries of the batch
      state = initial state
      for step:
        copy the scanned inputs of the step
        for product: for panel of the matrix
          for k:  acc[unroll][vectors] += x[unroll] * w[vectors]     # depth times unrolled
        next state and scanned results = element-wise ops
      store the final state
    ```

    Otherwise, the range runs over rounds (`rounds`), because steps depend on each other. A
    round is a phase of a step: first the products of the state, last the element-wise ops. A step of
    a GRU with the reset before its product has two phases more. A task is a panel of the products, or
    a part of the columns of the element-wise ops. Each task streams only its own part of the
    matrices, so the threads of a run divide the matrices among their caches. With two phases:

    ```
    round 0:     state = initial state
    round 2s+1:  copy the scanned inputs of step s; product of the state, one panel per task
    round 2s+2:  next state and scanned results = element-wise ops, a part of the columns per task
    last round:  store the final state
    ```

    If each result of a step is a select on one scanned mask with a value per batch entry, as in
    layers with sequence lengths, a step whose mask is false for all rows of the task keeps the
    states, stores constants and computes no product.

    Takes kernels that contain one scan. The matrices have the layout `#kernel.conv_weights<o =
    vectors x lanes, i = 1, transposed = true>`. Needs scratch memory.

    ```mlir
    task.kernel @recurrent_0(%h: tensor<1x256xf32>, %x: tensor<100x1x256xf32>,   // before
        %w: tensor<256x256xf32, #kernel.conv_weights<o = 128, i = 1, transposed = true>>)
        -> tensor<100x1x256xf32>
        attributes {config = #kernel.recurrent<...>}

    task.kernel @recurrent_0(%h: memref<256xf32>, %x: memref<25600xf32>,         // after
        %w: memref<65536xf32>, %y: memref<25600xf32>, %scratch: memref<4160xi8>,
        %begin: index, %end: index)
        attributes {range = 404 : i64, rounds = 202 : i64,
                    scratch = 4160 : i64}
    ```
  }];
  let parameters = (ins
    "int64_t":$vectors,  // vectors of result columns per panel
    "int64_t":$depth,    // rows of the matrix per innermost step
    "int64_t":$unroll);  // entries of the batch per task; divides the batch
  let products = "vectors * depth * unroll";
}

#endif // CONVOY_KERNELS_RECURRENT_TD
