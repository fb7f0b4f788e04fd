// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The effect of instructions on the chip's memories: neurons, weights and lanes. Covers the
// instructions that the compiler emits. Instructions are untrusted input: an invalid one is an
// error and never an access outside of a memory.

#pragma once

#include "Accelerators/BM1880/Instruction.h"
#include "llvm/Support/Error.h"

namespace convoy::bm1880 {

class Machine {
public:
  Machine(llvm::MutableArrayRef<uint8_t> weights, llvm::MutableArrayRef<uint8_t> neurons);

  llvm::Error execute(const Instruction &instruction);

private:
  using Bytes = std::vector<int8_t>;
  struct WindowShape {
    int64_t n, channels, height, width, outHeight, outWidth;
    int64_t kernelHeight, kernelWidth, strideHeight, strideWidth, padTop, padLeft;
    int64_t dilationHeight = 1, dilationWidth = 1;
  };

  /// Returns the product of sizes. If a size is negative or the product is too large, records the
  /// problem and returns 0.
  int64_t count(llvm::ArrayRef<int64_t> sizes);
  void fail(const llvm::Twine &reason);

  Bytes read(llvm::ArrayRef<uint8_t> memory, int64_t address, int64_t bytes);
  void write(llvm::MutableArrayRef<uint8_t> memory, int64_t address, const Bytes &bytes);
  /// Reads a tensor from the lanes in row-major order.
  Bytes readLocal(int64_t address, llvm::ArrayRef<int64_t> shape, bool isAligned);
  void writeLocal(int64_t address, llvm::ArrayRef<int64_t> shape, bool isAligned,
                  const Bytes &bytes);

  Bytes convolve(const WindowShape &window, int64_t groups, int64_t outputs, const Bytes &input,
                 const Bytes &weight, const Bytes &bias, int64_t shift, bool hasRelu);
  Bytes pool(const WindowShape &window, bool isMean, const Bytes &input, int64_t multiplier,
             int64_t shift, bool hasRelu);
  Bytes combine(const std::vector<Bytes> &inputs, int64_t op, llvm::ArrayRef<int64_t> multipliers,
                int64_t shift, bool hasRelu, int64_t elements);

  void conv(const Instruction &i);
  void fc(const Instruction &i);
  void pooling(const Instruction &i);
  void eltwise(const Instruction &i);
  void relu(const Instruction &i);
  void lrn(const Instruction &i);
  void concat(const Instruction &i);
  void permute(const Instruction &i);
  void transfer(const Instruction &i);
  void localConv(const Instruction &i);
  void localPool(const Instruction &i);
  void localEltwise(const Instruction &i);

  llvm::MutableArrayRef<uint8_t> weights;
  llvm::MutableArrayRef<uint8_t> neurons;
  std::vector<uint8_t> lanes;
  std::string problem;
};

} // namespace convoy::bm1880
