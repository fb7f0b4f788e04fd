// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Direct convolution: the template, its cost model and what layouts it wants.

#pragma once

#include "Kernels/ConvDirect/ConvProblem.h"
#include "Kernels/Kernel.h"
#include "Kernels/Machine.h"
#include "Kernels/Space.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace convoy::kernels {

/// Of the code that a configuration gives: raise it when equal ones give other code, and
/// what was measured before is measured again.
inline constexpr int kConvDirectVersion = 1;

/// How the input lies in memory.
enum class InputLayout { Blocked, Planar, Matrix };

struct ConvDirectChoice {
  ConvDirectAttr config;
  InputLayout input;
  /// Estimated cycles on one core.
  double cycles;
};

/// Blocks of output channels in a register tile that are tried.
inline constexpr int64_t kTileVectors[] = {1, 2, 3, 4, 6, 8};

/// Whether the template runs the problem with its input so in memory, in blocks of the
/// machine's lanes.
bool canRunConvDirect(const ConvProblem &problem, InputLayout input, const Machine &machine);

/// Why a configuration, which may come from a file, does not fit the kernel; empty when
/// it does.
std::string whyNotConvDirect(const ConvKernel &kernel, mlir::Block &body, ConvDirectAttr config,
                             InputLayout input);

/// The best configuration for that input layout, or nullopt when the template
/// cannot run the problem.
std::optional<ConvDirectChoice> chooseConvDirect(const ConvProblem &problem, InputLayout input,
                                                 bool isFlat, const Machine &machine,
                                                 mlir::MLIRContext *context);

/// All configurations for that input layout that are worth a look; for problems that
/// canRunConvDirect. The chooser's pick is the one with the fewest cycles.
Space convDirectSpace(const ConvProblem &problem, InputLayout input, bool isFlat,
                      const Machine &machine, mlir::MLIRContext *context);

/// Input channels that weights have side by side. Planar ones need no blocks; short
/// vectors cut them so that weights of a block stay in the cache.
int64_t depthBlockOf(const ConvProblem &problem, InputLayout input, int64_t block);

/// The layout of weights that a configuration reads.
mlir::Attribute convDirectWeights(const ConvProblem &problem, ConvDirectAttr config,
                                  InputLayout input);

/// Lowers a kernel function whose configuration is `config`.
mlir::LogicalResult lowerConvDirect(mlir::func::FuncOp kernel, ConvDirectAttr config,
                                    int64_t vectorBytes);

} // namespace convoy::kernels
