// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the calls of @main in order. A call that writes a part of the arena begins a tensor. The
// tensor ends with the last call that reads any of its bytes before another layer writes them.
//
//   call @a(%in, %view0)     writes 0..99:      tensor a begins
//   call @b(%view0, %view1)  reads 0..99:       a is in use until here; b begins
//   call @c(%view1, %view2)  writes 40..119:    c begins
//
// Calls in one loop interleave, so each tensor that a loop uses is in use during the whole loop.

#include "timing/MemoryMap.h"
#include "Graph/Attributes.h"
#include "Graph/NodeName.h"
#include "Kernels/Passes.h"
#include "Memory/Attributes.h"
#include "Support/ElementType.h"
#include "Task/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "timing/Work.h"
#include <set>

using namespace mlir;

namespace convoy::timing {
namespace {

using memory::Role;

/// A range of bytes of an argument of @main.
struct Bytes {
  Role role;
  int64_t offset, count;

  bool overlaps(const report::MicroTensor &tensor) const {
    return offset < tensor.offset + tensor.bytes && tensor.offset < offset + count;
  }
};

int64_t byteCount(MemRefType type) {
  int64_t elementBytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  return type.hasStaticShape() ? type.getNumElements() * elementBytes : 0;
}

/// Returns the type of a lowered kernel on tensors; null if it is unknown.
FunctionType typeOf(task::KernelOp kernel) { return kernel.getTensors().value_or(FunctionType()); }

/// Returns the rows of an image that is an operand or a result; 0 for another tensor.
int64_t rowsOf(task::KernelOp kernel, size_t operand) {
  FunctionType function = typeOf(kernel);
  SmallVector<Type> tensors;
  if (function) {
    llvm::append_range(tensors, function.getInputs());
    llvm::append_range(tensors, function.getResults());
  }
  auto image =
      operand < tensors.size() ? dyn_cast<RankedTensorType>(tensors[operand]) : RankedTensorType();
  return image && image.getRank() == 4 ? image.getDimSize(2) : 0;
}

class MapReader {
public:
  explicit MapReader(func::FuncOp main) : main(main) {}

  MemoryMap read() {
    for (unsigned i = 0; i < main.getNumArguments(); ++i) {
      auto type = dyn_cast<MemRefType>(main.getArgument(i).getType());
      bool isOutside = !memory::arenaOffsetOf(main, i) && !memory::inputRowsOf(main, i);
      int64_t bytes = type && isOutside ? byteCount(type) : 0;
      std::optional<Role> role = memory::roleOf(main, i);
      map.inputBytes += role == Role::Input ? bytes : 0;
      map.outputBytes += role == Role::Output ? bytes : 0;
    }
    main.walk([&](task::CallOp call) {
      task::KernelOp kernel = call.lookupKernel();
      calls.push_back({call, kernel, layerOf(call, kernel)});
    });
    for (const Call &call : calls) {
      readCall(call);
    }
    for (auto [tensor, isRead] : llvm::zip(map.tensors, wasRead)) {
      // Nothing reads an output in the arena; the caller does after the run.
      tensor.last = isRead ? tensor.last : std::max<int64_t>(tensor.last, lastLayer());
    }
    return std::move(map);
  }

private:
  struct Call {
    task::CallOp op;
    task::KernelOp kernel;
    int64_t layer;
  };
  struct Span {
    int64_t first, last;
  };

  int64_t lastLayer() const { return static_cast<int64_t>(map.layers.size()) - 1; }

  int64_t layerOf(task::CallOp call, task::KernelOp kernel) {
    report::MicroLayer layer;
    layer.kernel = call.getKernel().str();
    layer.nodes = graph::nodeText(call.getLoc());
    auto [entry, isNew] =
        layerIndices.try_emplace(layer.key(), static_cast<int64_t>(map.layers.size()));
    if (isNew) {
      map.layers.push_back(std::move(layer));
      map.ops.push_back(opsOf(call, kernel));
    }
    return entry->second;
  }

