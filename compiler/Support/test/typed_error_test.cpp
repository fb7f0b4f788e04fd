// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that errors and diagnostics keep their kind on the way to the user.

#include "Support/TypedDiagnostic.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

using namespace mlir;

namespace convoy {
namespace {

TEST(TypedError, KeepsItsKindWithAPrefix) {
  llvm::Error error = withPrefix("--data: ", createUnsupported("not supported: 'a.npy'"));
  EXPECT_EQ(kindOf(error), ProblemKind::Unsupported);
  EXPECT_EQ(llvm::toString(std::move(error)), "--data: not supported: 'a.npy'");
  error = withPrefix("step 2: ", createBug("item %d is missing", 7));
  EXPECT_EQ(kindOf(error), ProblemKind::Bug);
  EXPECT_EQ(llvm::toString(std::move(error)), "step 2: item 7 is missing");
}

TEST(TypedError, DerivesTheKindOfOtherErrorsFromTheirCode) {
  llvm::Error error = llvm::createStringError("this is a bug in convoy, says the user");
  EXPECT_EQ(kindOf(error), ProblemKind::Error);
  llvm::consumeError(std::move(error));
  error = llvm::createStringError(std::make_error_code(std::errc::not_enough_memory), "no memory");
  EXPECT_EQ(kindOf(error), ProblemKind::OutOfMemory);
  error = withPrefix("model: ", std::move(error));
  EXPECT_EQ(kindOf(error), ProblemKind::OutOfMemory);
  llvm::consumeError(std::move(error));
}

TEST(TypedError, JoinedErrorsAreABugIfOneIs) {
  llvm::Error error = llvm::joinErrors(createUnsupported("a"), llvm::createStringError("b"));
  EXPECT_EQ(kindOf(error), ProblemKind::Error);
  error = llvm::joinErrors(std::move(error), createBug("c"));
  EXPECT_EQ(kindOf(error), ProblemKind::Bug);
  llvm::consumeError(std::move(error));
  error = llvm::joinErrors(createUnsupported("a"), createUnsupported("b"));
  EXPECT_EQ(kindOf(error), ProblemKind::Unsupported);
  llvm::consumeError(std::move(error));
}

/// Returns the kind and the text of the diagnostic that a function emits.
std::pair<ProblemKind, std::string> emitted(llvm::function_ref<void(Operation *)> emit) {
  MLIRContext context;
  std::pair<ProblemKind, std::string> result;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { result = {kindOf(diagnostic), diagnostic.str()}; });
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  emit(*module);
  return result;
}

TEST(TypedDiagnostic, HasTheKindThatItWasEmittedWith) {
  using Found = std::pair<ProblemKind, std::string>;
  EXPECT_EQ(emitted([](Operation *op) { emitUnsupported(op, "has ") << 3; }),
            Found(ProblemKind::Unsupported, "'builtin.module' op has 3"));
  EXPECT_EQ(emitted([](Operation *op) { emitBug(op->getLoc()) << "lost"; }),
            Found(ProblemKind::Bug, "lost"));
  EXPECT_EQ(emitted([](Operation *op) { emitError(op->getLoc(), createBug("lost")); }),
            Found(ProblemKind::Bug, "lost"));
  EXPECT_EQ(emitted([](Operation *op) { op->emitOpError("not supported: this"); }),
            Found(ProblemKind::Error, "'builtin.module' op not supported: this"));
  EXPECT_EQ(emitted([](Operation *op) { op->emitWarning("slow"); }),
            Found(ProblemKind::Warning, "slow"));
}

} // namespace
} // namespace convoy
