// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills inputs with small integers, which are also valid axes, shapes and indices.

#include "tests/fuzz/MakeInput.h"
#include "Graph/Graph.h"

using namespace mlir;
using convoy::reference::Datum;

namespace convoy::fuzz {

// Larger inputs cost time and find no additional bugs.
constexpr int64_t kMaxElements = 4096;

static Tensor makeTensor(ElementType type, ArrayRef<int64_t> shape, std::minstd_rand &random) {
  static const char *const kWords[] = {"", "a", "cat", "1.5", "-3", "a b", "\xff"};
  Tensor tensor(type, shape);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (type == ElementType::String) {
      tensor.mutableStrings()[i] = kWords[random() % std::size(kWords)];
    } else if (type == ElementType::Complex64 || type == ElementType::Complex128) {
      break; // Complex elements stay zero.
    } else if (type == ElementType::Bool) {
      tensor.setInt(i, random() % 2);
    } else {
      tensor.setDouble(i, static_cast<double>(random() % 7) - 2);
    }
  }
  return tensor;
}

static std::optional<Datum> makeTensor(TensorType type, std::minstd_rand &random) {
  // All dynamic dimensions have the same size, so that most shapes match.
  int64_t open = 1 + static_cast<int64_t>(random() % 3);
  Shape shape(random() % 3, open);
  if (auto ranked = dyn_cast<RankedTensorType>(type)) {
    shape.assign(ranked.getShape().begin(), ranked.getShape().end());
    std::replace(shape.begin(), shape.end(), graph::kDynamic, open);
  }
  std::optional<int64_t> count = elementCount(shape);
  if (!count || *count > kMaxElements) {
    return std::nullopt;
  }
  return Datum(makeTensor(fromMlir(type.getElementType()), shape, random));
}

std::optional<Datum> makeInput(Type type, std::minstd_rand &random) {
  if (auto tensor = dyn_cast<TensorType>(type)) {
    return makeTensor(tensor, random);
  }
  auto sequence = dyn_cast<graph::SequenceType>(type);
  Type element = sequence ? sequence.getElement() : cast<graph::OptionalType>(type).getElement();
  std::vector<Datum> elements;
  for (unsigned count = random() % (sequence ? 4 : 2); count > 0; --count) {
    std::optional<Datum> made = makeInput(element, random);
    if (!made) {
      return std::nullopt;
    }
    elements.push_back(std::move(*made));
  }
  return sequence ? Datum::sequence(std::move(elements)) : Datum::optional(std::move(elements));
}

} // namespace convoy::fuzz
