// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search space of a template: knobs with their values, constraints with their reasons, and a
// cost estimate that orders the valid points. Each template declares its space as data beside its
// configuration attribute. A search may narrow or widen the values of a knob.
// docs/howto/add-knob.md explains how to add a knob.

#pragma once

#include "mlir/IR/Attributes.h"
#include "llvm/ADT/SmallVector.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace convoy::kernels {

enum class KnobKind {
  Split,     ///< Several numbers that split one dimension.
  Ordered,   ///< A number; similar values give similar performance.
  Unordered, ///< A choice between alternatives without an order.
};

struct Knob {
  std::string name;
  KnobKind kind;
  /// Names of the numbers in a value, for example "vectors", "pixels".
  std::vector<std::string> parameters;
  /// Each value has as many numbers as `parameters`.
  std::vector<std::vector<int64_t>> values;
};

/// One value of every knob, flattened in the order of knobs and parameters.
using Settings = llvm::SmallVector<int64_t, 12>;

struct Constraint {
  /// Why settings that violate the constraint are invalid; shown to users.
  std::string reason;
  std::function<bool(const Settings &)> holds;
};

/// A configuration that a template prefers, and the layout of the main operand that it expects.
struct ConfigChoice {
  mlir::Attribute config;
  mlir::Attribute input; // null is planar
  double cycles = 0;     // estimated, on one core
};

struct Space {
  /// The mnemonic of the configuration attribute and the version of its code generator. A template
  /// increments the version when the same settings generate different code.
  std::string templateId;
  int version = 0;
  std::vector<Knob> knobs;
  /// Checked in order; whyNot returns the reason of the first violated constraint.
  std::vector<Constraint> constraints;
  /// Returns the configuration for settings that satisfy all constraints.
  std::function<mlir::Attribute(const Settings &)> configure;
  /// Returns the estimated cycles on one core. The default configuration has the lowest estimate.
  std::function<double(const Settings &)> cycles;

  /// Returns the number of points, including invalid ones.
  int64_t size() const;
  /// Returns the reason why settings are invalid, or an empty string if they are valid.
  std::string whyNot(const Settings &settings) const;
  /// Calls `visit` for every point, with the last knob varying fastest.
  void forEach(const std::function<void(const Settings &)> &visit) const;
  /// Returns the valid point with the fewest cycles, with a planar main operand.
  std::optional<ConfigChoice> best() const;
};

/// Adds a value if the knob does not have it yet.
void addValue(Knob &knob, std::vector<int64_t> value);

/// Returns the factor by which the cost estimate grows if a number differs from the default rule:
/// `perDoubling` for each doubling, so closer values are tried first.
double strayFactor(int64_t value, int64_t rule, double perDoubling);

} // namespace convoy::kernels
