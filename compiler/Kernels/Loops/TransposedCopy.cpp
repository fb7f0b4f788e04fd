// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the copies of TransposedCopy.h. A tile has as many rows as a register has lanes. Each of
// log2(lanes) rounds interleaves register i with register i + lanes / 2:
//
//     a0 a1 a2 a3     a0 c0 a1 c1     a0 b0 c0 d0
//     b0 b1 b2 b3     a2 c2 a3 c3     a1 b1 c1 d1
//     c0 c1 c2 c3  -> b0 d0 b1 d1  -> a2 b2 c2 d2
//     d0 d1 d2 d3     b2 d2 b3 d3     a3 b3 c3 d3

#include "Kernels/Loops/TransposedCopy.h"
#include "Graph/Layout.h"
#include "Kernels/KernelFunction.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Longer registers need more rounds than a tile has elements per row to gain.
constexpr int64_t kMostLanes = 16;
/// The approximate number of steps of the range.
constexpr int64_t kSteps = 16;

bool takesTiles(RankedTensorType type, const Machine &machine) {
  Type element = type.getElementType();
  int64_t lanes = machine.lanes();
  return !machine.hasByteOps && lanes >= 4 && lanes <= kMostLanes && type.hasStaticShape() &&
         llvm::isPowerOf2_64(static_cast<uint64_t>(lanes)) &&
         (element.isF32() || element.isInteger(32));
}

int64_t productOf(ArrayRef<int64_t> dims) {
  int64_t product = 1;
  for (int64_t dim : dims) {
    product *= dim;
  }
  return product;
}

/// A permutation that keeps its leading dimensions and swaps two groups of the others.
struct Rotation {
  size_t kept;   // leading dimensions
  size_t middle; // the first dimension of the second group in the result
};

/// Returns the rotation that a permutation of increasing numbers is, or nullopt if it is none.
std::optional<Rotation> rotationOf(ArrayRef<int64_t> perm) {
  SmallVector<int64_t> sorted(perm);
  llvm::sort(sorted);
  size_t kept = 0;
  while (kept < perm.size() && perm[kept] == sorted[kept]) {
    ++kept;
  }
  if (kept == perm.size()) {
    return std::nullopt;
  }
  size_t middle = kept + 1;
  while (middle < perm.size() && perm[middle - 1] < perm[middle]) {
    ++middle;
  }
  SmallVector<int64_t> rotated(perm);
  std::rotate(rotated.begin() + kept, rotated.begin() + middle, rotated.end());
  return rotated == sorted ? std::optional(Rotation{kept, middle}) : std::nullopt;
}

/// Returns the copy of a transpose that swaps two groups of adjacent dimensions, after leading
/// dimensions that it keeps.
std::optional<TransposedCopy> transposeCopy(graph::TransposeOp op, const Machine &machine) {
  auto type = cast<RankedTensorType>(op.getInput().getType());
  SmallVector<int64_t> perm; // without dimensions of size 1
  SmallVector<int64_t> sizes;
  for (int64_t dim : op.getPerm()) {
    if (type.getDimSize(dim) != 1) {
      perm.push_back(dim);
      sizes.push_back(type.getDimSize(dim));
    }
  }
  std::optional<Rotation> rotation = rotationOf(perm);
  if (!rotation) {
    return std::nullopt;
  }
  ArrayRef<int64_t> moved = ArrayRef(sizes).drop_front(rotation->kept);
  size_t first = rotation->middle - rotation->kept;
  TransposedCopy copy;
  copy.matrices = productOf(ArrayRef(sizes).take_front(rotation->kept));
  copy.across = productOf(moved.take_front(first)); // contiguous in the input
  copy.along = productOf(moved.drop_front(first));
  bool isLarge =
      copy.matrices > 0 && copy.across >= machine.lanes() && copy.along >= machine.lanes();
  return isLarge ? std::optional(copy) : std::nullopt;
}

class CopyEmitter {
public:
  CopyEmitter(KernelFunction &function, const TransposedCopy &copy, int64_t lanes)
      : function(function), b(function.b), copy(copy), lanes(lanes) {
    Type element = cast<MemRefType>(function.operand(0u).getType()).getElementType();
    vector = VectorType::get({lanes}, element);
  }

