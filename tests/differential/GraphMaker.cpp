// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps the pool of values and adds ops with randomly selected makers.

#include "tests/differential/GraphMaker.h"
#include "Graph/Attributes.h"
#include <cmath>

using namespace mlir;

namespace convoy::test {
namespace {

constexpr int64_t kMaxElements = 2500;
constexpr int64_t kMaxResultElements = 20000;

ArrayRef<Maker> allMakers(int family) {
  switch (family) {
  case 0:
    return elementwiseMakers();
  case 1:
    return movementMakers();
  case 2:
    return selectionMakers();
  case 3:
    return reductionMakers();
  case 4:
    return layerMakers();
  case 5:
    return transformerMakers();
  default:
    return controlMakers();
  }
}

const Maker &pickMaker(Random &random, bool allowsControl) {
  // Element-wise ops are the most frequent, as in real graphs.
  const int families[] = {0, 0, 0, 1, 1, 2, 3, 4, 4, 5, 5, 6};
  ArrayRef<Maker> makers = allMakers(families[random.between(0, allowsControl ? 11 : 10)]);
  int64_t total = 0;
  for (const Maker &maker : makers) {
    total += maker.weight;
  }
  int64_t ticket = random.between(0, total - 1);
  for (const Maker &maker : makers) {
    ticket -= maker.weight;
    if (ticket < 0) {
      return maker;
    }
  }
  return makers.back();
}

} // namespace

GraphMaker::GraphMaker(MLIRContext *context, uint64_t seed)
    : GraphMaker(context, Random(seed), seed + 1) {}

GraphMaker::GraphMaker(MLIRContext *context, const Random &random, uint64_t trialSeed)
    : random(random), trial(trialSeed), builder(context),
      typed(builder, NameLoc::get(StringAttr::get(context, "random"))),
      module(ModuleOp::create(typed.loc)) {
  trial.allowsSpecials = this->random.chance(0.1);
  builder.setInsertionPointToEnd(module->getBody());
  function = builder.create<func::FuncOp>(typed.loc, "main", builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
}

ElementType GraphMaker::elementOf(Value value) const {
  return fromMlir(cast<RankedTensorType>(value.getType()).getElementType());
}

Shape GraphMaker::shapeOf(Value value) const {
  return Shape(cast<RankedTensorType>(value.getType()).getShape());
}

ElementType GraphMaker::randomFloat() {
  const ElementType kinds[] = {ElementType::F32,  ElementType::F32, ElementType::F32,
                               ElementType::F32,  ElementType::F32, ElementType::F16,
                               ElementType::BF16, ElementType::F64};
  return random.pick(kinds);
}

ElementType GraphMaker::randomElement() {
  const ElementType kinds[] = {ElementType::I8,  ElementType::U8,   ElementType::I32,
                               ElementType::I64, ElementType::Bool, ElementType::I16,
                               ElementType::U32};
  return random.chance(0.7) ? randomFloat() : random.pick(kinds);
}

Shape GraphMaker::randomShape(int64_t minRank, int64_t maxRank) {
  Shape shape;
  int64_t count = 1;
  int64_t rank = random.between(minRank, maxRank);
  for (int64_t i = 0; i < rank; ++i) {
    int64_t most = std::clamp<int64_t>(kMaxElements / count, 1, 17);
    int64_t dim = random.chance(0.15) ? 1 : random.between(1, most);
    shape.push_back(random.chance(0.004) ? 0 : dim);
    count *= dim;
  }
  return shape;
}

Value GraphMaker::constant(const Tensor &tensor) {
  Value value = graph::constant(builder, typed.loc, tensor);
  trial.define(value, tensor);
  return value;
}

Value GraphMaker::fresh(const Tensor &tensor) {
  if (random.chance(0.4)) {
    return constant(tensor);
  }
  Value argument =
      function.front().addArgument(graph::typeOf(tensor, builder.getContext()), typed.loc);
  inputData.push_back(tensor);
  trial.define(argument, tensor);
  return argument;
}

Value GraphMaker::fresh(ElementType type, ArrayRef<int64_t> shape) {
  Content content = trial.allowsSpecials || (isInteger(type) && random.chance(0.1))
                        ? Content::Special
                        : Content::Plain;
  return fresh(randomTensor(random, type, shape, content));
}

Value GraphMaker::freshPlain(ElementType type, ArrayRef<int64_t> shape) {
  return fresh(randomTensor(random, type, shape));
}

Value GraphMaker::freshPositive(ElementType type, ArrayRef<int64_t> shape) {
  return fresh(randomTensor(random, type, shape, Content::Positive));
}

Value GraphMaker::freshIndices(ArrayRef<int64_t> shape, int64_t low, int64_t high) {
  ElementType type = random.chance(0.5) ? ElementType::I64 : ElementType::I32;
  return fresh(randomInts(random, type, shape, low, high));
}

Value GraphMaker::find(Filter filter) {
  SmallVector<Value> candidates = llvm::to_vector(llvm::make_filter_range(pool, filter));
  if (candidates.empty()) {
    return Value();
  }
  int64_t last = static_cast<int64_t>(candidates.size()) - 1;
  return random.chance(0.5) ? candidates[random.between(std::max<int64_t>(last - 2, 0), last)]
                            : candidates[random.between(0, last)];
}

Value GraphMaker::anything(int64_t minRank, int64_t maxRank) {
  auto fits = [&](Value x) {
    int64_t rank = static_cast<int64_t>(shapeOf(x).size());
    return rank >= minRank && rank <= maxRank;
  };
  Value found = random.chance(0.8) ? find(fits) : Value();
  return found ? found : fresh(randomElement(), randomShape(minRank, maxRank));
}

Value GraphMaker::number(int64_t minRank, int64_t maxRank) {
  Value value = anything(minRank, maxRank);
  return elementOf(value) == ElementType::Bool
             ? fresh(random.chance(0.5) ? randomFloat() : ElementType::I32, shapeOf(value))
             : value;
}

Value GraphMaker::floats(int64_t minRank, int64_t maxRank) {
  Value value = anything(minRank, maxRank);
  return isFloat(elementOf(value)) ? value : fresh(randomFloat(), shapeOf(value));
}

Value GraphMaker::ofType(ElementType type, ArrayRef<int64_t> shape) {
  auto fits = [&](Value x) {
    return elementOf(x) == type && ArrayRef<int64_t>(shapeOf(x)) == shape;
  };
  Value found = random.chance(0.5) ? find(fits) : Value();
  return found ? found : fresh(type, shape);
}

Value GraphMaker::sharp(Value value) {
  bool isFine =
      !sampleOf(value).isRounded || (epsilonOf(elementOf(value)) <= 0x1p-24 && random.chance(0.2));
  return isFine ? value : fresh(elementOf(value), shapeOf(value));
}

Value GraphMaker::broadcasting(ElementType type, ArrayRef<int64_t> shape) {
  auto fits = [&](Value x) {
    if (elementOf(x) != type) {
      return false;
    }
    std::optional<Shape> common = graph::broadcastShapes(shapeOf(x), shape);
    return common && elementCount(*common).value_or(kMaxResultElements) < kMaxResultElements;
  };
  Value found = random.chance(0.5) ? find(fits) : Value();
  if (found) {
    return found;
  }
  Shape narrow(shape);
  bool isEqual = random.chance(0.3);
  for (int64_t &dim : narrow) {
    dim = !isEqual && random.chance(0.4) ? 1 : dim;
  }
  if (!isEqual && !narrow.empty()) {
    narrow.erase(narrow.begin(), narrow.begin() + random.between(0, narrow.size()));
  }
  return fresh(type, narrow);
}

Operation *GraphMaker::keep(Operation *op) {
  typed.infer(op);
  if (typed.hasFailed) {
    hasFailed = true;
    op->emitRemark() << "the generator made this op";
    return nullptr;
  }
  auto isLarge = [](Type type) {
    auto ranked = cast<RankedTensorType>(type);
    return elementCount(ranked.getShape()).value_or(kMaxResultElements) >= kMaxResultElements;
  };
  bool isFine = llvm::none_of(op->getResultTypes(), isLarge) && trial.evaluate(op);
  hasFailed |= trial.hasFailed;
  if (hasFailed) {
    op->emitRemark() << "the generator made this op";
    return nullptr;
  }
  if (!isFine) {
    trial.forget(op);
    op->erase();
    return nullptr;
  }
  llvm::append_range(pool, op->getResults());
  return op;
}

void GraphMaker::addOps(int count) {
  // Trial rejects about one op in three.
  for (int made = 0, attempts = 0; made < count && attempts < 8 * count && !hasFailed; ++attempts) {
    made += pickMaker(random, depth == 0).make(*this);
  }
}

void GraphMaker::fill(Block &block, int maxOps, llvm::function_ref<void()> end) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&block);
  size_t outside = pool.size();
  llvm::append_range(pool, block.getArguments());
  ++depth;
  addOps(maxOps);
  end();
  --depth;
  pool.resize(outside);
}

