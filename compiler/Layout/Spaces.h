// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search space of a kernel for the tuner: the union of the spaces of all templates, in every
// layout that each template can read.

#pragma once

#include "Layout/Candidates.h"

namespace convoy::layout {

using kernels::LayoutSpace;

/// Returns the spaces of a planar kernel. The first space contains the planar generic loops.
/// Spaces with the target's native block size come before spaces with half and twice that size. The
/// generic loops have spaces with one point.
std::vector<LayoutSpace> spacesOf(graph::KernelOp kernel, const kernels::Machine &machine,
                                  bool isStrictMath);

/// A template, identified by the mnemonic of its configuration attribute, and its version.
struct TemplateVersion {
  llvm::StringRef id;
  int version;
};

/// Returns all templates that a space can belong to, with their current versions, the
/// fallback first.
std::vector<TemplateVersion> templateVersions();

/// Returns the number of the operand whose layout identifies a candidate: the input of a
/// convolution, otherwise operand 0.
unsigned mainOperand(graph::KernelOp kernel);

} // namespace convoy::layout
