// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the transforms of Winograd convolution, derived from the polynomials of Nodes.h. S is the
// product of all (x * x - p * p), and R_p is S without pair p. Pixel i is the coefficient of x^i:
//
//     input    node 0: S    node +-p: (x * x +- p * x) R_p    infinity: x S
//     output   result k: sum over nodes of node^k * product; infinity adds to the last result

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

  /// Returns sum + factor * x; a null sum is zero.
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

  /// Returns the polynomial in x * x times x^first, highest power first; its leading coefficient is
  /// 1.
  Value polynomial(ArrayRef<double> squares, llvm::function_ref<Value(int64_t)> power,
                   int64_t first) {
    Value sum;
    for (auto i = static_cast<int64_t>(squares.size()) - 1; i >= 0; --i) {
      sum = addTimes(sum, squares[i], power(first + 2 * i));
    }
    return sum;
  }

private:
  ImplicitLocOpBuilder &b;
};

} // namespace

/// Computes part 0 (node 0), one part per pair of nodes, and a last part (infinity).
LineTransforms::Part LineTransforms::inputPart(int64_t part, Line pixel) {
  Sums sums(elements.b);
  auto pairs = static_cast<int64_t>(winogradPairs(tile).size());
  if (part == 0) {
    return {{0, sums.polynomial(winogradSquares(tile, -1), pixel, 0)}};
  }
  if (part > pairs) {
    return {{tile + 1, sums.polynomial(winogradSquares(tile, -1), pixel, 1)}};
  }
  double node = winogradPairs(tile)[part - 1].node;
  SmallVector<double> others = winogradSquares(tile, part - 1);
  Value even = sums.polynomial(others, pixel, 2);
  Value odd = sums.polynomial(others, pixel, 1);
  return {{2 * part - 1, sums.addTimes(even, node, odd)},
          {2 * part, sums.addTimes(even, -node, odd)}};
}

/// Computes the even results from the sums of each pair of products (part 0), or the odd results
/// from their differences (part 1).
LineTransforms::Part LineTransforms::outputPart(int64_t part, Line product) {
  Sums sums(elements.b);
  ArrayRef<NodePair> pairs = winogradPairs(tile);
  SmallVector<Value> halves;
  for (int64_t i = 0; 2 * i < tile; ++i) {
    Value plus = product(2 * i + 1);
    Value minus = product(2 * i + 2);
    halves.push_back(part == 0 ? sums.add(plus, minus) : sums.sub(plus, minus));
  }
  Part out;
  for (int64_t k = part; k < tile; k += 2) {
    Value sum = k == 0 ? product(0) : Value();
    sum = k == tile - 1 ? product(tile + 1) : sum;
    for (size_t i = 0; i < pairs.size(); ++i) {
      double power = 1;
      for (int64_t j = 0; j < k / 2; ++j) {
        power *= pairs[i].square;
      }
      power *= k % 2 == 0 ? 1 : pairs[i].node;
      sum = sums.addTimes(sum, power, halves[i]);
    }
    out.push_back({k, sum});
  }
  return out;
}

void LineTransforms::emit(Value lines, int64_t parts,
                          llvm::function_ref<Part(int64_t, Line)> transform, Load load,
                          Store store) {
  for (int64_t part = 0; isByParts && part < parts; ++part) {
    elements.loop(elements.index(0), lines, [&](Value line) {
      for (Placed placed : transform(part, [&](int64_t i) { return load(line, i); })) {
        store(line, placed.place, placed.value);
      }
    });
  }
  if (isByParts) {
    return;
  }
  elements.loop(elements.index(0), lines, [&](Value line) {
    SmallVector<Value> loaded;
    for (int64_t i = 0; i < winogradSide(tile); ++i) {
      loaded.push_back(load(line, i));
    }
    Part all;
    for (int64_t part = 0; part < parts; ++part) {
      all.append(transform(part, [&](int64_t i) { return loaded[i]; }));
    }
    llvm::sort(all, [](const Placed &a, const Placed &b) { return a.place < b.place; });
    for (Placed placed : all) {
      store(line, placed.place, placed.value);
    }
  });
}

void LineTransforms::input(Value lines, Load load, Store store) {
  auto parts = static_cast<int64_t>(winogradPairs(tile).size()) + 2;
  emit(lines, parts, [&](int64_t part, Line line) { return inputPart(part, line); }, load, store);
}

void LineTransforms::output(Value lines, Load load, Store store) {
  emit(
      lines, /*parts=*/2, [&](int64_t part, Line line) { return outputPart(part, line); }, load,
      store);
}

} // namespace convoy::kernels
