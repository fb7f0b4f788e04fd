// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who is to blame when the host's outputs are wrong: the first wrong op, and the
// pass after which it was wrong. Works on any build: it runs the stages again,
// watched.

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
  std::string note;     // what else is known, as the end of a sentence

  /// "first wrong op: 'conv1' (Conv), after pass convoy-kernels-lower-loops: max
  /// |a-b| 0.31 at [0, 3, 2, 1], bound 0.0002".
  std::string text() const;
};

/// A model that gives wrong outputs.
struct WrongModel {
  const Model &model;
  CompileRequest request; // with all shapes pinned
  const NamedData &inputs;
  const std::vector<Datum> &expected;
  Arithmetic arithmetic;
  StageObserver *planted = nullptr; // what else runs with the stages
  bool isExact = false;             // what is expected are integers' values (ExactOutputs.h)
};

/// Takes some runs of the reference and, per kernel, a short compilation.
Fault locateFault(const WrongModel &wrong);

} // namespace convoy::check