SmallVector<Value> GraphMaker::chooseResults() {
  SmallVector<Value> chosen;
  for (Value value : pool) {
    if (value.use_empty() || random.chance(0.1)) {
      chosen.push_back(value);
    }
  }
  Block &entry = function.front();
  if (entry.getNumArguments() && random.chance(0.05)) {
    chosen.push_back(entry.getArgument(0));
  }
  if (random.chance(0.05)) {
    chosen.push_back(constant(randomTensor(random, randomElement(), randomShape(0, 2))));
  }
  if (chosen.empty() || random.chance(0.05)) {
    chosen.push_back(pool.empty() ? fresh(ElementType::F32, {3}) : pool.back());
  }
  return chosen;
}

void GraphMaker::finish() {
  SmallVector<Value> chosen = chooseResults();
  results.assign(chosen.begin(), chosen.end());
  auto exit = builder.create<func::ReturnOp>(typed.loc, results);
  function.setFunctionType(
      builder.getFunctionType(function.front().getArgumentTypes(), exit->getOperandTypes()));
  graph::numberInterface(function, "x", "y");
}

OwningOpRef<ModuleOp> GraphMaker::make(int maxOps) {
  // Most graphs are small, because a small failing graph is easier to debug.
  int count = static_cast<int>(1 + std::floor(19.99 * std::pow(random.unit(), 2)));
  addOps(std::min(count, maxOps));
  if (hasFailed) {
    return {};
  }
  finish();
  return std::move(module);
}

std::vector<Sample> GraphMaker::outputs() const {
  std::vector<Sample> samples;
  for (Value value : results) {
    samples.push_back(trial.of(value));
  }
  return samples;
}

} // namespace convoy::test
