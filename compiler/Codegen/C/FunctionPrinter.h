// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints a kernel, main or a worker as a C function. Loops and branches keep their structure.
// Each value is a variable or is printed at its use (Inlining.h). A value that a loop carries
// shares one variable with its next value, so accumulators stay in registers.

#pragma once

#include "Codegen/C/Helpers.h"
#include "Codegen/C/Inlining.h"
#include "Codegen/C/LaneGroups.h"
#include "Codegen/C/Options.h"
#include "Kernels/Kernel.h"
#include "Task/Custom.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <map>

namespace convoy::codegen {

/// The text of the constant at each offset of the weights.
using WeightNames = std::map<int64_t, std::string>;

class FunctionPrinter {
public:
  /// `weights` contains the constants that are arrays; other constants are at their offset of
  /// <model>_weights.
  FunctionPrinter(mlir::FunctionOpInterface function, const SourceOptions &options,
                  const WeightNames &weights, Helpers &helpers);

  /// Returns "static void net_conv_0(...)", without a semicolon.
  std::string signature();
  /// Returns the names of the parameters, in order.
  std::vector<std::string> argumentNames();
  /// Returns the function with its comment.
  std::string print();

private:
  /// The representation of a value in C.
  struct Place {
    enum class Kind {
      Text,     ///< A scalar or an address.
      Spread,   ///< A vector whose lanes are all this scalar.
      Variable, ///< A vector: a variable of vector type, or an array.
      Lane,     ///< The element in the current lane, inside a loop over lanes.
    };
    Kind kind = Kind::Text;
    std::string text;
  };

  // FunctionPrinter.cpp: the function itself, names and text.
  void bindArguments();
  std::string tensorName(unsigned index);
  std::optional<unsigned> arenaIndex(unsigned argument);
  bool mayMeet(mlir::BlockArgument argument);
  bool isParameter(mlir::BlockArgument argument);
  bool isFetchedByRows(mlir::BlockArgument argument);
  std::string comment();
  void line(const llvm::Twine &text);
  std::string fresh(char letter);
  std::string nameFor(mlir::Type type);

  // Values.cpp: values as text.
  const Place &place(mlir::Value value);
  Place placeOfConstant(mlir::Value value, mlir::Attribute constant);
  std::string table(mlir::DenseElementsAttr constant, mlir::VectorType type);
  /// A scalar or address as an operand of any expression.
  std::string text(mlir::Value value);
  /// A scalar or address that is not an operand of an expression.
  std::string bare(mlir::Value value);
  /// The whole vector; only with vector types.
  std::string whole(mlir::Value value);
  /// The element in lane `l`; for a mask, a truth value.
  std::string lane(mlir::Value value);
  std::string laneAt(mlir::Value value, llvm::StringRef index);
  std::string expression(mlir::Operation *op);
  std::string address(mlir::Value memory, mlir::ValueRange indices);
  std::string typeOf(mlir::Value value);
  std::string typeInMemory(mlir::Value value);
  bool isConst(mlir::Value memory);
  /// The address of a view.
  std::string viewText(mlir::memref::ViewOp view);

  // Statements.cpp: ops.
  void printBlock(mlir::Block &block);
  void printOp(mlir::Operation *op);
  void define(mlir::Operation *op, const std::string &value);
  bool isMissingOnTarget(mlir::Operation *op) const;
  void printArithmetic(mlir::Operation *op);
  void printMemory(mlir::Operation *op);
  void printRow(mlir::memref::SubViewOp row);
  void printVectorMemory(mlir::Operation *op);
  std::string laneMemory(mlir::Operation *op);
  void printLaneMemory(mlir::Operation *op);
  void printElement(mlir::Operation *op);
  void printShuffle(mlir::Operation *op);
  void printShuffleInMemory(mlir::Operation *op);
  void printBitCast(mlir::vector::BitCastOp cast);
  void printReduction(mlir::vector::ReductionOp reduction);
  void printCall(task::CallOp call);
  void printByteOp(kernels::ByteOpInterface op);
  void printTileOp(mlir::Operation *op);
  /// The call that waits for or posts a count.
  template <typename Op>
  std::string flagCall(llvm::StringRef function, Op op);
  void printTask(mlir::Operation *op);
  void printShare(task::ShareOp share);
  void printRounds(task::RoundsOp rounds);
  void printOffload(task::OffloadOp offload);
  void printFetch(task::FetchRowOp fetch);
  void printCustom(task::CallCustomOp call);

  // Lanes.cpp: loops over lanes.
  void openLanes(int64_t lanes, bool isParallel);
  void closeLanes();
  void printGroup(const LaneGroup &group);
  void printInLane(mlir::Operation *op, bool isLocal);
  std::string valueInLane(mlir::Operation *op);
  void printLoopOverLanes(mlir::Operation *op);

  // Control.cpp: loops and branches.
  void printFor(mlir::scf::ForOp loop);
  void printIf(mlir::scf::IfOp branch);
  void printSwitch(mlir::scf::IndexSwitchOp choice);
  void printWhile(mlir::scf::WhileOp loop);
  /// Prints the ops of a branch, then assigns its values to the variables of the results.
  void printBranch(mlir::Block &block, mlir::ValueRange results);
  bool canTakeVariable(mlir::OpOperand &init);
  /// Declares a variable for the value, with its first value if one statement is sufficient.
  void declare(mlir::Value value, mlir::Value first = {});
  /// Assigns values to variables as if all assignments were simultaneous.
  struct Move {
    std::string target;
    mlir::Value source;
  };
  void move(llvm::ArrayRef<Move> moves);
  void assign(llvm::ArrayRef<Move> moves);

  mlir::FunctionOpInterface function;
  task::KernelOp kernel; // null for main and workers
  const SourceOptions &options;
  const WeightNames &weights;
  Helpers &helpers;
  Inlining inlining;
  Flavor flavor;
  llvm::DenseMap<mlir::Value, Place> places;
  std::map<char, int> counters;
  std::string output;
  int depth = 0;
  int loops = 0;
};

} // namespace convoy::codegen
