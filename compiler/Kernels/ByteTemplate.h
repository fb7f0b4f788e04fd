// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common part of the templates of bytes: they need byte ops, take images in one layout, and
// have one configuration per kernel.

#pragma once

#include "Kernels/KernelTemplate.h"

namespace convoy::kernels {

/// A template that computes a kernel of type MatchedT with byte ops.
template <typename MatchedT>
class ByteTemplate : public KernelTemplate {
public:
  bool usesBlocks() const override { return false; }

  std::string whyNot(const KernelFacts &facts, const Machine &machine) const override {
    std::string reason;
    if (!match(facts, reason)) {
      return reason;
    }
    return machine.hasByteOps ? "" : kNoByteOps;
  }

  std::vector<Choice> choose(const KernelFacts &facts, const Machine &machine) const override {
    std::string reason;
    std::optional<MatchedT> kernel = match(facts, reason);
    if (!kernel || !machine.hasByteOps) {
      return {};
    }
    return {chooseBytes(facts, *kernel)};
  }

  std::string fit(const KernelFacts &facts, mlir::Attribute config, mlir::Attribute input,
                  Candidate &candidate) const override {
    std::string reason;
    std::optional<MatchedT> kernel = match(facts, reason);
    if (!kernel) {
      return reason;
    }
    mlir::Attribute wanted = chooseBytes(facts, *kernel).input;
    if (input != wanted) {
      return "the template expects its input as " + layoutText(wanted) + ", got " +
             layoutText(input);
    }
    candidate.config = config;
    return fitBytes(facts, *kernel, candidate);
  }

protected:
  /// Returns the kernel if the template supports it. Otherwise sets `reason`.
  virtual std::optional<MatchedT> match(const KernelFacts &facts, std::string &reason) const = 0;
  virtual Choice chooseBytes(const KernelFacts &facts, const MatchedT &kernel) const = 0;
  /// Sets the layouts of a candidate, whose configuration is set, or returns the reason why the
  /// configuration does not fit. The default gives the result and all operands the input's layout.
  virtual std::string fitBytes(const KernelFacts &facts, const MatchedT &kernel,
                               Candidate &candidate) const {
    mlir::Attribute pixels = chooseBytes(facts, kernel).input;
    candidate.result = pixels;
    candidate.operands.assign(facts.kernel.getInputs().size(), pixels);
    return "";
  }
};

/// Returns the constant that a value of the kernel's body is; nullopt: it is computed at run time.
std::optional<Tensor> constantOf(const KernelFacts &facts, mlir::Value value);

/// Returns the reason why byte ops cannot rescale with these shifts, or an empty string.
std::string whyNotShifts(const Tensor &shifts);

} // namespace convoy::kernels
