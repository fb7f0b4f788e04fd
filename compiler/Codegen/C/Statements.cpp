// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints ops outside loops over lanes as statements. Contract.cpp has rejected all other ops.

#include "Codegen/C/CTypes.h"
#include "Codegen/C/Expressions.h"
#include "Codegen/C/FunctionPrinter.h"
#include "Codegen/LLVM/GeneratedText.h"
#include "Graph/NodeName.h"
#include "Task/Team.h"
#include "convoy/convoy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace convoy::codegen {

void FunctionPrinter::printBlock(Block &block) {
  if (flavor == Flavor::Plain) {
    for (const LaneGroup &group : groupLanes(block, inlining)) {
      group.lanes > 0 ? printGroup(group) : printOp(group.ops.front());
    }
    return;
  }
  for (Operation &op : block) {
    if (!inlining.isInlined(&op) && !op.hasTrait<OpTrait::IsTerminator>()) {
      printOp(&op);
    }
  }
}

void FunctionPrinter::printOp(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](scf::ForOp loop) { printFor(loop); })
      .Case([&](scf::IfOp branch) { printIf(branch); })
      .Case([&](scf::IndexSwitchOp choice) { printSwitch(choice); })
      .Case([&](scf::WhileOp loop) { printWhile(loop); })
      .Case([&](task::CallOp call) { printCall(call); })
      .Case<memref::LoadOp, memref::StoreOp, memref::ViewOp, memref::SubViewOp, memref::CastOp,
            memref::CopyOp, memref::PrefetchOp, memref::AllocaOp>(
          [&](Operation *memory) { printMemory(memory); })
      .Case<vector::LoadOp, vector::StoreOp>([&](Operation *memory) { printVectorMemory(memory); })
      .Case<vector::MaskedLoadOp, vector::MaskedStoreOp, vector::GatherOp, vector::ScatterOp>(
          [&](Operation *memory) { printLaneMemory(memory); })
      .Case<vector::ExtractOp, vector::InsertOp, vector::ExtractElementOp, vector::InsertElementOp>(
          [&](Operation *element) { printElement(element); })
      .Case<vector::ShuffleOp, vector::InterleaveOp>([&](Operation *s) { printShuffle(s); })
      .Case([&](vector::BitCastOp cast) { printBitCast(cast); })
      .Case([&](vector::ReductionOp reduction) { printReduction(reduction); })
      .Case([&](kernels::ByteOpInterface bytes) { printByteOp(bytes); })
      .Case<memref::ExtractAlignedPointerAsIndexOp, LLVM::ConstantOp, LLVM::IntToPtrOp,
            LLVM::CallIntrinsicOp>([&](Operation *tile) { printTileOp(tile); })
      .Case([&](task::ShareOp share) { printShare(share); })
      .Case([&](task::RoundsOp rounds) { printRounds(rounds); })
      .Case([&](task::OffloadOp offload) { printOffload(offload); })
      .Case([&](task::FetchRowOp fetch) { printFetch(fetch); })
      .Case([&](task::CallCustomOp call) { printCustom(call); })
      .Case<task::ParallelOp, task::PowerOp, task::WaitOp, task::PostOp, task::TeamWaitOp,
            task::TeamPostOp>([&](Operation *t) { printTask(t); })
      .Case([](task::TeamRenewOp) {}) // the parts of shares are fixed and have no words
      .Default([&](Operation *other) { printArithmetic(other); });
}

/// Prints a new constant, or an assignment of the next value to a loop's variable.
void FunctionPrinter::define(Operation *op, const std::string &value) {
  Value result = op->getResult(0);
  if (BlockArgument argument = inlining.replaced(op->getOpResult(0))) {
    Place taken = place(argument);
    places[result] = taken;
    line(taken.text + " = " + value + ";");
    return;
  }
  bool isVector = isa<VectorType>(result.getType());
  std::string type = typeOf(result);
  std::string name = nameFor(result.getType());
  if (isa<MemRefType>(result.getType())) {
    line(type + "const " + name + " = " + value + ";");
  } else {
    line("const " + type + " " + name + " = " + value + ";");
  }
  places[result] = {isVector ? Place::Kind::Variable : Place::Kind::Text, name};
}

