// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports products and lookups with weights of 2, 4 or 8 bits, which share one scale per block.
// The packed weights of a product become a constant of a narrow integer type and a
// dequantize_linear with blocks, the same form as an exported DequantizeLinear has. A pass
// therefore finds one form. A table stays packed in bytes; the gathered rows are unpacked.

#include "Import/AttentionForm.h"
#include "Import/OpTable.h"
#include <cmath>
#include <cstring>

using namespace mlir;

namespace convoy::import {
namespace {

/// Returns the integer type with the given number of bits, or nothing.
std::optional<ElementType> blockType(int64_t bits, bool isSigned) {
  switch (bits) {
  case 2:
    return isSigned ? ElementType::I2 : ElementType::U2;
  case 4:
    return isSigned ? ElementType::I4 : ElementType::U4;
  case 8:
    return isSigned ? ElementType::I8 : ElementType::U8;
  default:
    return std::nullopt;
  }
}

/// Returns element i of packed bytes; the first element is in the low bits of a byte.
int64_t unpacked(const Tensor &bytes, int64_t row, int64_t i, int64_t bits) {
  int64_t perByte = 8 / bits;
  int64_t rowBytes = bytes.size() / bytes.dim(0);
  int64_t byte = bytes.data<uint8_t>()[row * rowBytes + i / perByte];
  return byte >> (i % perByte * bits) & ((int64_t(1) << bits) - 1);
}

/// Returns columns x rows elements of a packed matrix of rows x columns, minus `offset`. The
/// product then needs no transpose.
Tensor unpackTransposed(const Tensor &bytes, int64_t rows, int64_t columns, int64_t bits,
                        bool isSigned) {
  int64_t offset = isSigned ? int64_t(1) << (bits - 1) : 0;
  Tensor result(*blockType(bits, isSigned), {columns, rows});
  auto *to = result.mutableData<uint8_t>(); // two's complement if the type is signed
  // A write per row of the result would load a cache line for each byte.
  constexpr int64_t kCacheLine = 64;
  for (int64_t first = 0; first < rows; first += kCacheLine) {
    for (int64_t i = 0; i < columns; ++i) {
      for (int64_t row = first; row < std::min(first + kCacheLine, rows); ++row) {
        to[i * rows + row] = static_cast<uint8_t>(unpacked(bytes, row, i, bits) - offset);
      }
    }
  }
  return result;
}

/// Returns whether the size of a block is valid. The upper limit keeps products of sizes within
/// int64.
bool isBlockSize(int64_t size) {
  return size >= 16 && size <= int64_t(1) << 30 && llvm::isPowerOf2_64(static_cast<uint64_t>(size));
}

//===-- MatMulNBits ------------------------------------------------------------------------===//

/// The attributes of MatMulNBits.
struct BlockProduct {
  int64_t k, n, bits, blockSize;
  int64_t blocks() const { return (k + blockSize - 1) / blockSize; }
};

FailureOr<BlockProduct> readBlockProduct(NodeContext &n) {
  BlockProduct p{n.intAttr("K", 0), n.intAttr("N", 0), n.intAttr("bits", 4),
                 n.intAttr("block_size", 0)};
  constexpr int64_t kMostElems = int64_t(1) << 30;
  bool isSize = p.k > 0 && p.k <= kMostElems && p.n > 0 && p.n <= kMostElems;
  if (!isSize || !isBlockSize(p.blockSize)) {
    return FailureOr<BlockProduct>(n.error()
                                   << "expects positive attributes 'K' and 'N' and a 'block_size' "
                                      "that is a power of 2 from 16 on, got "
                                   << p.k << ", " << p.n << " and " << p.blockSize);
  }
  if (!blockType(p.bits, false)) {
    return FailureOr<BlockProduct>(n.unsupported() << "with " << p.bits
                                                   << " bits; quantize the weights to 2, 4 or 8 "
                                                      "bits");
  }
  return p;
}

/// Returns a constant input of bytes, or an error.
FailureOr<Tensor> knownBytes(NodeContext &n, unsigned input, StringRef name, int64_t count,
                             int64_t rows) {
  std::optional<Tensor> bytes = n.known(n.input(input));
  if (!bytes) {
    return FailureOr<Tensor>(n.unsupported()
                             << "if '" << name << "' is not constant; store it as an initializer");
  }
  if (bytes->type() != ElementType::U8 || bytes->size() != count) {
    return FailureOr<Tensor>(n.error() << "expects " << count << " bytes of type uint8 in '" << name
                                       << "', got " << n.input(input).getType());
  }
  return bytes->reshaped({rows, count / rows});
}

/// Returns zero points in the form of the scales, blocks x N.
FailureOr<Value> packedZeroPoints(NodeContext &n, const BlockProduct &p) {
  int64_t rowBytes = (p.blocks() * p.bits + 7) / 8;
  FailureOr<Tensor> bytes = knownBytes(n, 3, "zero_points", p.n * rowBytes, p.n);
  if (failed(bytes)) {
    return failure();
  }
  return n.constant(unpackTransposed(*bytes, p.n, p.blocks(), p.bits, /*isSigned=*/false));
}

/// Returns floating-point zero points that are all integers of `bits` bits as blocks x N of the
/// integer type, or nothing.
std::optional<Tensor> integerZeroPoints(NodeContext &n, const BlockProduct &p) {
  std::optional<Tensor> zeros = n.known(n.input(3));
  if (!zeros || zeros->size() != p.n * p.blocks()) {
    return std::nullopt;
  }
  Tensor result(*blockType(p.bits, /*isSigned=*/false), {p.blocks(), p.n});
  for (int64_t i = 0; i < zeros->size(); ++i) {
    double zero = zeros->asDouble(i);
    bool isRepresented = zero == std::trunc(zero) && zero >= 0 && zero < std::ldexp(1.0, p.bits);
    if (!isRepresented) {
      return std::nullopt;
    }
    result.setInt(i % p.blocks() * p.n + i / p.blocks(), static_cast<int64_t>(zero));
  }
  return result;
}

/// Returns the weights K x N as a floating-point value, without zero points that are not integers.
FailureOr<Value> blockWeights(NodeContext &n, const BlockProduct &p) {
  int64_t blockBytes = p.blockSize * p.bits / 8;
  FailureOr<Tensor> bytes = knownBytes(n, 1, "B", p.n * p.blocks() * blockBytes, p.n);
  if (failed(bytes)) {
    return failure();
  }
  Value zeros;
  if (Value given = n.input(3); given && isFloat(n.element(given))) {
    std::optional<Tensor> integers = integerZeroPoints(n, p);
    zeros = integers ? n.constant(*integers) : Value();
  } else if (given) {
    FailureOr<Value> packed = packedZeroPoints(n, p);
    if (failed(packed)) {
      return failure();
    }
    zeros = *packed;
  }
  Value weights = n.constant(unpackTransposed(*bytes, p.n, p.k, p.bits, /*isSigned=*/!n.input(3)));
  Value scales = n.transpose(n.reshape(n.input(2), {p.n, p.blocks()}), {1, 0});
  return n.emit<graph::DequantizeLinearOp>(weights, scales, zeros, n.elementType(scales),
                                           int64_t(0), p.blockSize);
}

/// Returns the sums of the input over the blocks of the depth, ... x blocks.
Value blockSums(NodeContext &n, const BlockProduct &p) {
  Value x = n.input(0);
  FailureOr<int64_t> rank = n.rank(x);
  if (failed(rank) || p.blocks() == 1) {
    return n.reduce(graph::ReduceKind::Sum, x, {-1}, /*keepDims=*/true);
  }
  if (int64_t missing = p.blocks() * p.blockSize - p.k; missing > 0) {
    x = n.emit<graph::PadOp>(x, n.ints({0, missing}), n.scalarLike(x, 0), n.ints({-1}),
                             graph::PadMode::Constant);
  }
  Shape shape(*rank - 1, 0); // 0 keeps a dimension
  shape.insert(shape.end(), {p.blocks(), p.blockSize});
  return n.reduce(graph::ReduceKind::Sum, reshapeKeeping(n, x, shape), {-1}, /*keepDims=*/false);
}

/// Returns what zero points of a floating-point type subtract from the product, or null. The graph
/// has no such zero points, so x * ((q - z) * s) is x * (q * s) minus the product of the block sums
/// of x with z * s. The weights then stay packed.
Value productOfZeroPoints(NodeContext &n, const BlockProduct &p) {
  Value zeros = n.input(3);
  if (!zeros || !isFloat(n.element(zeros)) || integerZeroPoints(n, p)) {
    return Value();
  }
  Value products = n.mul(n.reshape(n.cast(zeros, n.element(n.input(2))), {p.n, p.blocks()}),
                         n.reshape(n.input(2), {p.n, p.blocks()}));
  Value sums = blockSums(n, p);
  return n.matmul(sums, n.cast(n.transpose(products, {1, 0}), n.element(sums)));
}

LogicalResult importMatMulNBits(NodeContext &n) {
  if (failed(n.requireAll({"A", "B", "scales"}))) {
    return failure();
  }
  FailureOr<BlockProduct> p = readBlockProduct(n);
  if (failed(p)) {
    return failure();
  }
  if (n.input(4)) {
    return n.unsupported() << "with input 'g_idx'; quantize the model without reordering the rows "
                              "of the weights";
  }
  FailureOr<Value> weights = blockWeights(n, *p);
  if (failed(weights)) {
    return failure();
  }
  Value product = n.matmul(n.input(0), n.cast(*weights, n.element(n.input(0))));
  if (Value shift = productOfZeroPoints(n, *p)) {
    product = n.sub(product, shift);
  }
  return n.yield(n.input(5) ? n.add(product, n.input(5)) : product);
}

//===-- GatherBlockQuantized ---------------------------------------------------------------===//

/// Returns bytes with several elements each as a constant of `type` with one element per entry of
/// the last dimension.
FailureOr<Value> unpackLast(NodeContext &n, Value packed, StringRef name, int64_t bits,
                            ElementType type, std::optional<int64_t> lastDim) {
  std::optional<Tensor> bytes = n.known(packed);
  if (!bytes || bytes->rank() == 0 || bytes->isEmpty()) {
    return FailureOr<Value>(n.unsupported()
                            << "if '" << name << "' is not constant; store it as an initializer");
  }
  if (bytes->type() != ElementType::U8) {
    return FailureOr<Value>(n.error()
                            << "expects '" << name << "' of type uint8 if each byte holds "
                            << 8 / bits << " elements, got " << packed.getType());
  }
  Shape shape(bytes->shape());
  int64_t rows = bytes->size() / shape.back();
  shape.back() = lastDim ? *lastDim : shape.back() * (8 / bits);
  if (shape.back() > bytes->dim(bytes->rank() - 1) * (8 / bits)) {
    return FailureOr<Value>(n.error() << "has too few zero points in " << packed.getType()
                                      << ", expected one per scale");
  }
  Tensor matrix = bytes->reshaped({rows, bytes->size() / rows});
  Tensor result(type, shape);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < shape.back(); ++i) {
      result.mutableData<uint8_t>()[row * shape.back() + i] =
          static_cast<uint8_t>(unpacked(matrix, row, i, bits));
    }
  }
  return n.constant(result);
}

