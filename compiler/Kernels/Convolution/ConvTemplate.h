// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common part of the templates of convolutions and products with constant weights: the checks
// of operands and weights, and the layouts of epilogue operands.

#pragma once

#include "Kernels/KernelTemplate.h"

namespace convoy::kernels {

class ConvTemplate : public KernelTemplate {
public:
  std::string whyNot(const KernelFacts &facts, const Machine &machine) const final;
  std::vector<ConfigChoice> choose(const KernelFacts &facts, const Machine &machine) const final;
  std::vector<LayoutSpace> spaces(const KernelFacts &facts, const Machine &machine) const final;
  std::string fit(const KernelFacts &facts, mlir::Attribute config, mlir::Attribute input,
                  Candidate &candidate) const final;
  mlir::LogicalResult lower(task::KernelOp function, mlir::Attribute config,
                            const Machine &machine) const final;

protected:
  enum class Operands { Floats, Integers, Both };
  virtual Operands operands() const { return Operands::Floats; }

  // The functions below are the functions of KernelTemplate without the prefix, for a kernel with a
  // convolution or product (`facts.conv`) on supported operands.
  virtual std::string whyNotConv(const KernelFacts &facts, const Machine &machine) const = 0;
  virtual std::vector<ConfigChoice> chooseConv(const KernelFacts &facts,
                                               const Machine &machine) const = 0;
  virtual std::vector<LayoutSpace> convSpaces(const KernelFacts &facts,
                                              const Machine &machine) const;
  /// Sets the layouts of a candidate that whyNotConfig accepts, or returns the reason why the input
  /// must have another layout.
  virtual std::string fitConv(const KernelFacts &facts, mlir::Attribute config,
                              mlir::Attribute input, Candidate &candidate) const = 0;
  virtual mlir::LogicalResult lowerConv(task::KernelOp function, const ConvKernel &kernel,
                                        mlir::Attribute config, const Machine &machine) const = 0;
  /// Returns the reason why a configuration does not fit a kernel, or an empty string. The
  /// configuration may come from a file.
  virtual std::string whyNotConfig(const ConvKernel & /*kernel*/, mlir::Block & /*body*/,
                                   mlir::Attribute /*config*/) const {
    return "";
  }

  /// Sets the layouts of a candidate whose lanes run along channels in blocks of `block`: of the
  /// input, of the weights, of the epilogue operands and of the result. Returns a reason if an
  /// epilogue operand has no layout of this kind.
  static std::string alongChannels(const KernelFacts &facts, int64_t block, mlir::Attribute input,
                                   mlir::Attribute weights, Candidate &candidate);
  /// Does the same, and requires the input in the layout of the result.
  static std::string inBlocks(const KernelFacts &facts, int64_t block, mlir::Attribute input,
                              mlir::Attribute weights, Candidate &candidate);
  /// Makes all operands except the weights planar.
  static std::string planar(const KernelFacts &facts, mlir::Attribute input,
                            mlir::Attribute weights, Candidate &candidate);

private:
  std::string whyNotOperands(const KernelFacts &facts) const;
  std::string whyNotTypes(const ConvKernel &kernel) const;
};

/// Returns the blocked layout with as many channels per block as the machine has lanes.
mlir::Attribute nativeBlocks(const KernelFacts &facts, const Machine &machine);

/// Returns whether all pixels can be processed as one row (isEpilogueFlat).
bool isFlat(const KernelFacts &facts);

} // namespace convoy::kernels