  static LayerOps opsOf(task::CallOp call, task::KernelOp kernel) {
    LayerOps ops;
    if (!kernel.isExternal()) {
      ops.loops = kernels::countVectors(kernel);
    }
    kernel.walk([&](Operation *op) {
      bool isOnMemory = llvm::any_of(op->getOperandTypes(), llvm::IsaPred<MemRefType>);
      ops.callsFunctions |= isOnMemory && op->getName().getDialectNamespace() == "kernel";
    });
    FunctionType function = typeOf(kernel);
    for (unsigned i = 0; function && i < function.getNumResults(); ++i) {
      auto memory = dyn_cast<MemRefType>(call.getOperand(function.getNumInputs() + i).getType());
      ops.resultBytes += memory ? byteCount(memory) : 0;
    }
    return ops;
  }

  /// Returns the layers of the outermost loop around a call; only its own layer without a loop.
  Span spanOf(const Call &call) const {
    Operation *loop = nullptr;
    for (Operation *op = call.op; op != main; op = op->getParentOp()) {
      loop = isa<scf::ForOp, scf::WhileOp>(op) ? op : loop;
    }
    Span span{call.layer, call.layer};
    for (const Call &other : calls) {
      if (loop && loop->isAncestor(other.op)) {
        span = {std::min(span.first, other.layer), std::max(span.last, other.layer)};
      }
    }
    return span;
  }

  /// Returns the bytes of the arenas before an argument. With several memories, the report shows
  /// the arenas one after the other.
  int64_t basesOf(BlockArgument argument) {
    int64_t sum = 0;
    for (unsigned i = 0; i < argument.getArgNumber(); ++i) {
      auto type = dyn_cast<MemRefType>(main.getArgument(i).getType());
      sum += memory::roleOf(main, i) == Role::Arena && type ? byteCount(type) : 0;
    }
    return memory::roleOf(main, argument.getArgNumber()) == Role::Arena ? sum : 0;
  }

  /// Returns the bytes of a view of the arena or the weights; nullopt for other memory.
  std::optional<Bytes> bytesOf(Value value) {
    auto view = value.getDefiningOp<memref::ViewOp>();
    auto base = view ? dyn_cast<BlockArgument>(view.getSource()) : BlockArgument();
    APInt offset;
    if (!base || base.getOwner() != &main.getBody().front() ||
        !matchPattern(view.getByteShift(), m_ConstantInt(&offset))) {
      return std::nullopt;
    }
    std::optional<Role> role = memory::roleOf(main, base.getArgNumber());
    auto type = dyn_cast<MemRefType>(value.getType());
    if (!role || !type || !type.hasStaticShape()) {
      return std::nullopt;
    }
    return Bytes{*role, basesOf(base) + offset.getSExtValue(), byteCount(type)};
  }

  /// Returns the bytes of an operand of a call. A ring holds only some rows of its tensor.
  std::optional<Bytes> bytesOf(const Call &call, size_t operand) {
    std::optional<Bytes> bytes = bytesOf(call.op->getOperand(static_cast<unsigned>(operand)));
    task::CallOp op = call.op;
    int64_t ring = op.getRing(static_cast<unsigned>(operand));
    int64_t rows = ring > 0 ? rowsOf(call.kernel, operand) : 0;
    if (bytes && rows > 0) {
      bytes->count = bytes->count / rows * ring;
    }
    return bytes;
  }

