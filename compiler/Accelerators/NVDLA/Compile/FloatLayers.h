// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers of floats on the units of configurations that compute in fp16.

#pragma once

#include "Accelerators/Capabilities.h"
#include "Accelerators/NVDLA/Compile/ConvParts.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Builders.h"

namespace convoy::nvdla {

/// Whether a layer works on floats: f16, or f32 while the device is only asked.
bool isFloatLayer(mlir::Operation *op);

/// Why CDP does not normalise over so many channels, floats or integers; nothing if it does.
std::optional<accelerators::Refusal> whyNotWindow(uint64_t size);

/// What became of a layer of floats.
struct FloatLayer {
  /// What replaces its result; null without a builder or with a refusal.
  mlir::Value value;
  std::optional<accelerators::Refusal> refusal;
  /// Of a layer on CONV.
  std::optional<ConvShape> conv;
};

/// Lowers the layer, or only asks about it when there is no builder.
FloatLayer lowerFloatLayer(mlir::Operation *op, const CompileOptions &options,
                           mlir::OpBuilder *builder);

/// Channels of a cube of fp16 from `first` on, as many as the result has, by a convolution
/// with ones.
mlir::Value pickFloatChannels(mlir::Value input, int64_t first, mlir::Type result,
                              mlir::OpBuilder &builder);

/// Joins SDP jobs on fp16 with the ones before them while their stages last: a sum with
/// a convolution's result is the second stage of its SDP.
void joinFloatStages(mlir::Block &block);

} // namespace convoy::nvdla