/// clang cannot compile these ops for NEC's vector engine.
bool FunctionPrinter::isMissingOnTarget(Operation *op) const {
  return StringRef(options.target.triple).starts_with("ve-") &&
         isa<arith::CmpFOp, arith::CmpIOp, arith::SelectOp, arith::MaximumFOp, arith::MinimumFOp,
             arith::ExtFOp, arith::TruncFOp, vector::ShuffleOp, vector::InterleaveOp>(op);
}

void FunctionPrinter::printArithmetic(Operation *op) {
  Type type = op->getResult(0).getType();
  if (isa<MemRefType>(type)) { // arith.select of addresses
    define(op, text(op->getOperand(0)) + " ? " + text(op->getOperand(1)) + " : " +
                   text(op->getOperand(2)));
    return;
  }
  if (!isa<VectorType>(type)) {
    define(op, expression(op));
    return;
  }
  SmallVector<std::string> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(isa<VectorType>(operand.getType()) ? whole(operand) : text(operand));
  }
  std::string value = isMissingOnTarget(op) ? "" : vectorExpression(op, operands, helpers);
  if (value.empty()) {
    printLoopOverLanes(op);
  } else {
    define(op, value);
  }
}

void FunctionPrinter::printMemory(Operation *op) {
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    std::string index = load.getIndices().empty() ? "0" : bare(load.getIndices()[0]);
    define(op, text(load.getMemref()) + "[" + index + "]");
  } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
    std::string index = store.getIndices().empty() ? "0" : bare(store.getIndices()[0]);
    line(text(store.getMemref()) + "[" + index + "] = " + bare(store.getValue()) + ";");
  } else if (auto view = dyn_cast<memref::ViewOp>(op)) {
    if (kernel) {
      define(op, viewText(view));
    } else {
      std::string address = viewText(view);
      places[view.getResult()] = {Place::Kind::Text, address};
    }
  } else if (auto row = dyn_cast<memref::SubViewOp>(op)) {
    printRow(row);
  } else if (auto retyped = dyn_cast<memref::CastOp>(op)) {
    std::string same = text(retyped.getSource());
    places[retyped.getResult()] = {Place::Kind::Text, same};
  } else if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    auto type = cast<MemRefType>(copy.getSource().getType());
    // memmove, because a value may be copied onto itself in the arena.
    line("memmove(" + text(copy.getTarget()) + ", " + text(copy.getSource()) + ", (size_t)" +
         llvm::Twine(type.getNumElements()) + " * sizeof(" +
         scalarType(scalarKey(type.getElementType())) + "));");
  } else if (auto prefetch = dyn_cast<memref::PrefetchOp>(op)) {
    line("CONVOY_PREFETCH(" + address(prefetch.getMemref(), prefetch.getIndices()) + ", " +
         (prefetch.getIsWrite() ? "1" : "0") + ", " + llvm::Twine(prefetch.getLocalityHint()) +
         ");");
  } else if (auto alloca = dyn_cast<memref::AllocaOp>(op)) {
    MemRefType type = alloca.getType();
    std::string name = fresh('t');
    line("_Alignas(64) " + scalarType(scalarKey(type.getElementType())) + " " + name + "[" +
         llvm::Twine(type.getNumElements()) + "];");
    places[alloca.getResult()] = {Place::Kind::Text, name};
  }
}

/// Prints the address of a row.
void FunctionPrinter::printRow(memref::SubViewOp row) {
  OpFoldResult offset = row.getMixedOffsets().front();
  std::string start = text(row.getSource());
  if (auto fixed = dyn_cast<Attribute>(offset)) {
    int64_t elements = cast<IntegerAttr>(fixed).getInt();
    start += elements == 0 ? "" : " + " + std::to_string(elements);
  } else {
    start = address(row.getSource(), cast<Value>(offset));
  }
  std::string name = fresh('r');
  line(typeOf(row.getResult()) + "const " + name + " = " + start + ";");
  places[row.getResult()] = {Place::Kind::Text, name};
}

