// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of 8-bit weights by dot products: a lane sums four input channels (DotProduct.h). The
// form of the dot product determines the sign of the inputs; a load flips the highest bit of bytes
// with the other sign. The numbers at the start of a weight panel correct the zero point. Padding
// must therefore be multiplied as bytes that represent zero. If these bytes are 0, their code is
// omitted.

#pragma once

#include "Kernels/Convolution/ConvProblem.h"
#include "Kernels/Core/Multiply.h"
#include "Kernels/DotProduct.h"
#include "Kernels/Loops/KernelEmitter.h"
#include <functional>
#include <memory>

namespace convoy::kernels {

/// The inputs of dot products.
struct DotInputs {
  bool isSigned = false;  // as stored
  int64_t zero = 0;       // the unsigned input that represents zero
  int64_t zeroOfSums = 0; // see zeroOfSums()
};

/// Returns the number that represents zero in the sums of a form: an 8-bit input, or 256 * upper +
/// lower byte of a 16-bit input, with the bytes as the form multiplies them.
int64_t zeroOfSums(const IntegerOperands &integers, DotForm form);

/// 8-bit inputs.
class DotMultiply : public Multiply {
public:
  /// Returns the bias of a block of channels.
  using BiasOf = std::function<mlir::Value(const Index &channels)>;

  DotMultiply(mlir::ImplicitLocOpBuilder &builder, mlir::Value inputs, mlir::Value weights,
              int64_t block, DotForm form, DotInputs numbers, BiasOf bias = nullptr);

  Values loadWeights(mlir::Value offset) override;
  Values loadInputs(llvm::ArrayRef<mlir::Value> offsets, int64_t steps) override;
  mlir::Value multiplyAdd(int64_t i, mlir::Value sum, llvm::ArrayRef<mlir::Value> inputs,
                          llvm::ArrayRef<mlir::Value> weights) override;
  Values start(const PanelBlock &panel) override;

protected:
  mlir::Value withBias(mlir::Value sum, const PanelBlock &panel);
  mlir::Value spread(mlir::Value lane);
  /// Gives bytes the sign that the form multiplies, in every lane.
  mlir::Value asFactor(mlir::Value lanes, bool isSigned);
  /// Returns a byte of an input that represents zero, as the form multiplies it.
  int64_t padByte(int64_t part) const;
  /// Returns a byte in every lane, or null if the byte is 0.
  mlir::Value padding(int64_t byte);

  mlir::Value x, w;
  DotProduct dot;
  DotInputs numbers;
  BiasOf bias;
};

/// 16-bit inputs. An input x is 256 * upper + lower, both unsigned bytes after x is made unsigned.
/// Both have separate sums over the same weights, which are joined at the end:
///
///     sum w (x - zero) = 256 * sum w upper + sum w lower - zero * sum w
class WideDotMultiply : public DotMultiply {
public:
  /// `sums` is the type of the joined sums.
  WideDotMultiply(mlir::ImplicitLocOpBuilder &builder, mlir::Value inputs, mlir::Value weights,
                  int64_t block, DotForm form, DotInputs numbers, BiasOf bias, ElementType sums);

  Values loadInputs(llvm::ArrayRef<mlir::Value> offsets, int64_t steps) override;
  Values start(const PanelBlock & /*panel*/) override { return zeros(); }
  Values corrections(const PanelBlock &panel) override;
  Values finish(llvm::ArrayRef<mlir::Value> cell, llvm::ArrayRef<mlir::Value> corrections) override;

private:
  ElementType sums;
};

/// Returns the input channels per step for an integer kernel whose inputs have blocks of
/// `channels`.
int64_t dotDepth(const ConvKernel &kernel, DotForm form, int64_t channels);

/// Returns the multiply for the inputs of an integer kernel. `elements` loads its bias. `depth` is
/// that of the weights.
std::unique_ptr<Multiply> dotMultiply(KernelEmitter &elements, const ConvKernel &kernel,
                                      mlir::Value inputs, mlir::Value weights, int64_t block,
                                      DotForm form, int64_t depth);

} // namespace convoy::kernels
