// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints signatures and comments of functions. Arguments of kernels are x (read), y (written),
// scratch and the range. Arguments of main and of workers have the names of the tensors.

#include "Codegen/C/FunctionPrinter.h"
#include "Codegen/C/CTypes.h"
#include "Codegen/LLVM/CommentText.h"
#include "Graph/Attributes.h"
#include "Graph/NodeName.h"
#include "Memory/Attributes.h"
#include "Task/Task.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace convoy::codegen {
namespace {

/// Vector types need a power of two lanes. A function with any other vector uses loops.
bool hasOddVectors(func::FuncOp function) {
  WalkResult result = function.walk([](Operation *op) {
    for (Type type : op->getResultTypes()) {
      auto vector = dyn_cast<VectorType>(type);
      if (vector && !hasVectorType(vector)) {
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Returns whether the function gathers, scatters or masks lanes. With vector types, each lane
/// would be accessed separately; compilers vectorize such accesses in loops over lanes.
bool gathers(func::FuncOp function) {
  WalkResult result = function.walk([](Operation *op) {
    bool isSpread =
        isa<vector::GatherOp, vector::ScatterOp, vector::MaskedLoadOp, vector::MaskedStoreOp>(op);
    return isSpread ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// With long vectors, plain loops gain more in a gathering kernel than they lose elsewhere.
bool needsPlainLoops(func::FuncOp function, const targets::Target &target) {
  return hasOddVectors(function) || (target.hasScalarOperands && gathers(function));
}

bool isWritten(Value memory) {
  return llvm::any_of(memory.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<memref::ViewOp, memref::SubViewOp, memref::CastOp>(user)) {
      return isWritten(user->getResult(0));
    }
    if (isa<memref::StoreOp>(user)) {
      return use.getOperandNumber() == 1;
    }
    if (auto store = dyn_cast<vector::StoreOp>(user)) {
      return store.getBase() == memory;
    }
    if (auto select = dyn_cast<arith::SelectOp>(user)) {
      return isWritten(select.getResult());
    }
    if (auto offload = dyn_cast<task::OffloadOp>(user)) {
      return !llvm::is_contained(offload.getInputs(), memory);
    }
    if (auto fetch = dyn_cast<task::FetchRowOp>(user)) {
      return fetch.getSource() != memory;
    }
    if (isa<kernels::ByteOpInterface>(user)) {
      return hasEffect<MemoryEffects::Write>(user, memory);
    }
    return isa<vector::MaskedStoreOp, vector::ScatterOp, func::CallOp>(user) ||
           (isa<memref::CopyOp>(user) && use.getOperandNumber() == 1);
  });
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

FunctionPrinter::FunctionPrinter(func::FuncOp function, const SourceOptions &options,
                                 const WeightNames &weights, Helpers &helpers)
    : function(function), options(options), weights(weights), helpers(helpers), inlining(function),
      flavour(needsPlainLoops(function, options.target) ? Flavour::Plain : options.flavour),
      isKernel(task::isKernel(function)) {
  bindArguments();
}

void FunctionPrinter::bindArguments() {
  auto type = function->getAttrOfType<TypeAttr>(task::kTypeAttr);
  auto signature = type ? dyn_cast<FunctionType>(type.getValue()) : FunctionType();
  unsigned inputs = signature ? signature.getNumInputs() : 0;
  unsigned tensors = signature ? inputs + signature.getNumResults() : 0;
  unsigned last = function.getNumArguments() - 1;
  for (BlockArgument argument : function.getArguments()) {
    unsigned i = argument.getArgNumber();
    std::string name = isKernel ? "p" + std::to_string(i) : tensorName(i);
    if (isKernel && last >= 1 && i + 1 >= last && argument.getType().isIndex()) {
      name = i == last ? "end" : "begin";
    } else if (isKernel && i < tensors) {
      name = i < inputs ? "x" + std::to_string(i) : "y" + std::to_string(i - inputs);
    } else if (isKernel && signature) {
      name = i == tensors && function->hasAttr(task::kStatusAttr) ? "status" : "scratch";
      name = argument.getType().isIndex() ? fresh('s') : name; // the rows of a ring
    } else if (!isKernel && arenaIndex(i)) {
      name = arenaName(*arenaIndex(i));
    } else if (!isKernel && i == last) {
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
  if (!argument || argument.getOwner() != &function.getBody().front()) {
    return false;
  }
  // Arguments of a worker have no roles, but they are the arguments of main.
  auto main = isKernel ? function
                       : function->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>("main");
  std::optional<memory::Role> role = memory::roleOf(main, argument.getArgNumber());
  return role ? role == memory::Role::Input || role == memory::Role::Weights
              : isKernel && !isWritten(argument);
}

/// Returns whether other arguments may point to the same memory.
bool FunctionPrinter::mayMeet(BlockArgument argument) {
  auto isListed = [&](StringRef name) {
    auto arguments = function->getAttrOfType<DenseI64ArrayAttr>(name);
    return arguments && llvm::is_contained(arguments.asArrayRef(), argument.getArgNumber());
  };
  return !isKernel || isListed(task::kInPlaceAttr) || isListed(task::kOverlapsAttr);
}

/// The weights are constants of the file, and a tensor in the arena is at its offset.
bool FunctionPrinter::isParameter(BlockArgument argument) {
  if (isKernel) {
    return true;
  }
  auto main = function->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>("main");
  return argument.getArgNumber() + 1 != function.getNumArguments() &&
         !memory::arenaOffsetOf(main, argument.getArgNumber());
}

/// Returns whether the caller provides a function for the rows of an argument, and no memory.
bool FunctionPrinter::isSource(BlockArgument argument) {
  if (!isKernel) {
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
  result = (isKernel ? "CONVOY_KERNEL " : "static ") + result + " " + options.model + "_" +
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
      result += isSource(argument) ? options.model + "_rows *"
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
  auto nodes = function->getAttrOfType<LocationAttr>(task::kNodesAttr);
  std::string text = graph::nodeText(nodes ? Location(nodes) : function.getLoc());
  auto type = function->getAttrOfType<TypeAttr>(task::kTypeAttr);
  auto signature = type ? dyn_cast<FunctionType>(type.getValue()) : FunctionType();
  if (!isKernel || !signature) {
    return "";
  }
  std::string result = "/* " + commentText(text.empty() ? function.getName().str() : text) + "\n";
  auto row = [&](StringRef name, auto types) {
    for (auto [i, tensor] : llvm::enumerate(types)) {
      result +=
          (" *   " + name + llvm::Twine(i) + ": " + commentText(shapeText(tensor)) + "\n").str();
    }
  };
  row("x", signature.getInputs());
  row("y", signature.getResults());
  if (auto range = function->getAttrOfType<IntegerAttr>(task::kRangeAttr)) {
    result += " *   runs steps begin to end of " + std::to_string(range.getInt()) + "\n";
  }
  return result + " */\n";
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
  Block &body = function.getBody().front();
  printBlock(body);
  Operation *end = body.getTerminator();
  if (end->getNumOperands() == 1) {
    line("return " + bare(end->getOperand(0)) + ";");
  }
  return std::move(output) + "}\n";
}

} // namespace convoy::codegen
