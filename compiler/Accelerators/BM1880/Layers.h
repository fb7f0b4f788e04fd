// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which convcore ops the chip supports, and the kernels of global memory for them.

#pragma once

#include "Accelerators/BM1880/Instruction.h"
#include "Accelerators/Capabilities.h"
#include "ConvCore/ConvCore.h"
#include "Support/Tensor.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace convoy::bm1880 {

using Shape4 = std::array<int64_t, 4>;

/// Returns a shape as N x C x H x W, or nothing for more than four dimensions.
std::optional<Shape4> shape4(mlir::Value value);
int64_t bytesOf(mlir::Value value);
/// Returns the value that owns the bytes of `value`; a reshape shares the bytes of its input.
mlir::Value storageOf(mlir::Value value);
/// Returns the name of the ONNX node that an op computes.
std::string nameOf(mlir::Operation *op);

/// x * multiplier / 2^shift, rounded half up, then saturated or clamped at zero.
struct Rescale {
  int64_t multiplier = 1;
  int64_t shift = 0;
  bool hasRelu = false;
};
/// Returns the requantization in lowest terms, or nothing if the chip does not support it.
std::optional<Rescale> rescaleOf(convcore::RequantAttr requant);

/// The bytes of weight.bin. Tensors are stored in the order of their first use.
class WeightMemory {
public:
  /// Without `keepsBytes`, the object only counts bytes, for cost estimates.
  explicit WeightMemory(bool keepsBytes = true) : keepsBytes(keepsBytes) {}

  /// Adds a kernel O x I x H x W as O x HW x I.
  int64_t addKernel(const Tensor &kernel);
  /// Adds the bytes of a tensor unchanged.
  int64_t addBytes(const Tensor &tensor);
  /// Adds a table of bytes for each lane.
  int64_t addTable(const Tensor &table);
  /// Adds i16 biases as all low bytes, then all high bytes. Returns kNoAddress if there is no bias.
  int64_t addBias(const std::optional<Tensor> &bias);

  const std::vector<uint8_t> &bytes() const { return memory; }

private:
  /// Reserves bytes at the end; returns null if bytes are not kept.
  uint8_t *grow(int64_t bytes, int64_t &address);

  bool keepsBytes;
  int64_t count = 0;
  std::vector<uint8_t> memory;
};

/// Returns the requantization before a concatenation if the concat instruction can do it, so that
/// no separate instruction is emitted. This needs a requantization whose only user is the
/// concatenation.
convcore::RequantizeOp foldedRescale(mlir::Value input);

/// Returns why the chip does not support an op, or nothing if it does.
std::optional<accelerators::Refusal> refuseLayer(mlir::Operation *op);

/// Emits kernels of global memory for supported ops; `at` returns the neuron address of a value.
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
  void emitLrn(convcore::ByteLrnOp op);
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
