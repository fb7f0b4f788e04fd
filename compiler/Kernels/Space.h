// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a template can be configured to: knobs with their values, constraints with
// their reasons, and the estimate that orders what is left. A template declares its
// space beside its configuration attribute, as data; whoever searches reads it and
// may narrow or widen the values of a knob. docs/howto/add-knob.md adds one.

#pragma once

#include "mlir/IR/Attributes.h"
#include "llvm/ADT/SmallVector.h"
#include <functional>
#include <string>
#include <vector>

namespace convoy::kernels {

enum class KnobKind {
  Split,     ///< How a dimension is cut: several numbers that belong together.
  Ordered,   ///< A number: neighbours behave alike.
  Unordered, ///< One of some ways: nothing lies between two of them.
};

struct Knob {
  std::string name;
  KnobKind kind;
  /// What the numbers of a value are called, as "vectors", "pixels".
  std::vector<std::string> parameters;
  /// Each as long as `parameters`.
  std::vector<std::vector<int64_t>> values;
};

/// The numbers of one value of every knob, in the order of knobs and parameters.
using Settings = llvm::SmallVector<int64_t, 12>;

struct Constraint {
  /// Why settings that break it are left out; for people.
  std::string reason;
  std::function<bool(const Settings &)> holds;
};

struct Space {
  /// The mnemonic of the configuration attribute, and the version of the code that it
  /// gives: raised when equal settings give other code.
  std::string templateId;
  int version = 0;
  std::vector<Knob> knobs;
  /// Checked in order; the first that is broken is the reason.
  std::vector<Constraint> constraints;
  /// The configuration of settings that keep all constraints.
  std::function<mlir::Attribute(const Settings &)> configure;
  /// Estimated cycles on one core. The chooser's pick has the fewest.
  std::function<double(const Settings &)> cycles;

  /// Points before rejection.
  int64_t size() const;
  /// The reason why settings are left out; empty when they are not.
  std::string whyNot(const Settings &settings) const;
  /// Calls with the settings of every point, the last knob fastest.
  void forEach(const std::function<void(const Settings &)> &visit) const;
};

/// Adds a value unless the knob has it.
void addValue(Knob &knob, std::vector<int64_t> value);

/// How much settings are thought to lose by a number that is not the rule's: a small
/// share of the time for each doubling, so that one step away comes before two.
double strayFactor(int64_t value, int64_t rule, double perDoubling);

} // namespace convoy::kernels