void FunctionPrinter::printVectorMemory(Operation *op) {
  if (auto load = dyn_cast<vector::LoadOp>(op)) {
    define(op, "*(const " + typeInMemory(load.getResult()) + " *)(" +
                   address(load.getBase(), load.getIndices()) + ")");
    return;
  }
  auto store = cast<vector::StoreOp>(op);
  line("*(" + typeInMemory(store.getValueToStore()) + " *)(" +
       address(store.getBase(), store.getIndices()) + ") = " + whole(store.getValueToStore()) +
       ";");
}

/// Returns the macro call of a gather, a masked load or a masked store, or nothing if it has no
/// macro.
std::string FunctionPrinter::laneMemory(Operation *op) {
  auto gather = dyn_cast<vector::GatherOp>(op);
  auto load = dyn_cast<vector::MaskedLoadOp>(op);
  auto store = dyn_cast<vector::MaskedStoreOp>(op);
  bool hasIndices = gather && gather.getIndexVectorType().getElementType().isIndex();
  if (!hasIndices && !load && !store) {
    return "";
  }
  VectorType type = store ? store.getVectorType() : cast<VectorType>(op->getResult(0).getType());
  std::string key = scalarKey(type.getElementType());
  int64_t lanes = type.getNumElements();
  if (!Helpers::hasLaneMemory(key, lanes)) {
    return "";
  }
  auto call = [&](StringRef name, ArrayRef<std::string> arguments) {
    return helpers.laneMemory(name, key, lanes) + "(" + helpers.vector(key, lanes) + ", " +
           llvm::join(arguments, ", ") + ")";
  };
  if (load) {
    return call("load_if", {address(load.getBase(), load.getIndices()), whole(load.getMask()),
                            whole(load.getPassThru())});
  }
  if (store) {
    return call("store_if", {address(store.getBase(), store.getIndices()), whole(store.getMask()),
                             whole(store.getValueToStore())});
  }
  return call("gather",
              {helpers.vector("index", lanes), address(gather.getBase(), gather.getIndices()),
               whole(gather.getIndexVec()), whole(gather.getMask()), whole(gather.getPassThru())});
}

void FunctionPrinter::printLaneMemory(Operation *op) {
  std::string text = laneMemory(op);
  if (text.empty()) {
    printLoopOverLanes(op);
  } else if (op->getNumResults() == 0) {
    line(text + ";");
  } else {
    define(op, text);
  }
}

void FunctionPrinter::printElement(Operation *op) {
  auto position = [&](ArrayRef<int64_t> fixed, Value dynamic) {
    return dynamic ? bare(dynamic) : std::to_string(fixed.empty() ? 0 : fixed[0]);
  };
  if (auto extract = dyn_cast<vector::ExtractOp>(op)) {
    Value dynamic =
        extract.getDynamicPosition().empty() ? Value() : extract.getDynamicPosition()[0];
    define(op, laneAt(extract.getVector(), position(extract.getStaticPosition(), dynamic)));
    return;
  }
  if (auto extract = dyn_cast<vector::ExtractElementOp>(op)) {
    define(op, laneAt(extract.getVector(), position({}, extract.getPosition())));
    return;
  }
  auto insert = dyn_cast<vector::InsertOp>(op);
  auto insertElement = dyn_cast<vector::InsertElementOp>(op);
  Value scalar = insert ? insert.getSource() : insertElement.getSource();
  Value target = insert ? insert.getDest() : insertElement.getDest();
  Value dynamic = insertElement                         ? insertElement.getPosition()
                  : insert.getDynamicPosition().empty() ? Value()
                                                        : insert.getDynamicPosition()[0];
  std::string at = position(insert ? insert.getStaticPosition() : ArrayRef<int64_t>(), dynamic);
  // The vector may be overwritten if this is its last use, as in a sequence of insertions.
  bool isTaken = target.hasOneUse() && target.getDefiningOp() &&
                 isa<vector::InsertOp, vector::InsertElementOp>(target.getDefiningOp()) &&
                 target.getParentBlock() == op->getBlock();
  if (isTaken) {
    Place taken = place(target);
    places[op->getResult(0)] = taken;
  } else {
    declare(op->getResult(0));
    assign({{places[op->getResult(0)].text, target}});
  }
  bool isMask = scalar.getType().isInteger(1) && flavor == Flavor::Vectors;
  line(places[op->getResult(0)].text + "[" + at +
       "] = " + (isMask ? text(scalar) + " ? -1 : 0" : bare(scalar)) + ";");
}

