// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transforms, straight from the polynomials of Nodes.h. With S the product of
// all (x * x - p * p) and R_p the same without pair p, pixels stand for powers of x:
//
//     input    node 0: S    node +-p: (x * x +- p * x) R_p    infinity: x S
//     output   result k: sum over nodes of node^k * product; infinity joins the last

#include "Kernels/Winograd/Transform.h"
#include "Kernels/Winograd/Nodes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

class Sums {
public:
  explicit Sums(ImplicitLocOpBuilder &b) : b(b) {}

  Value add(Value x, Value y) { return b.create<arith::AddFOp>(x, y); }
  Value sub(Value x, Value y) { return b.create<arith::SubFOp>(x, y); }

  /// sum + factor * x; a null sum is zero.
  Value addTimes(Value sum, double factor, Value x) {
    if (factor == 1) {
      return sum ? add(sum, x) : x;
    }
    if (factor == -1 && sum) {
      return sub(sum, x);
    }
    auto type = cast<ShapedType>(x.getType());
    Value constant = b.create<arith::ConstantOp>(
        DenseElementsAttr::get(type, b.getFloatAttr(type.getElementType(), factor).getValue()));
    return sum ? b.create<math::FmaOp>(x, constant, sum).getResult()
               : b.create<arith::MulFOp>(x, constant).getResult();
  }

  /// The polynomial in x * x times x^first, highest power first: it has factor 1.
  Value polynomial(ArrayRef<double> squares, ArrayRef<Value> powers, int64_t first) {
    Value sum;
    for (auto i = static_cast<int64_t>(squares.size()) - 1; i >= 0; --i) {
      sum = addTimes(sum, squares[i], powers[first + 2 * i]);
    }
    return sum;
  }

private:
  ImplicitLocOpBuilder &b;
};

} // namespace

SmallVector<Value> transformInput(ImplicitLocOpBuilder &b, int64_t tile, ArrayRef<Value> pixels) {
  Sums sums(b);
  SmallVector<double> all = winogradSquares(tile, -1);
  SmallVector<Value> out = {sums.polynomial(all, pixels, 0)};
  for (auto [i, pair] : llvm::enumerate(winogradPairs(tile))) {
    SmallVector<double> others = winogradSquares(tile, static_cast<int64_t>(i));
    Value even = sums.polynomial(others, pixels, 2);
    Value odd = sums.polynomial(others, pixels, 1);
    out.push_back(sums.addTimes(even, pair.node, odd));
    out.push_back(sums.addTimes(even, -pair.node, odd));
  }
  out.push_back(sums.polynomial(all, pixels, 1));
  return out;
}

SmallVector<Value> transformOutput(ImplicitLocOpBuilder &b, int64_t tile,
                                   ArrayRef<Value> products) {
  Sums sums(b);
  ArrayRef<NodePair> pairs = winogradPairs(tile);
  SmallVector<Value> even;
  SmallVector<Value> odd;
  for (size_t i = 0; i < pairs.size(); ++i) {
    even.push_back(sums.add(products[2 * i + 1], products[2 * i + 2]));
    odd.push_back(sums.sub(products[2 * i + 1], products[2 * i + 2]));
  }
  SmallVector<Value> out;
  for (int64_t k = 0; k < tile; ++k) {
    Value sum = k == 0 ? products.front() : Value();
    sum = k == tile - 1 ? products.back() : sum;
    for (size_t i = 0; i < pairs.size(); ++i) {
      double power = 1;
      for (int64_t j = 0; j < k / 2; ++j) {
        power *= pairs[i].square;
      }
      power *= k % 2 == 0 ? 1 : pairs[i].node;
      sum = sums.addTimes(sum, power, k % 2 == 0 ? even[i] : odd[i]);
    }
    out.push_back(sum);
  }
  return out;
}

} // namespace convoy::kernels