  void readCall(const Call &call) {
    FunctionType function = typeOf(call.kernel);
    size_t operands = function ? function.getNumInputs() : 0;
    size_t tensors = operands + (function ? function.getNumResults() : 0);
    Span span = spanOf(call);
    for (size_t i = 0; i < call.op->getNumOperands(); ++i) {
      std::optional<Bytes> bytes = bytesOf(call, i);
      if (!bytes) {
        continue;
      }
      if (bytes->role == Role::Weights) {
        noteConstant(*bytes, call.layer);
      } else if (bytes->role == Role::Arena && i < operands) {
        noteRead(*bytes, span);
      }
    }
    // Reads come first: a layer may overwrite its operand.
    for (size_t i = 0; i < call.op->getNumOperands(); ++i) {
      std::optional<Bytes> bytes = bytesOf(call, i);
      if (i >= operands && bytes && bytes->role == Role::Arena) {
        noteWrite(*bytes, call, span, /*isScratch=*/i >= tensors);
      }
    }
  }

  void noteConstant(const Bytes &bytes, int64_t layer) {
    if (constants.insert(bytes.offset).second) {
      map.layers[static_cast<size_t>(layer)].weightsBytes += bytes.count;
    }
  }

  void add(int64_t layer, bool isScratch, const Bytes &bytes, Span span, bool isRead) {
    map.tensors.push_back({layer, isScratch, bytes.offset, bytes.count, span.first, span.last});
    current.insert(map.tensors.size() - 1);
    wasRead.push_back(isRead);
  }

  void noteRead(const Bytes &bytes, Span span) {
    bool isFound = false;
    for (size_t index : current) {
      report::MicroTensor &tensor = map.tensors[index];
      if (bytes.overlaps(tensor)) {
        tensor.first = std::min(tensor.first, span.first);
        tensor.last = std::max(tensor.last, span.last);
        wasRead[index] = isFound = true;
      }
    }
    if (!isFound) {
      // The caller writes an input in the arena before the run.
      add(-1, /*isScratch=*/false, bytes, {0, span.last}, /*isRead=*/true);
    }
  }

  void noteWrite(const Bytes &bytes, const Call &call, Span span, bool isScratch) {
    for (auto entry = current.begin(); entry != current.end();) {
      const report::MicroTensor &tensor = map.tensors[*entry];
      bool isSame = tensor.offset == bytes.offset && tensor.bytes == bytes.count &&
                    tensor.layer == call.layer && tensor.isScratch == isScratch;
      if (isSame) {
        return; // a later part of the same tensor
      }
      entry = bytes.overlaps(tensor) ? current.erase(entry) : std::next(entry);
    }
    add(call.layer, isScratch, bytes, span, /*isRead=*/isScratch);
  }

  func::FuncOp main;
  MemoryMap map;
  std::vector<Call> calls;
  std::map<std::string, int64_t> layerIndices; // by MicroLayer::key
  std::set<int64_t> constants;                 // offsets
  std::set<size_t> current;                    // tensors whose bytes no later call overwrote
  std::vector<bool> wasRead;                   // by tensor
};

} // namespace

MemoryMap readMemoryMap(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  return main ? MapReader(main).read() : MemoryMap();
}

namespace {

/// Reads the map before convoy-memory-lower-row-views removes the rows of rings.
class RingReader : public PassInstrumentation {
public:
  explicit RingReader(MemoryMap &map) : map(map) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    auto module = dyn_cast<ModuleOp>(op);
    if (module && pass->getArgument() == "convoy-memory-lower-row-views") {
      map = readMemoryMap(module);
    }
  }

private:
  MemoryMap &map;
};

} // namespace

void MemoryObserver::instrument(PassManager &passes) {
  passes.addInstrumentation(std::make_unique<RingReader>(map));
}

bool MemoryObserver::endStage(ModuleOp module, const Stage &stage) {
  if (stage.name == "tasks") {
    for (const Layer &layer : layersOf(module)) {
      multiplyAdds[layer.kernel + " " + layer.nodes] += static_cast<int64_t>(layer.flops / 2);
    }
  } else if (stage.name == "memory") {
    if (map.layers.empty()) {
      map = readMemoryMap(module);
    }
    for (report::MicroLayer &layer : map.layers) {
      layer.multiplyAdds = multiplyAdds[layer.key()];
    }
  }
  return true;
}

} // namespace convoy::timing
