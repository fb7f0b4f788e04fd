// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints signatures and comments of functions. Arguments of kernels are x (read), y (written),
// scratch and the range. Arguments of main and of workers have the names of the tensors.

#include "Codegen/C/FunctionPrinter.h"
#include "Codegen/C/CTypes.h"
#include "Codegen/LLVM/GeneratedText.h"
#include "Graph/Attributes.h"
#include "Graph/NodeName.h"
#include "Memory/Attributes.h"
#include "Task/Task.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace convoy::codegen {
namespace {

/// Returns whether the result is a vector of one lane that only reinterprets bits. It is printed as
/// a scalar.
bool isReinterpreted(Operation *op) {
  auto vector = dyn_cast<VectorType>(op->getResult(0).getType());
  if (!vector || vector.getNumElements() != 1) {
    return false;
  }
  return (isa<vector::BitCastOp>(op) &&
          llvm::all_of(op->getUsers(), [](Operation *u) { return isa<vector::ExtractOp>(u); })) ||
         (isa<vector::BroadcastOp>(op) &&
          llvm::all_of(op->getUsers(), [](Operation *u) { return isa<vector::BitCastOp>(u); }));
}

/// Vector types need a power of two lanes. A function with any other vector uses loops.
bool hasOddVectors(FunctionOpInterface function) {
  WalkResult result = function.walk([](Operation *op) {
    for (Type type : op->getResultTypes()) {
      auto vector = dyn_cast<VectorType>(type);
      if (vector && !hasVectorType(vector) && !isReinterpreted(op)) {
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Returns whether the function gathers, scatters or masks lanes. With vector types, each lane
/// would be accessed separately; compilers vectorize such accesses in loops over lanes.
bool gathers(FunctionOpInterface function) {
  WalkResult result = function.walk([](Operation *op) {
    bool isSpread =
        isa<vector::GatherOp, vector::ScatterOp, vector::MaskedLoadOp, vector::MaskedStoreOp>(op);
    return isSpread ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// With long vectors, plain loops gain more in a gathering kernel than they lose elsewhere.
bool needsPlainLoops(FunctionOpInterface function, const targets::Target &target) {
  return hasOddVectors(function) || (target.hasScalarOperands && gathers(function));
}

std::string arenaName(unsigned index) {
  return index == 0 ? "arena" : "arena_" + std::to_string(index);
}

std::string identifier(StringRef name) {
  std::string result;
  for (char c : name) {
    result += llvm::isAlnum(c) ? c : '_';
  }
  return result;
}

} // namespace

FunctionPrinter::FunctionPrinter(FunctionOpInterface function, const SourceOptions &options,
                                 const WeightNames &weights, Helpers &helpers)
    : function(function), kernel(dyn_cast<task::KernelOp>(*function)), options(options),
      weights(weights), helpers(helpers), inlining(function),
      flavor(needsPlainLoops(function, options.target) ? Flavor::Plain : options.flavor) {
  bindArguments();
}

void FunctionPrinter::bindArguments() {
  FunctionType signature = kernel ? kernel.getTensors().value_or(FunctionType()) : FunctionType();
  unsigned inputs = signature ? signature.getNumInputs() : 0;
  unsigned tensors = signature ? inputs + signature.getNumResults() : 0;
  unsigned last = function.getNumArguments() - 1;
  for (BlockArgument argument : function.getArguments()) {
    unsigned i = argument.getArgNumber();
    std::string name = kernel ? "p" + std::to_string(i) : tensorName(i);
    if (kernel && i + 1 >= last) {
      name = i == last ? "end" : "begin";
    } else if (kernel && i < tensors) {
      name = i < inputs ? "x" + std::to_string(i) : "y" + std::to_string(i - inputs);
    } else if (kernel && signature) {
      name = i == tensors && kernel.getMayFail() ? "status" : "scratch";
      name = argument.getType().isIndex() ? fresh('s') : name; // the rows of a ring
    } else if (!kernel && arenaIndex(i)) {
      name = arenaName(*arenaIndex(i));
    } else if (!kernel && i == last) {
      name = "weights";
    }
    places[argument] = {Place::Kind::Text, name};
  }
}

/// Returns the number of the arena that an argument of main or of a worker is; nullopt if none.
std::optional<unsigned> FunctionPrinter::arenaIndex(unsigned argument) {
  auto main = function->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>("main");
  std::optional<unsigned> first = memory::arenaArgument(main);
  bool isArena = first && memory::roleOf(main, argument) == memory::Role::Arena;
  return isArena ? std::optional(argument - *first) : std::nullopt;
}

/// Returns the name of an argument of main or of a worker, for example "in0_data".
std::string FunctionPrinter::tensorName(unsigned index) {
  constexpr size_t kLongestName = 32;
  auto main = function->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>("main");
  std::optional<memory::Role> role = memory::roleOf(main, index);
  StringAttr name = graph::argumentName(main, index);
  if (!role || !name) {
    return "p" + std::to_string(index);
  }
  return (role == memory::Role::Input ? "in" : "out") + std::to_string(index) + "_" +
         identifier(name.getValue()).substr(0, kLongestName);
}

bool FunctionPrinter::isConst(Value memory) {
  if (isa_and_nonnull<memref::ViewOp, memref::SubViewOp, memref::CastOp>(memory.getDefiningOp())) {
    return isConst(memory.getDefiningOp()->getOperand(0));
  }
  auto argument = dyn_cast<BlockArgument>(memory);
  if (!argument || argument.getOwner() != &function.getFunctionBody().front()) {
    return false;
  }
  if (kernel) {
    return argument.getArgNumber() < kernel.getNumMemories() &&
           !kernel.mayWrite(argument.getArgNumber());
  }
  // Arguments of a worker have no roles, but they are the arguments of main.
  auto main = function->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>("main");
  std::optional<memory::Role> role = memory::roleOf(main, argument.getArgNumber());
  return role == memory::Role::Input || role == memory::Role::Weights;
}

/// Returns whether other arguments may point to the same memory.
bool FunctionPrinter::mayMeet(BlockArgument argument) {
  unsigned number = argument.getArgNumber();
  return !kernel || kernel.isInPlace(number) || kernel.isOverlapping(number);
}

/// The weights are constants of the file, and a tensor in the arena is at its offset.
bool FunctionPrinter::isParameter(BlockArgument argument) {
  if (kernel) {
    return true;
  }
  auto main = function->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>("main");
  return argument.getArgNumber() + 1 != function.getNumArguments() &&
         !memory::arenaOffsetOf(main, argument.getArgNumber());
}

/// Returns whether the caller provides a function for the rows of an argument, and no memory.
bool FunctionPrinter::isFetchedByRows(BlockArgument argument) {
  if (!kernel) {
    auto main = function->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>("main");
    return memory::inputRowsOf(main, argument.getArgNumber()).has_value();
  }
  return llvm::any_of(argument.getUsers(), [&](Operation *user) {
    auto fetch = dyn_cast<task::FetchRowOp>(user);
    return fetch && fetch.getSource() == argument;
  });
}

std::string FunctionPrinter::signature() {
  std::string result = function.getNumResults() == 0 ? "void" : "uint32_t";
  result = (kernel ? "CONVOY_KERNEL " : "static ") + result + " " + options.model + "_" +
           identifier(function.getName()) + "(";
  StringRef separator = "";
  for (BlockArgument argument : function.getArguments()) {
    auto memory = dyn_cast<MemRefType>(argument.getType());
    if (!isParameter(argument)) {
      continue;
    }
    result += separator;
    separator = ", ";
    if (!memory) {
      result += scalarType(scalarKey(argument.getType())) + " ";
    } else {
      result += isConst(argument) ? "const " : "";
      result += isFetchedByRows(argument) ? options.model + "_rows *"
                                          : scalarType(scalarKey(memory.getElementType())) + " *";
      result += mayMeet(argument) ? "" : "restrict ";
    }
    result += places[argument].text;
  }
  return result + ")";
}

std::vector<std::string> FunctionPrinter::argumentNames() {
  std::vector<std::string> names;
  for (BlockArgument argument : function.getArguments()) {
    if (isParameter(argument)) {
      names.push_back(places[argument].text);
    }
  }
  return names;
}

std::string FunctionPrinter::comment() {
  FunctionType signature = kernel ? kernel.getTensors().value_or(FunctionType()) : FunctionType();
  if (!signature) {
    return "";
  }
  LocationAttr nodes = kernel.getNodesAttr();
  std::string text = graph::nodeText(nodes ? Location(nodes) : kernel.getLoc());
  std::string result = "/* " + commentText(text.empty() ? function.getName().str() : text) + "\n";
  auto row = [&](StringRef name, auto types) {
    for (auto [i, tensor] : llvm::enumerate(types)) {
      result +=
          (" *   " + name + llvm::Twine(i) + ": " + commentText(shapeText(tensor)) + "\n").str();
    }
  };
  row("x", signature.getInputs());
  row("y", signature.getResults());
  return result + " *   runs steps begin to end of " + std::to_string(*kernel.getRange()) +
         "\n */\n";
}

/// Breaks long lines after a comma or before an operator.
void FunctionPrinter::line(const llvm::Twine &text) {
  constexpr size_t kColumns = 100;
  std::string indent(static_cast<size_t>(depth) * 2, ' ');
  std::string rest = indent + text.str();
  bool isComment = StringRef(rest).contains("/*");
  while (rest.size() > kColumns && !isComment) {
    size_t at = std::string::npos;
    for (StringRef mark : {", ", " + ", " = ", " | ", " ? ", " : "}) {
      size_t found = rest.rfind(mark.str(), kColumns - 2);
      bool isLater = found != std::string::npos && found > indent.size() + 4 &&
                     (at == std::string::npos || found > at);
      at = isLater ? found + (mark.front() == ',' ? 1 : 0) : at;
    }
    if (at == std::string::npos) {
      break;
    }
    output += rest.substr(0, at) + "\n";
    rest = indent + "    " + rest.substr(at + 1);
  }
  output += rest + "\n";
}

std::string FunctionPrinter::fresh(char letter) {
  return letter + std::to_string(counters[letter]++);
}

std::string FunctionPrinter::nameFor(Type type) {
  if (isa<VectorType>(type)) {
    return fresh('v');
  }
  std::string key = isa<MemRefType>(type) ? "t" : scalarKey(type);
  return fresh(key == "index" ? 'n' : key == "bool" ? 'b' : key[0]);
}

std::string FunctionPrinter::print() {
  output = comment();
  line(signature() + " {");
  depth = 1;
  for (BlockArgument argument : function.getArguments()) {
    if (argument.use_empty() && isParameter(argument)) {
      line("(void)" + places[argument].text + ";");
    }
  }
  Block &body = function.getFunctionBody().front();
  printBlock(body);
  Operation *end = body.getTerminator();
  if (end->getNumOperands() == 1) {
    line("return " + bare(end->getOperand(0)) + ";");
  }
  return std::move(output) + "}\n";
}

} // namespace convoy::codegen