void FunctionPrinter::printShuffle(Operation *op) {
  if (flavor == Flavor::Vectors) {
    isMissingOnTarget(op) ? printShuffleInMemory(op) : printArithmetic(op);
    return;
  }
  declare(op->getResult(0));
  std::string name = places[op->getResult(0)].text;
  int64_t first = cast<VectorType>(op->getOperand(0).getType()).getNumElements();
  for (auto [i, from] : llvm::enumerate(shuffledLanes(op))) {
    Value source = op->getOperand(from < first ? 0 : 1);
    std::string element = std::to_string(from < first ? from : from - first);
    line(name + "[" + llvm::Twine(i) + "] = " + laneAt(source, element) + ";");
  }
}

/// Shuffles through arrays and looks up the lanes at run time, which compilers do not split.
void FunctionPrinter::printShuffleInMemory(Operation *op) {
  declare(op->getResult(0));
  std::string name = places[op->getResult(0)].text;
  SmallVector<int64_t> lanes = shuffledLanes(op);
  std::string count = std::to_string(lanes.size());
  auto source = cast<VectorType>(op->getOperand(0).getType());
  std::string element = scalarType(scalarKey(source.getElementType()));
  std::string order;
  for (int64_t lane : lanes) {
    order += (order.empty() ? "" : ", ") + std::to_string(lane);
  }
  line("{");
  line("  static const uint16_t order[" + count + "] = {" + order + "};");
  std::string first = std::to_string(source.getNumElements());
  line("  " + element + " from[2 * " + first + "];");
  line("  " + element + " to[" + count + "];");
  line("  memcpy(from, &" + text(op->getOperand(0)) + ", sizeof from / 2);");
  line("  memcpy(from + " + first + ", &" + text(op->getOperand(1)) + ", sizeof from / 2);");
  line("  for (ptrdiff_t lane = 0; lane < " + count + "; ++lane) {");
  line("    to[lane] = from[order[lane]];");
  line("  }");
  line("  memcpy(&" + name + ", to, sizeof to);");
  line("}");
}

/// Prints vectors of one lane as scalars. The bits of arrays and scalars are copied, which
/// compilers do in registers.
void FunctionPrinter::printBitCast(vector::BitCastOp cast) {
  auto isVariable = [&](VectorType type) {
    return flavor == Flavor::Vectors && type.getNumElements() > 1;
  };
  VectorType from = cast.getSourceVectorType();
  VectorType to = cast.getResultVectorType();
  if (isVariable(from) && isVariable(to)) {
    printArithmetic(cast);
    return;
  }
  bool isNamed = isVariable(from) && place(cast.getSource()).kind == Place::Kind::Variable;
  std::string source = isNamed ? text(cast.getSource()) : fresh('c');
  if (!isNamed) {
    std::string element = scalarType(scalarKey(from.getElementType()));
    line(element + " " + source + "[" + llvm::Twine(from.getNumElements()) + "];");
    openLanes(from.getNumElements(), /*isParallel=*/false);
    line(source + "[l] = " + lane(cast.getSource()) + ";");
    closeLanes();
  }
  std::string name = nameFor(cast.getType());
  bool isScalar = flavor == Flavor::Vectors && !isVariable(to);
  std::string count = std::to_string(to.getNumElements());
  std::string type = flavor == Flavor::Vectors && !isScalar
                         ? typeOf(cast)
                         : scalarType(scalarKey(to.getElementType()));
  line(type + " " + name + (flavor == Flavor::Plain ? "[" + count + "]" : "") + ";");
  line("memcpy(&" + name + ", &" + source + ", sizeof " + name + ");");
  places[cast.getResult()] = {isScalar ? Place::Kind::Spread : Place::Kind::Variable, name};
}

void FunctionPrinter::printReduction(vector::ReductionOp reduction) {
  Value vector = reduction.getVector();
  std::string name = nameFor(reduction.getType());
  line(typeOf(reduction.getResult()) + " " + name + " = 0;");
  openLanes(cast<VectorType>(vector.getType()).getNumElements(), /*isParallel=*/false);
  line(name + " += " + lane(vector) + ";");
  closeLanes();
  places[reduction.getResult()] = {Place::Kind::Text, name};
}

