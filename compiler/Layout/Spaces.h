// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that a kernel can be run as, for whoever searches: the union of the spaces of
// every template, in every layout that it can read.

#pragma once

#include "Kernels/Space.h"
#include "Layout/Candidates.h"

namespace convoy::layout {

/// The configurations of one template with the main operand in one layout.
struct LayoutSpace {
  kernels::Space space;
  /// Null is planar.
  mlir::Attribute input;
};

/// The spaces of a planar kernel, those of the target's own block first; of the generic
/// loops as well, which have one point. Blocks of half and of twice the target's lanes
/// are offered beside its own.
std::vector<LayoutSpace> spacesOf(graph::KernelOp kernel, const kernels::Machine &machine,
                                  bool isStrictMath);

/// A template by the mnemonic of its configuration.
struct TemplateVersion {
  llvm::StringLiteral id;
  int version;
};

/// The templates that spaces can be of, as this compiler has them.
llvm::ArrayRef<TemplateVersion> templateVersions();

/// The operand whose layout is told apart: a convolution's input, else the first.
unsigned mainOperand(graph::KernelOp kernel);

} // namespace convoy::layout
