// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tool asks of a place that runs models. Each target turns the imported
// module into an executable in memory; the reference only keeps the module.

#pragma once

#include "Quantize/Arithmetic.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "reference/Datum.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <memory>

namespace mlir {
class PassManager;
} // namespace mlir

namespace convoy::driver {

using reference::Datum;

/// A model ready to run. Problems are emitted as diagnostics of the module's
/// context.
class Executable {
public:
  virtual ~Executable() = default;
  /// One input per argument of @main, in order.
  virtual mlir::FailureOr<std::vector<Datum>> run(llvm::ArrayRef<Datum> inputs) = 0;
};

struct TargetOptions {
  int64_t threads = 0; // 0: what the target's description says
  /// Called with each pass manager before it runs, when set.
  std::function<void(mlir::PassManager &)> instrument = nullptr;
  /// Keep to direct algorithms.
  bool isStrictMath = false;
  /// Make integer layers of quantised ones; the reference then runs those too.
  bool isInteger = false;
  /// Of integer layers. A device insists on its own.
  quantize::Arithmetic arithmetic = {};
};

class Target {
public:
  virtual ~Target() = default;
  virtual llvm::StringRef name() const = 0;
  virtual llvm::StringRef summary() const = 0;
  /// What integer layers have to be written in; the reference follows when it is asked to.
  virtual quantize::Arithmetic arithmetic() const { return {}; }
  /// Whether dimensions may stay open until the model runs.
  virtual bool allowsDynamicShapes() const { return false; }
  /// The float type that it computes f32 models in, as far as it does not leave them to
  /// this machine.
  virtual ElementType floatType() const { return ElementType::F32; }
  /// Its layers in that type, run by the reference; null where that is the model itself.
  virtual std::unique_ptr<Target> createLayers() const { return nullptr; }
  /// Null after a diagnostic.
  virtual std::unique_ptr<Executable> compile(mlir::OwningOpRef<mlir::ModuleOp> module,
                                              const TargetOptions &options) const = 0;
};

/// The interpreter that defines what is correct.
std::unique_ptr<Target> createReference();

/// Keeps a module of executable ops for the interpreter.
std::unique_ptr<Executable> createInterpreter(mlir::OwningOpRef<mlir::ModuleOp> module);

/// The target of that name or the machine that a .json file describes. The error
/// lists the names.
llvm::Expected<std::unique_ptr<Target>> findTarget(llvm::StringRef name);

} // namespace convoy::driver
