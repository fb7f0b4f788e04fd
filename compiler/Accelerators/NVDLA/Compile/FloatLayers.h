// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers float layers for configurations that compute in fp16.

#pragma once

#include "Accelerators/Capabilities.h"
#include "Accelerators/NVDLA/Compile/ConvParts.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Builders.h"

namespace convoy::nvdla {

/// Returns whether a layer computes on floats: f16, or f32 during placement.
bool isFloatLayer(mlir::Operation *op);

/// Returns why CDP cannot normalise over `size` channels, or nothing. Applies to floats and
/// integers.
std::optional<accelerators::Refusal> whyNotWindow(uint64_t size);

/// The result of lowering a float layer.
struct FloatLayer {
  /// The value that replaces the layer's result; null without a builder or after a refusal.
  mlir::Value value;
  std::optional<accelerators::Refusal> refusal;
  /// The shape of the convolution, for a layer on CONV.
  std::optional<ConvShape> conv;
};

/// Lowers the layer. If `builder` is null, only checks whether the device supports it.
FloatLayer lowerFloatLayer(mlir::Operation *op, const NvdlaOptions &options,
                           mlir::OpBuilder *builder);

/// Selects the channels of an fp16 cube from `first` on, as many as `result` has, with a
/// convolution whose weights are ones and zeros.
mlir::Value pickFloatChannels(mlir::Value input, int64_t first, mlir::Type result,
                              mlir::OpBuilder &builder);

/// Fuses SDP jobs on fp16 into the preceding SDP job while stages are free. A sum with a
/// convolution's result becomes the second stage of the convolution's SDP.
void joinFloatStages(mlir::Block &block);

} // namespace convoy::nvdla