  /// Emits the loop over the range and returns the number of its steps.
  int64_t emit() {
    int64_t whole = copy.along / lanes;
    int64_t parts = std::clamp<int64_t>(llvm::divideCeil(kSteps, copy.matrices), 1, whole);
    auto loop = b.create<scf::ForOp>(function.begin(), function.end(), index(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value matrix = div(loop.getInductionVar(), parts);
    Value part = rem(loop.getInductionVar(), parts);
    // The tile that overlaps its predecessor is in the same part, because two tasks must not write
    // the same bytes.
    Value first = div(mul(part, whole), parts);
    Value last = div(mul(add(part, index(1)), whole), parts);
    if (copy.along % lanes != 0) {
      Value isLast =
          b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, part, index(parts - 1));
      last = b.createOrFold<arith::SelectOp>(isLast, index(whole + 1), last);
    }
    emitMatrix(matrix, first, last);
    return copy.matrices * parts;
  }

private:
  /// Emits the tiles of one matrix. The last block of channels may have fewer rows.
  void emitMatrix(Value matrix, Value first, Value last) {
    int64_t blocks = copy.blocksOf == 0 ? 1 : llvm::divideCeilSigned(copy.blocksOf, lanes);
    int64_t ragged = copy.blocksOf % lanes;
    if (ragged == 0 || blocks == 1) {
      emitTiles(matrix, first, last, ragged == 0 ? lanes : ragged);
      return;
    }
    Value isLast =
        b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, rem(matrix, blocks), index(blocks - 1));
    auto choice = b.create<scf::IfOp>(isLast, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    emitTiles(matrix, first, last, ragged);
    b.setInsertionPointToStart(choice.elseBlock());
    emitTiles(matrix, first, last, lanes);
  }

  void emitTiles(Value matrix, Value first, Value last, int64_t rows) {
    auto along = b.create<scf::ForOp>(first, last, index(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(along.getBody());
    Value x = startOf(along.getInductionVar(), copy.along);
    if (copy.across <= lanes) {
      return emitTile(matrix, x, index(0), rows);
    }
    auto across =
        b.create<scf::ForOp>(index(0), index(llvm::divideCeilSigned(copy.across, lanes)), index(1));
    b.setInsertionPointToStart(across.getBody());
    emitTile(matrix, x, startOf(across.getInductionVar(), copy.across), rows);
  }

  /// Copies a tile of which `rows` rows along y exist.
  void emitTile(Value matrix, Value x, Value y, int64_t rows) {
    Value planar = planarStart(matrix);
    Value blocked = mul(matrix, copy.along * copy.across);
    // Element [row][lane] of the source: [x][y], or [y][x] if the source is read along x.
    auto linesOfY = [&](int64_t i) {
      return add(planar, add(mul(add(y, index(i)), copy.along), x));
    };
    auto linesOfX = [&](int64_t i) {
      return add(blocked, add(mul(add(x, index(i)), copy.across), y));
    };
    Value source = function.operand(0u), result = function.result(0);
    SmallVector<Value> tile;
    for (int64_t i = 0; i < lanes; ++i) {
      bool isThere = !copy.readsAlong || i < rows;
      tile.push_back(isThere ? b.create<vector::LoadOp>(vector, source,
                                                        copy.readsAlong ? linesOfY(i) : linesOfX(i))
                                   .getResult()
                             : b.create<arith::ConstantOp>(b.getZeroAttr(vector)).getResult());
    }
    tile = transposed(tile);
    for (int64_t i = 0; i < (copy.readsAlong ? lanes : rows); ++i) {
      b.create<vector::StoreOp>(tile[i], result, copy.readsAlong ? linesOfX(i) : linesOfY(i));
    }
  }

  SmallVector<Value> transposed(SmallVector<Value> tile) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < lanes / 2; ++lane) {
      low.append({lane, lanes + lane});
      high.append({lanes / 2 + lane, lanes + lanes / 2 + lane});
    }
    for (int64_t round = 1; round < lanes; round *= 2) {
      SmallVector<Value> next;
      for (int64_t i = 0; i < lanes / 2; ++i) {
        next.push_back(b.create<vector::ShuffleOp>(tile[i], tile[i + lanes / 2], low));
        next.push_back(b.create<vector::ShuffleOp>(tile[i], tile[i + lanes / 2], high));
      }
      tile = next;
    }
    return tile;
  }

  /// Returns the first element of the matrix on the side whose rows run along x.
  Value planarStart(Value matrix) {
    if (copy.blocksOf == 0) {
      return mul(matrix, copy.along * copy.across);
    }
    int64_t blocks = llvm::divideCeilSigned(copy.blocksOf, lanes);
    Value batch = mul(div(matrix, blocks), copy.blocksOf);
    return mul(add(batch, mul(rem(matrix, blocks), lanes)), copy.along);
  }

  /// Returns the start of tile `i`. The last tile overlaps its predecessor.
  Value startOf(Value i, int64_t extent) {
    Value start = mul(i, lanes);
    return extent % lanes == 0 ? start
                               : b.createOrFold<arith::MinSIOp>(start, index(extent - lanes));
  }

  Value index(int64_t value) { return b.create<arith::ConstantIndexOp>(value); }
  Value add(Value x, Value y) { return b.createOrFold<arith::AddIOp>(x, y); }
  Value mul(Value x, int64_t c) { return b.createOrFold<arith::MulIOp>(x, index(c)); }
  Value div(Value x, int64_t c) { return c == 1 ? x : b.createOrFold<arith::DivUIOp>(x, index(c)); }
  Value rem(Value x, int64_t c) {
    return c == 1 ? index(0) : b.createOrFold<arith::RemUIOp>(x, index(c));
  }

  KernelFunction &function;
  ImplicitLocOpBuilder &b;
  const TransposedCopy &copy;
  int64_t lanes;
  VectorType vector;
};

} // namespace