void FunctionPrinter::printCall(task::CallOp call) {
  std::string node = graph::nodeText(call.getLoc());
  if (!node.empty()) {
    line("/* " + commentText(node) + " */");
  }
  std::string text = options.model + "_" + call.getKernel().str() + "(";
  for (auto [i, operand] : llvm::enumerate(call.getOperands())) {
    text += (i == 0 ? "" : ", ") + bare(operand);
  }
  std::string layer = std::to_string(helpers.layer(call.getKernel().str() + " " + node));
  line("CONVOY_LAYER_BEGIN(" + layer + ")");
  line(text + ");");
  line("CONVOY_LAYER_END(" + layer + ")");
}

/// Prints a call of the function of the op: addresses and other operands, then numbers.
void FunctionPrinter::printByteOp(kernels::ByteOpInterface op) {
  SmallVector<std::string> arguments;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    Value operand = op->getOperand(i);
    if (isa<MemRefType>(operand.getType())) {
      arguments.push_back(address(operand, op->getOperand(++i)));
    } else {
      arguments.push_back(bare(operand));
    }
  }
  for (int64_t number : op.numbers()) {
    arguments.push_back(std::to_string(number));
  }
  line(helpers.byteFunction(op.functionName()) + "(" + llvm::join(arguments, ", ") + ");");
}

/// Prints a call of a macro on tile registers. Addresses are integers, and registers are numbers.
void FunctionPrinter::printTileOp(Operation *op) {
  if (auto address = dyn_cast<memref::ExtractAlignedPointerAsIndexOp>(op)) {
    define(op, "(ptrdiff_t)(uintptr_t)" + text(address.getSource()));
    return;
  }
  if (auto constant = dyn_cast<LLVM::ConstantOp>(op)) {
    int64_t number = cast<IntegerAttr>(constant.getValue()).getInt();
    places[constant.getResult()] = {Place::Kind::Text, std::to_string(number)};
    return;
  }
  if (auto pointer = dyn_cast<LLVM::IntToPtrOp>(op)) {
    std::string address = text(pointer.getArg());
    places[pointer.getResult()] = {Place::Kind::Text, address};
    return;
  }
  auto intrinsic = cast<LLVM::CallIntrinsicOp>(op);
  SmallVector<std::string> arguments;
  for (Value operand : intrinsic->getOperands()) {
    arguments.push_back(text(operand));
  }
  helpers.tiles();
  line(tileMacro(intrinsic.getIntrin()) + "(" + llvm::join(arguments, ", ") + ");");
}

/// Prints only the part of this worker. It takes no steps of other workers, so that the work
/// of each core is known before it runs. Ops that need a part wait for its worker.
void FunctionPrinter::printShare(task::ShareOp share) {
  Block &body = share.getBody().front();
  auto bound = [&](uint64_t part) {
    return std::to_string(share.getRange() * part / share.getParts());
  };
  places[body.getArgument(0)] = {Place::Kind::Text, bound(share.getPart())};
  places[body.getArgument(1)] = {Place::Kind::Text, bound(share.getPart() + 1)};
  printBlock(body);
}

/// Prints a loop over the rounds. After each round the worker posts the number of rounds that it
/// has done, and waits until all other workers have posted this number.
void FunctionPrinter::printRounds(task::RoundsOp rounds) {
  Block &body = rounds.getBody().front();
  std::string i = "i" + std::to_string(loops++);
  auto own = static_cast<int64_t>(rounds.getPart());
  auto step = [&](int64_t part) {
    return i + " * " + std::to_string(rounds.getRange()) + " + " +
           std::to_string(rounds.getFirstStep(part));
  };
  auto callFlag = [&](llvm::StringRef function, int64_t part) {
    int64_t element = static_cast<int64_t>(rounds.getWord()) + part * task::kFlagElems;
    line(options.model + function.str() + "(" + text(rounds.getFlags()) + " + " +
         std::to_string(element) + ", (uint32_t)" + i + " + 1u);");
  };
  line("for (ptrdiff_t " + i + " = 0; " + i + " < " + std::to_string(rounds.getRounds()) + "; ++" +
       i + ") {");
  ++depth;
  places[body.getArgument(0)] = {Place::Kind::Text, step(own)};
  places[body.getArgument(1)] = {Place::Kind::Text, step(own + 1)};
  printBlock(body);
  callFlag("_post", own);
  for (int64_t part = 0; part < static_cast<int64_t>(rounds.getParts()); ++part) {
    if (part != own) {
      callFlag("_wait", part);
    }
  }
  --depth;
  --loops;
  line("}");
}