/// The operands of GatherBlockQuantized with one element per entry.
struct BlockTable {
  Value data, scales;
  Value zeroPoints; // null if they are 0
  int64_t gatherAxis = 0, quantizeAxis = 0, blockSize = 0;
  int64_t packedBits = 0; // bits of an element if a byte of `data` holds several, otherwise 0
};

/// Returns whether a gather of the table moves whole rows of a constant tensor.
bool hasRows(NodeContext &n, const BlockTable &table, int64_t rank) {
  return table.gatherAxis + 1 < rank && n.known(table.data).has_value();
}

/// Prepares a table of bytes. It stays packed if whole rows are gathered. Its default zero point is
/// the middle of the range.
LogicalResult unpackTable(NodeContext &n, BlockTable &table, int64_t bits) {
  FailureOr<Shape> scales = n.shape(table.scales);
  if (failed(scales)) {
    return failure();
  }
  if (scales->empty() || scales->back() == graph::kDynamic) {
    return n.unsupported() << "with scales of a dynamic shape; store them as an initializer";
  }
  if (bits < 8 && hasRows(n, table, static_cast<int64_t>(scales->size()))) {
    table.packedBits = bits;
  } else if (bits < 8) {
    FailureOr<Value> data =
        unpackLast(n, table.data, "data", bits, *blockType(bits, /*isSigned=*/false), std::nullopt);
    if (failed(data)) {
      return failure();
    }
    table.data = *data;
  }
  if (!table.zeroPoints) {
    ElementType type = n.element(table.data);
    Value middle = n.constant(Tensor::scalar(type, int64_t(1) << (bits - 1)));
    Value shape = n.emit<graph::ShapeOp>(table.scales, int64_t(0), IntegerAttr());
    table.zeroPoints = n.emit<graph::ExpandOp>(middle, shape);
    return success();
  }
  FailureOr<Value> zeros = bits == 8 ? FailureOr<Value>(table.zeroPoints)
                                     : unpackLast(n, table.zeroPoints, "zero_points", bits,
                                                  n.element(table.data), scales->back());
  table.zeroPoints = succeeded(zeros) ? *zeros : Value();
  return failure(failed(zeros));
}

