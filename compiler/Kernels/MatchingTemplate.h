// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common part of templates that first match a kernel. match() is the only place where such a
// template looks for its ops; all other functions get the result. The templates of convolutions
// have a base class of their own (Convolution/ConvTemplate.h).

#pragma once

#include "Kernels/KernelTemplate.h"

namespace convoy::kernels {

/// A template with configurations of type ConfigT for kernels that it matches as MatchedT.
template <typename ConfigT, typename MatchedT>
class MatchingTemplate : public KernelTemplate {
public:
  llvm::StringRef id() const final { return ConfigT::getMnemonic(); }
  bool usesBlocks() const override { return false; }

  std::string whyNot(const KernelFacts &facts, const Machine &machine) const final {
    std::string reason;
    (void)supported(facts, machine, reason);
    return reason;
  }

  std::vector<ConfigChoice> choose(const KernelFacts &facts, const Machine &machine) const final {
    std::string reason;
    std::optional<MatchedT> matched = supported(facts, machine, reason);
    return matched ? chooseMatched(facts, *matched, machine) : std::vector<ConfigChoice>();
  }

  std::vector<LayoutSpace> spaces(const KernelFacts &facts, const Machine &machine) const final {
    std::string reason;
    std::optional<MatchedT> matched = supported(facts, machine, reason);
    if (!matched) {
      return {};
    }
    std::optional<Space> space = spaceOf(facts, *matched, machine);
    if (!space) {
      return KernelTemplate::spaces(facts, machine);
    }
    return {named(std::move(*space), inputLayout(facts, *matched))};
  }

  std::string fit(const KernelFacts &facts, mlir::Attribute config, mlir::Attribute input,
                  Candidate &candidate) const final {
    std::string reason;
    std::optional<MatchedT> matched = matchFacts(facts, reason);
    if (!matched) {
      return reason;
    }
    mlir::Attribute wanted = inputLayout(facts, *matched);
    if (input != wanted) {
      return "the template expects its input as " + layoutText(wanted) + ", got " +
             layoutText(input);
    }
    auto own = mlir::cast<ConfigT>(config);
    if (reason = whyNotConfig(*matched, facts.body(), own); !reason.empty()) {
      return reason;
    }
    candidate.config = config;
    candidate.operands.assign(facts.kernel.getInputs().size(), mlir::Attribute()); // planar
    setLayouts(facts, *matched, own, candidate);
    return "";
  }

  mlir::LogicalResult lower(task::KernelOp function, mlir::Attribute config,
                            const Machine &machine) const final {
    auto own = mlir::cast<ConfigT>(config);
    mlir::Block &body = function.getBody().front();
    std::string reason;
    std::optional<MatchedT> matched = match(body, reason);
    reason = matched ? whyNotConfig(*matched, body, own) : reason;
    if (!reason.empty()) {
      return emitMisfit(function, config, reason);
    }
    return lowerMatched(function, *matched, own, machine);
  }

protected:
  /// Matches a block of graph ops, of a graph.kernel or of its function. Sets `reason` if the
  /// kernel does not match.
  virtual std::optional<MatchedT> match(mlir::Block &body, std::string &reason) const = 0;
  /// Matches a graph.kernel, whose constants are known. The default ignores them.
  virtual std::optional<MatchedT> matchFacts(const KernelFacts &facts, std::string &reason) const {
    return match(facts.body(), reason);
  }
  /// Returns the reason why the template does not compute a matched kernel on the machine, or an
  /// empty string.
  virtual std::string whyNotMatched(const KernelFacts & /*facts*/, const MatchedT & /*matched*/,
                                    const Machine & /*machine*/) const {
    return "";
  }
  /// Returns the reason why a configuration does not fit a matched kernel, or an empty string.
  virtual std::string whyNotConfig(const MatchedT & /*matched*/, mlir::Block & /*body*/,
                                   ConfigT /*config*/) const {
    return "";
  }

  /// Returns the layout of the main operand. The default is planar.
  virtual mlir::Attribute inputLayout(const KernelFacts & /*facts*/,
                                      const MatchedT & /*matched*/) const {
    return {};
  }
  /// Returns the search space, or nullopt for a space with a single point.
  virtual std::optional<Space> spaceOf(const KernelFacts & /*facts*/, const MatchedT & /*matched*/,
                                       const Machine & /*machine*/) const {
    return std::nullopt;
  }
  /// Returns the choices. The default is the point of the space with the fewest cycles.
  virtual std::vector<ConfigChoice> chooseMatched(const KernelFacts &facts, const MatchedT &matched,
                                                  const Machine &machine) const {
    std::optional<Space> space = spaceOf(facts, matched, machine);
    return choicesOf(space ? space->best() : std::nullopt, inputLayout(facts, matched));
  }
  /// Sets the layouts of a candidate that are not planar.
  virtual void setLayouts(const KernelFacts & /*facts*/, const MatchedT & /*matched*/,
                          ConfigT /*config*/, Candidate & /*candidate*/) const {}
  /// Lowers a kernel function that matches and that the configuration fits.
  virtual mlir::LogicalResult lowerMatched(task::KernelOp function, const MatchedT &matched,
                                           ConfigT config, const Machine &machine) const = 0;

private:
  std::optional<MatchedT> supported(const KernelFacts &facts, const Machine &machine,
                                    std::string &reason) const {
    std::optional<MatchedT> matched = matchFacts(facts, reason);
    reason = matched ? whyNotMatched(facts, *matched, machine) : reason;
    return reason.empty() ? std::move(matched) : std::nullopt;
  }
};

} // namespace convoy::kernels
