// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders the reasons of kernel templates, so that a user reads the reason that matters first.

#pragma once

#include "convoy/report.h"

namespace convoy::driver {

/// How far a template is from computing a kernel, by the reason that it gives.
enum class TemplateDistance {
  Slower,   // it computes the kernel, and the generic loops are faster
  Operands, // a shape, a constant or another op of the kernel does not fit
  Types,    // it computes the op with other types
  Target,   // the target lacks an instruction
  Ops,      // it computes other ops
};

TemplateDistance distanceOf(const TemplateRefusal &refusal);

/// Sorts the refusals of each kernel, nearest template first. Of templates at the same distance,
/// those come first whose reason fewer templates share; other templates keep their order.
void sortRefusals(CompileReport &report);

/// Returns the refusal of the nearest template, or null if all templates compute other ops. The
/// refusals must be sorted.
const TemplateRefusal *nearestTemplate(const KernelReport &kernel);

/// Returns what makes a template compute a kernel of generic loops on the target, in one sentence
/// without a full stop.
std::string remedyFor(const KernelReport &kernel, const std::string &target);

} // namespace convoy::driver