FailureOr<BlockTable> readTable(NodeContext &n) {
  FailureOr<int64_t> rank = n.rank(n.input(0));
  if (failed(rank)) {
    return failure();
  }
  FailureOr<int64_t> gather = n.axis(n.intAttr("gather_axis", 0), *rank);
  FailureOr<int64_t> quantize = n.axis(n.intAttr("quantize_axis", 1), *rank);
  if (failed(gather) || failed(quantize)) {
    return failure();
  }
  if (*gather == *quantize) {
    return FailureOr<BlockTable>(n.error() << "expects different axes in 'gather_axis' and "
                                              "'quantize_axis', got "
                                           << *gather << " twice");
  }
  int64_t bits = n.intAttr("bits", 4);
  if (!blockType(bits, false)) {
    return FailureOr<BlockTable>(n.unsupported() << "with " << bits
                                                 << " bits; quantize the table to 2, 4 or 8 bits");
  }
  if (!isBlockSize(n.intAttr("block_size", 128))) {
    return FailureOr<BlockTable>(n.error() << "expects a 'block_size' that is a power of 2 from 16 "
                                              "on, got "
                                           << n.intAttr("block_size", 128));
  }
  BlockTable table{n.input(0), n.input(2), n.input(3),
                   *gather,    *quantize,  n.intAttr("block_size", 128)};
  if (n.element(table.data) == ElementType::U8 && failed(unpackTable(n, table, bits))) {
    return failure();
  }
  return table;
}

