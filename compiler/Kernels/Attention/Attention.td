// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The configuration of the template `attention`.

#ifndef CONVOY_KERNELS_ATTENTION_TD
#define CONVOY_KERNELS_ATTENTION_TD

include "Kernels/Kernel.td"

def Kernel_AttentionAttr : Kernel_NumbersAttr<"Attention", "attention"> {
  let summary = "Attention with the scores of one block of queries in scratch memory";
  let description = [{
    The kernel contains two products with a softmax between them, and the element-wise and
    movement ops around them. Transposes and reshapes become strides. The lanes of the scores are
    queries; the lanes of the results are elements of a head. `unroll` is the number of queries
    whose results one tile of the second product computes.

    ```
    for task:                               # one step of the range: a block of queries of a head
      copy V                                # if pack = 1, once per head
      copy and scale Q of the block         # head size x queries
      for chunk of keys:                    # skipped if the mask excludes it for all queries
        for tile of keys in chunk:
          for e in head size
            scores += K[key][e] * Q[e]      # keys x vectors in registers
          scale and mask the scores, m' = max(m', scores)
        sum, results *= exp(m - m'), m = m' # not if one chunk has all keys
        for key in chunk: scores = exp(scores - m), sum += scores
        for part of chunk: for tile of queries:
          for key in part
            results += scores[key] * V[key] # unroll x vectors of a head in registers
      y = results * (1 / sum)
    ```

    The division comes after the product with V, so it rounds each result and not each weight.
    `queries` is a multiple of `unroll`, and `queries` / `vectors`, the number of lanes,
    is a power of two. If the last block of a head would exceed the queries, it starts earlier and
    does not store the queries of the block before it.

    Several chunks keep the scores of long sequences close to the core, and the kernel skips the
    chunks that a causal or padding mask excludes. A skipped chunk reads no keys and no values, so
    NaN and infinity in excluded rows of both do not reach the result. Several chunks require that
    no op is between the softmax and the second product.

    Takes kernels that contain one attention on planar f32 tensors. Needs scratch memory.

    ```mlir
    task.kernel @attention_0(%q: tensor<1x128x12x32xf32>, ...)                   // before
        -> tensor<1x128x12x32xf32>
        attributes {config = #kernel.attention<...>}

    task.kernel @attention_0(%q: memref<49152xf32>, ..., %y: memref<49152xf32>,  // after
                                   %scratch: memref<24704xi8>, %begin: index, %end: index)
        attributes {range = 48 : i64, scratch = 24704 : i64}
    ```
  }];
  let parameters = (ins
    "int64_t":$queries,  // queries per block
    "int64_t":$keys,     // keys per tile of scores
    "int64_t":$chunk,    // keys whose scores are in scratch memory at the same time
    "int64_t":$vectors,  // vectors of queries per block
    "int64_t":$unroll,   // queries per tile of results
    "int64_t":$pack);    // 1: copies the values of a head to scratch memory
  let fromZero = ["pack"];
  let products = "std::max(keys * vectors, unroll)";
  let check = [{
    if (queries % vectors != 0 || !llvm::isPowerOf2_64(queries / vectors)) {
      return emitError() << "expects queries / vectors to be a power of two, got " << queries << " / "
                         << vectors;
    }
    if (queries % unroll != 0) {
      return emitError() << "expects queries to be a multiple of unroll, got " << queries << " and "
                         << unroll;
    }
    if (chunk < keys) {
      return emitError() << "expects a chunk of at least one tile of keys, got " << chunk << " and "
                         << keys;
    }
    if (pack > 1) {
      return emitError() << "expects pack 0 or 1, got " << pack;
    }
  }];
}

#endif // CONVOY_KERNELS_ATTENTION_TD
