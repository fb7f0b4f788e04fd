// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads from @main in planned memory where the tensors of each layer live, when they are in use,
// and which constants each layer reads. BenchMicro and `convoy compile` add this to their reports.

#pragma once

#include "Kernels/VectorUse.h"
#include "Pipeline/RunStages.h"
#include "mlir/IR/BuiltinOps.h"
#include "report/MicroBuild.h"
#include <map>

namespace convoy::timing {

/// The operations of a layer's lowered kernel.
struct LayerOps {
  kernels::VectorUse loops;
  /// Ops of the kernel dialect on memory, which the C printer prints as calls of functions; their
  /// work is in the multiply-adds and results of the layer.
  bool callsFunctions = false;
  int64_t resultBytes = 0;
};

/// The arena and the constants of a model, by layers in the order of their first calls.
struct MemoryMap {
  std::vector<report::MicroLayer> layers; // without instructions
  std::vector<LayerOps> ops;              // by layer
  std::vector<report::MicroTensor> tensors;
  int64_t inputBytes = 0, outputBytes = 0; // in buffers of the caller
};

/// Reads a module after the stage `memory`, or within this stage before row views are lowered: the
/// rows of rings are known only there. The layers have no multiply-adds.
MemoryMap readMemoryMap(mlir::ModuleOp module);

/// Reads the map while a model is compiled.
class MemoryObserver : public StageObserver {
public:
  void instrument(mlir::PassManager &passes) override;
  bool endStage(mlir::ModuleOp module, const Stage &stage) override;

  MemoryMap map;

private:
  std::map<std::string, int64_t> multiplyAdds; // by MicroLayer::key
};

} // namespace convoy::timing