/// Returns the elements of a tensor plus `offset` in bytes, each with several elements of the last
/// dimension. The first element is in the low bits.
Tensor packLast(const Tensor &tensor, int64_t offset) {
  int64_t bits = bitWidth(tensor.type()), perByte = 8 / bits;
  Shape shape(tensor.shape());
  shape.back() /= perByte;
  Tensor result(ElementType::U8, shape);
  std::memset(result.mutableRaw(), 0, static_cast<size_t>(result.size()));
  int64_t mask = (int64_t(1) << bits) - 1;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    result.mutableData<uint8_t>()[i / perByte] |=
        static_cast<uint8_t>(((tensor.asInt(i) + offset) & mask) << (i % perByte * bits));
  }
  return result;
}

/// Packs a table of 2 or 4 bits in bytes, if rows of whole bytes are gathered. Its zero points
/// become bytes too. A tensor has one byte per element, so the table would have twice its size or
/// more.
void packTable(NodeContext &n, BlockTable &table) {
  int64_t bits = bitWidth(n.element(table.data));
  std::optional<Tensor> data = bits < 8 ? n.known(table.data) : std::nullopt;
  std::optional<Tensor> zeros = table.zeroPoints ? n.known(table.zeroPoints) : std::nullopt;
  if (!data || !hasRows(n, table, data->rank()) || (table.zeroPoints && !zeros) ||
      data->dim(data->rank() - 1) % (8 / bits) != 0) {
    return;
  }
  int64_t offset = isSignedInteger(data->type()) ? int64_t(1) << (bits - 1) : 0;
  table.data = n.constant(packLast(*data, offset));
  table.packedBits = bits;
  if (zeros) {
    Tensor bytes(ElementType::U8, zeros->shape());
    for (int64_t i = 0; i < zeros->size(); ++i) {
      bytes.setInt(i, zeros->asInt(i) + offset);
    }
    table.zeroPoints = n.constant(bytes);
  } else if (offset != 0) {
    Value shape = n.emit<graph::ShapeOp>(table.scales, int64_t(0), IntegerAttr());
    Value middle = n.constant(Tensor::scalar(ElementType::U8, offset));
    table.zeroPoints = n.emit<graph::ExpandOp>(middle, shape);
  }
}

