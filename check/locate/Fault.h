// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locates the origin of wrong outputs on the host: the first wrong op, and the pass after
// which the op is wrong. The search runs the stages again with an observer, so it works on any
// build of the compiler.

#pragma once

#include "Driver/LoadedProgram.h"
#include "Pipeline/RunStages.h"
#include "check/rules/CheckRule.h"
#include "convoy/model.h"
#include "convoy/request.h"
#include <string>

namespace convoy::check {

using driver::NamedData;

struct Fault {
  std::string op;       // "'conv1' (Conv)"; empty: not found
  std::string pass;     // "convoy-kernels-lower-loops"; empty: not found
  std::string measured; // "max |a-b| 0.31 at [0, 3, 2, 1], bound 0.0002"
  std::string note;     // further facts, printed in parentheses

  /// Returns a fault of which only the reason is known why the search did not find it.
  static Fault notFound(std::string note);

  /// Returns a line such as "first wrong op: 'conv1' (Conv), after pass
  /// convoy-kernels-lower-loops: max |a-b| 0.31 at [0, 3, 2, 1], bound 0.0002".
  std::string text() const;
};

/// A model whose outputs are wrong.
struct WrongModel {
  const Model &model;
  CompileRequest request; // with all shapes pinned
  const NamedData &inputs;
  const std::vector<Datum> &expected;
  Arithmetic arithmetic;
  StageObserver *injected = nullptr; // a further observer of the stages
  bool isExact = false;              // `expected` holds the values of returnExactValues()
};

/// Runs the reference several times and compiles each kernel once.
Fault locateFault(const WrongModel &wrong);

} // namespace convoy::check
