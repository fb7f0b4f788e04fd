// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Single convcore ops on the chip: what it takes of them, and the kernels of global
// memory that they become.

#pragma once

#include "Accelerators/BM1880/Instruction.h"
#include "Accelerators/Capabilities.h"
#include "Accelerators/ConvCore/ConvCore.h"
#include "Support/Tensor.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace convoy::bm1880 {

using Shape4 = std::array<int64_t, 4>;

/// A shape as N x C x H x W, with ones in front; nothing above four dimensions.
std::optional<Shape4> shape4(mlir::Value value);
int64_t bytesOf(mlir::Value value);
/// The value whose bytes a value is: reshapes move nothing.
mlir::Value storageOf(mlir::Value value);
/// The ONNX node that an op computes, for the text.
std::string nameOf(mlir::Operation *op);

/// x * multiplier / 2^shift rounded half up, then saturated or cut off at zero.
struct Rescale {
  int64_t multiplier = 1;
  int64_t shift = 0;
  bool hasRelu = false;
};
/// In lowest terms; nothing for what the chip cannot do.
std::optional<Rescale> rescaleOf(convcore::RequantAttr requant);

/// The bytes of weight.bin: tensors in the order of their first use.
class WeightMemory {
public:
  /// One that counts and keeps nothing is for trials.
  explicit WeightMemory(bool keepsBytes = true) : keepsBytes(keepsBytes) {}

  /// O x I x H x W as O x HW x I.
  int64_t addKernel(const Tensor &kernel);
  /// As it is.
  int64_t addBytes(const Tensor &tensor);
  /// i16 as all low bytes, then all high bytes; kNoAddress for none.
  int64_t addBias(const std::optional<Tensor> &bias);

  const std::vector<uint8_t> &bytes() const { return memory; }

private:
  /// Room at the end; null where nothing is kept.
  uint8_t *grow(int64_t bytes, int64_t &address);

  bool keepsBytes;
  int64_t count = 0;
  std::vector<uint8_t> memory;
};

/// The requantisation that a concatenation does for an input, which goes unwritten: the
/// one behind it, when nothing else reads that.
convcore::RequantizeOp foldedRescale(mlir::Value input);

/// Why the chip does not run an op, or nothing when it does.
std::optional<accelerators::Refusal> refuseLayer(mlir::Operation *op);

/// Kernels of global memory for ops that are not refused; `at` is the address of a
/// value's neurons.
class LayerEmitter {
public:
  LayerEmitter(llvm::function_ref<int64_t(mlir::Value)> at, WeightMemory &weights)
      : at(at), weights(weights) {}

  std::vector<Instruction> emit(mlir::Operation *op);

private:
  void emitConv(convcore::ConvOp op);
  void emitFc(convcore::ConvOp op);
  void emitPool(convcore::PoolOp op);
  void emitEltwise(convcore::EltwiseOp op);
  void emitRescale(mlir::Operation *op, const Rescale &rescale);
  void emitConcat(convcore::ConcatOp op);
  void emitPermute(convcore::TransposeOp op);
  void emitSlice(convcore::SliceOp op);
  Instruction &add(llvm::StringRef name, mlir::Operation *op);

  llvm::function_ref<int64_t(mlir::Value)> at;
  WeightMemory &weights;
  std::vector<Instruction> list;
};

/// The two multipliers and the shift of an element-wise op.
struct EltwiseTerms {
  int64_t lhs = 1;
  int64_t rhs = 1;
  Rescale rescale;
};
std::optional<EltwiseTerms> termsOf(convcore::EltwiseOp op);

} // namespace convoy::bm1880