std::optional<TransposedCopy> reorderedCopy(RankedTensorType from, RankedTensorType to,
                                            const Machine &machine) {
  int64_t source = graph::channelBlock(from), target = graph::channelBlock(to);
  bool isPlanar = (source == 0 && !graph::layoutOf(from)) || (target == 0 && !graph::layoutOf(to));
  if (!takesTiles(to, machine) || to.getRank() < 3 || !isPlanar ||
      std::max(source, target) != machine.lanes()) {
    return std::nullopt;
  }
  TransposedCopy copy;
  copy.readsAlong = source == 0;
  copy.blocksOf = to.getDimSize(1);
  copy.across = machine.lanes();
  copy.along = productOf(to.getShape().drop_front(2));
  copy.matrices = to.getDimSize(0) * llvm::divideCeilSigned(copy.blocksOf, copy.across);
  return copy.along >= machine.lanes() && copy.matrices > 0 ? std::optional(copy) : std::nullopt;
}

std::optional<TransposedCopy> transposedCopy(Block &body, const Machine &machine) {
  Operation *op = &body.front();
  Operation *yield = body.getTerminator();
  bool isAlone = op->getNextNode() == yield && op->getNumOperands() == 1 &&
                 yield->getNumOperands() == 1 && isa<BlockArgument>(op->getOperand(0));
  if (!isAlone || !isa<graph::ReorderOp, graph::TransposeOp>(op)) {
    return std::nullopt;
  }
  auto from = cast<RankedTensorType>(op->getOperand(0).getType());
  auto to = cast<RankedTensorType>(op->getResult(0).getType());
  if (isa<graph::ReorderOp>(op)) {
    return reorderedCopy(from, to, machine);
  }
  bool isPlanar = !graph::layoutOf(from) && !graph::layoutOf(to);
  return isPlanar && takesTiles(to, machine) ? transposeCopy(cast<graph::TransposeOp>(op), machine)
                                             : std::nullopt;
}

void lowerTransposedCopy(task::KernelOp kernel, const TransposedCopy &copy,
                         const Machine &machine) {
  KernelFunction function(kernel);
  int64_t range = CopyEmitter(function, copy, machine.lanes()).emit();
  function.finish(range);
}

} // namespace convoy::kernels
