// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores the kind of a diagnostic in its location.

#include "Support/TypedDiagnostic.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

using namespace mlir;

namespace convoy {
namespace {

constexpr std::pair<ProblemKind, llvm::StringLiteral> kMetadata[] = {
    {ProblemKind::Unsupported, "convoy.unsupported"},
    {ProblemKind::Bug, "convoy.bug"},
    {ProblemKind::OutOfMemory, "convoy.out_of_memory"}};

/// Returns the location with the metadata of a kind; the location itself for a user error.
Location markedLocation(Location loc, ProblemKind kind) {
  for (const auto &[marked, name] : kMetadata) {
    if (marked == kind) {
      return FusedLoc::get(loc.getContext(), {loc}, StringAttr::get(loc.getContext(), name));
    }
  }
  return loc;
}

InFlightDiagnostic emitOpErrorOfKind(Operation *op, ProblemKind kind, const llvm::Twine &text) {
  InFlightDiagnostic diagnostic = emitErrorOfKind(op->getLoc(), kind);
  diagnostic << "'" << op->getName() << "' op " << text;
  return diagnostic;
}

} // namespace

InFlightDiagnostic emitErrorOfKind(Location loc, ProblemKind kind) {
  return mlir::emitError(markedLocation(loc, kind));
}

InFlightDiagnostic emitUnsupported(Location loc) {
  return emitErrorOfKind(loc, ProblemKind::Unsupported);
}

InFlightDiagnostic emitBug(Location loc) { return emitErrorOfKind(loc, ProblemKind::Bug); }

InFlightDiagnostic emitUnsupported(Operation *op, const llvm::Twine &text) {
  return emitOpErrorOfKind(op, ProblemKind::Unsupported, text);
}

InFlightDiagnostic emitBug(Operation *op, const llvm::Twine &text) {
  return emitOpErrorOfKind(op, ProblemKind::Bug, text);
}

InFlightDiagnostic emitError(Location loc, llvm::Error error) {
  ProblemKind kind = kindOf(error);
  return emitErrorOfKind(loc, kind) << llvm::toString(std::move(error));
}

InFlightDiagnostic emitOpError(Operation *op, llvm::Error error) {
  ProblemKind kind = kindOf(error);
  return emitOpErrorOfKind(op, kind, llvm::toString(std::move(error)));
}

ProblemKind kindOf(const Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() != DiagnosticSeverity::Error) {
    return ProblemKind::Warning;
  }
  auto fused = dyn_cast<FusedLoc>(diagnostic.getLocation());
  auto metadata = fused ? dyn_cast_or_null<StringAttr>(fused.getMetadata()) : StringAttr();
  for (const auto &[kind, name] : kMetadata) {
    if (metadata && metadata.getValue() == name) {
      return kind;
    }
  }
  return ProblemKind::Error;
}

} // namespace convoy