/// Prints a call of the runtime with the addresses of the operands in two arrays.
void FunctionPrinter::printOffload(task::OffloadOp offload) {
  auto list = [&](ValueRange memory) {
    std::string addresses;
    for (Value address : memory) {
      addresses += (addresses.empty() ? "" : ", ") + text(address);
    }
    return addresses.empty() ? "NULL" : addresses;
  };
  line("const void *inputs[] = {" + list(offload.getInputs()) + "};");
  line("void *outputs[] = {" + list(offload.getOutputs()) + "};");
  line("int code = convoy_run_program(&" + options.model + "_programs[" +
       llvm::Twine(offload.getProgram()) + "], inputs, outputs);");
  line("if (code != 0) {");
  line("  *" + text(offload.getStatus()) + " = (uint32_t)code;");
  line("}");
  for (BlockArgument argument : function.getArguments()) {
    if (argument.use_empty()) {
      line("(void)" + places[argument].text + ";");
    }
  }
}

/// Prints a call of the caller's function, unless an earlier call failed.
void FunctionPrinter::printFetch(task::FetchRowOp fetch) {
  std::string source = text(fetch.getSource());
  std::string status = "*" + text(fetch.getStatus());
  line("if (" + status + " == 0u && " + source + "->read(" + source + "->context, (uint32_t)" +
       text(fetch.getRow()) + ", " + text(fetch.getTarget()) + ") != 0) {");
  line("  " + status + " = " + std::to_string(CONVOY_ERROR_ROW) + "u;");
  line("}");
}

template <typename Op>
std::string FunctionPrinter::flagCall(StringRef function, Op op) {
  std::string count = std::to_string(op.getCount()) + "u";
  if constexpr (std::is_same_v<Op, task::TeamWaitOp> || std::is_same_v<Op, task::TeamPostOp>) {
    count = text(op.getBase()) + " + " + count;
  }
  return options.model + function.str() + "(" + text(op.getFlags()) + " + " +
         std::to_string(op.getWorker() * task::kFlagElems) + ", " + count + ");";
}

void FunctionPrinter::printTask(Operation *op) {
  if (auto wait = dyn_cast<task::WaitOp>(op)) {
    line(flagCall("_wait", wait));
  } else if (auto post = dyn_cast<task::PostOp>(op)) {
    line(flagCall("_post", post));
  } else if (auto teamWait = dyn_cast<task::TeamWaitOp>(op)) {
    line(flagCall("_wait", teamWait));
  } else if (auto teamPost = dyn_cast<task::TeamPostOp>(op)) {
    line(flagCall("_post", teamPost));
  } else if (auto power = dyn_cast<task::PowerOp>(op)) {
    line("CONVOY_FV(" + llvm::Twine(power.getWorker()) + ", " + power.getState() + ");");
  } else {
    auto parallel = cast<task::ParallelOp>(op);
    std::string call = options.model + "_parallel(" + text(parallel.getFlags());
    for (Value input : parallel.getInputs().drop_back()) { // not the weights
      call += ", " + text(input);
    }
    define(op, call + ")");
  }
}

StringRef tileMacro(StringRef intrinsic) {
  return llvm::StringSwitch<StringRef>(intrinsic)
      .Case("llvm.x86.ldtilecfg", "CONVOY_TILES_BEGIN")
      .Case("llvm.x86.tilerelease", "CONVOY_TILES_END")
      .Case("llvm.x86.tilezero", "CONVOY_TILE_ZERO")
      .Case("llvm.x86.tileloadd64", "CONVOY_TILE_LOAD")
      .Case("llvm.x86.tilestored64", "CONVOY_TILE_STORE")
      .Case("llvm.x86.tdpbusd", "CONVOY_TILE_DOT_US")
      .Default("");
}

} // namespace convoy::codegen