/// Returns the elements of packed bytes along the last dimension, as U8.
Value unpackRows(NodeContext &n, Value bytes, int64_t rank, int64_t bits) {
  Tensor shifts(ElementType::U8, {8 / bits});
  for (int64_t i = 0; i < shifts.size(); ++i) {
    shifts.setInt(i, i * bits);
  }
  Value wide = unsqueeze(n, bytes, {rank});
  Value shifted = n.binary(graph::BinaryKind::ShiftRight, wide, n.constant(shifts));
  Value mask = n.constant(Tensor::scalar(ElementType::U8, (int64_t(1) << bits) - 1));
  Shape merged(rank, 0); // 0 keeps a dimension
  merged.back() = -1;
  return n.emit<graph::ReshapeOp>(n.binary(graph::BinaryKind::BitAnd, shifted, mask),
                                  n.ints(merged), /*allowZero=*/false);
}

/// Gathers packed integers and their scales, and dequantizes the result, so that the table stays
/// packed.
LogicalResult importGatherBlockQuantized(NodeContext &n) {
  if (failed(n.requireAll({"data", "indices", "scales"}))) {
    return failure();
  }
  FailureOr<int64_t> indexRank = n.rank(n.input(1));
  FailureOr<BlockTable> table = readTable(n);
  if (failed(indexRank) || failed(table)) {
    return failure();
  }
  packTable(n, *table);
  FailureOr<int64_t> rank = n.rank(table->data);
  if (failed(rank)) {
    return failure();
  }
  auto gathered = [&](Value x) {
    return x ? n.emit<graph::GatherOp>(x, n.input(1), table->gatherAxis) : Value();
  };
  Value data = gathered(table->data);
  if (table->packedBits > 0) {
    data = unpackRows(n, data, *rank + *indexRank - 1, table->packedBits);
  }
  Value scales = gathered(table->scales);
  Value zeroPoints = gathered(table->zeroPoints);
  int64_t axis = table->quantizeAxis;
  axis += axis > table->gatherAxis ? *indexRank - 1 : 0;
  return n.yield(n.emit<graph::DequantizeLinearOp>(data, scales, zeroPoints, n.elementType(scales),
                                                   axis, table->blockSize));
}

constexpr OpRow kRows[] = {
    {"GatherBlockQuantized", importGatherBlockQuantized,
     "2, 4 or 8 bits; packed bytes must be constant", kMicrosoft},
    {"MatMulNBits", importMatMulNBits,
     "2, 4 or 8 bits; no 'g_idx'; the weights and zero points must be constant", kMicrosoft},
};

} // namespace

llvm::ArrayRef<OpRow> blockWeightRows() { return kRows; }

} // namespace convoy::import
