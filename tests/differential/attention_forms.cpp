// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles attention in the forms that exporters write and compares each result with an attention
// in double precision. The test also fails if a form does not become one kernel of the attention
// template, or if three threads give other bits than one.
//
//     attention_forms [--verbose]

#include "Graph/Attributes.h"
#include "Graph/TypedBuilder.h"
#include "Kernels/Kernel.h"
#include "Pipeline/RunStages.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tests/differential/Differential.h"
#include "tests/differential/Random.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir;
using namespace convoy;
using namespace convoy::test;
using convoy::graph::BinaryKind;
using convoy::graph::ReduceKind;
using convoy::graph::UnaryKind;

namespace {

/// Largest allowed difference, in units of the root mean square of the result. f32 has an epsilon
/// of 1.2e-7; the largest measured difference is 4.8e-6.
constexpr double kMostError = 1e-5;

/// How operands and result are stored.
enum class Storage {
  Rows,     // B x S x H x D, transposed to heads; the result is transposed back
  Heads,    // B x H x S x D; the keys are transposed
  Elements, // B x H x D x S for keys and for values
};

enum class Scale { None, Scores, Divisor, Both, Queries };

enum class Mask {
  None,
  Padding,     // added, one number per batch element and key
  Added,       // added, one number per query and key
  Selected,    // boolean, one per query and key
  Causal,      // computed from positions
  WholeRows,   // boolean; some queries attend to no key
  GuardedRows, // the same, and the weights of these queries are replaced by zero
  LastKeys,    // boolean; only the last keys are allowed, so whole chunks of keys are masked
  AddedCausal, // 0 or -inf is added to each score
};

struct Form {
  const char *name;
  int64_t batch, heads, keyHeads, queries, keys, headSize, valueSize;
  Storage storage = Storage::Rows;
  Scale scale = Scale::Divisor;
  Mask mask = Mask::None;
  double cap = 0;
  int64_t vectorBytes = 0; // of the machine to compile for; 0: the default of the test
  /// Groups query heads by a reshape, as the Attention op does, instead of copying key heads.
  bool groupsByReshape = false;
};

const Form kForms[] = {
    {"BERT layer", 1, 12, 12, 128, 128, 32, 32},
    {"odd sizes", 2, 3, 3, 19, 37, 13, 7},
    {"Moonshine head", 1, 8, 8, 40, 40, 36, 36, Storage::Rows, Scale::Both},
    {"stored by heads", 1, 4, 4, 33, 20, 8, 8, Storage::Heads, Scale::Scores},
    {"stored by elements", 2, 2, 2, 21, 30, 20, 24, Storage::Elements, Scale::None},
    {"padding mask", 3, 4, 4, 16, 16, 64, 64, Storage::Rows, Scale::Queries, Mask::Padding},
    {"added mask", 1, 2, 2, 17, 25, 16, 40, Storage::Heads, Scale::Scores, Mask::Added},
    {"selected keys", 1, 5, 5, 23, 31, 12, 12, Storage::Rows, Scale::Divisor, Mask::Selected},
    {"causal", 1, 2, 2, 29, 29, 16, 16, Storage::Rows, Scale::Divisor, Mask::Causal},
    {"soft cap and mask", 1, 2, 2, 20, 24, 16, 16, Storage::Heads, Scale::Queries, Mask::Added, 2},
    {"queries without keys", 1, 2, 2, 18, 11, 8, 8, Storage::Rows, Scale::Scores, Mask::WholeRows},
    {"guarded rows", 1, 2, 2, 18, 11, 8, 8, Storage::Rows, Scale::Scores, Mask::GuardedRows},
    {"one query", 1, 8, 8, 1, 50, 36, 36, Storage::Heads, Scale::Both},
    {"one key", 2, 2, 2, 9, 1, 5, 3},
    {"one element", 1, 2, 2, 9, 6, 1, 1},
    {"three queries", 1, 2, 2, 3, 9, 8, 70},
    {"copied key heads", 1, 8, 2, 5, 12, 8, 8, Storage::Heads, Scale::Scores, Mask::Added},
    {"grouped query heads", 2, 6, 3, 10, 14, 8, 12, Storage::Heads, Scale::Queries, Mask::Added, 0,
     0, true},
    {"long keys", 1, 1, 1, 4, 1500, 16, 16, Storage::Heads},
    {"long keys, wide values", 1, 1, 1, 9, 700, 8, 1000, Storage::Heads},
    {"long keys, odd values", 1, 1, 1, 40, 400, 8, 75, Storage::Rows, Scale::None, Mask::None, 0,
     16},
    {"many long keys", 1, 2, 2, 70, 1500, 64, 64, Storage::Rows, Scale::Queries},
    {"long causal", 1, 1, 1, 300, 300, 16, 16, Storage::Rows, Scale::Divisor, Mask::Causal},
    {"long added causal", 1, 2, 2, 140, 330, 16, 16, Storage::Rows, Scale::Divisor,
     Mask::AddedCausal},
    {"last of long keys", 1, 2, 2, 40, 600, 8, 8, Storage::Heads, Scale::Scores, Mask::LastKeys},
    {"long keys, queries without keys", 1, 1, 1, 40, 700, 8, 8, Storage::Rows, Scale::Scores,
     Mask::WholeRows},
    {"long keys, guarded rows", 1, 1, 1, 40, 700, 8, 8, Storage::Rows, Scale::Scores,
     Mask::GuardedRows},
    {"wide values", 1, 1, 1, 12, 10, 4, 300, Storage::Heads},
    {"16-byte vectors", 1, 3, 3, 22, 26, 20, 18, Storage::Rows, Scale::Divisor, Mask::Padding, 0,
     16},
    {"64-byte vectors", 1, 3, 3, 77, 41, 36, 36, Storage::Rows, Scale::Both, Mask::Added, 0, 64},
    {"1024-byte vectors", 1, 2, 2, 70, 33, 20, 90, Storage::Rows, Scale::Divisor, Mask::None, 0,
     1024},
};

double scaleOf(const Form &form) { return 1 / std::sqrt(static_cast<double>(form.headSize)); }

Shape storedShape(const Form &form, int64_t heads, int64_t length, int64_t size, bool isQuery) {
  switch (form.storage) {
  case Storage::Rows:
    return {form.batch, length, heads, size};
  case Storage::Heads:
    return {form.batch, heads, length, size};
  case Storage::Elements:
    return isQuery ? Shape{form.batch, heads, length, size}
                   : Shape{form.batch, heads, size, length};
  }
  llvm_unreachable("unknown storage");
}

Shape maskShape(const Form &form) {
  return form.mask == Mask::Padding ? Shape{form.batch, 1, 1, form.keys}
                                    : Shape{1, 1, form.queries, form.keys};
}

bool isBoolean(Mask mask) {
  return mask == Mask::Selected || mask == Mask::WholeRows || mask == Mask::GuardedRows ||
         mask == Mask::LastKeys;
}

struct Data {
  Tensor query, key, value, mask;

  Data(const Form &form, Random &random)
      : query(ElementType::F32, storedShape(form, form.heads, form.queries, form.headSize, true)),
        key(ElementType::F32, storedShape(form, form.keyHeads, form.keys, form.headSize, false)),
        value(ElementType::F32, storedShape(form, form.keyHeads, form.keys, form.valueSize, false)),
        mask(isBoolean(form.mask) ? ElementType::Bool : ElementType::F32, maskShape(form)) {
    for (Tensor *tensor : {&query, &key, &value}) {
      for (int64_t i = 0; i < tensor->size(); ++i) {
        tensor->setDouble(i, 4 * random.unit() - 2);
      }
    }
    for (int64_t i = 0; i < mask.size(); ++i) {
      bool isEmptyRow = (form.mask == Mask::WholeRows || form.mask == Mask::GuardedRows) &&
                        i / form.keys % 3 == 1;
      bool isAllowed = form.mask == Mask::LastKeys
                           ? i % form.keys >= form.keys - 5
                           : !isEmptyRow && (i % form.keys == 0 || random.chance(0.7));
      bool isLater = i % form.keys > i / form.keys;
      mask.setDouble(i, isBoolean(form.mask)              ? (isAllowed ? 1 : 0)
                        : form.mask == Mask::AddedCausal  ? (isLater ? -HUGE_VAL : 0)
                        : form.mask == Mask::Padding      ? (isAllowed ? 0 : -10000)
                        : isAllowed || random.chance(0.5) ? random.unit()
                                                          : -HUGE_VAL);
    }
  }
};

/// Element `e` of position `s` of a head.
double at(const Form &form, const Tensor &tensor, int64_t b, int64_t h, int64_t s, int64_t e,
          bool isQuery) {
  Shape place = {b, h, s, e};
  if (form.storage == Storage::Rows) {
    place = {b, s, h, e};
  } else if (form.storage == Storage::Elements && !isQuery) {
    place = {b, h, e, s};
  }
  int64_t offset = 0;
  for (auto [i, size] : llvm::zip(place, tensor.shape())) {
    offset = offset * size + i;
  }
  return tensor.asDouble(offset);
}

/// Returns the score of a key after scale, cap and mask.
double score(const Form &form, const Data &data, int64_t b, int64_t h, int64_t q, int64_t k) {
  double sum = 0;
  int64_t keyHead = h / (form.heads / form.keyHeads);
  for (int64_t e = 0; e < form.headSize; ++e) {
    sum += at(form, data.query, b, h, q, e, true) * at(form, data.key, b, keyHead, k, e, false);
  }
  sum *= form.scale == Scale::None ? 1 : scaleOf(form);
  sum = form.cap > 0 ? form.cap * std::tanh(sum / form.cap) : sum;
  int64_t row = form.mask == Mask::Padding ? b : q;
  double mask = form.mask == Mask::None ? 0 : data.mask.asDouble(row * form.keys + k);
  if (form.mask == Mask::Causal) {
    return k <= q ? sum : -HUGE_VAL;
  }
  return isBoolean(form.mask) ? (mask != 0 ? sum : -HUGE_VAL) : sum + mask;
}

/// Returns the result in the order of the compiled graph: B x S x H x D for Rows, else B x H x S x
/// D.
std::vector<double> expected(const Form &form, const Data &data) {
  std::vector<double> result(form.batch * form.heads * form.queries * form.valueSize);
  std::vector<double> weights(form.keys);
  bool isRows = form.storage == Storage::Rows;
  for (int64_t i = 0; i < form.batch * form.heads * form.queries; ++i) {
    int64_t q = i % form.queries, h = i / form.queries % form.heads;
    int64_t b = i / form.queries / form.heads;
    double most = -HUGE_VAL, sum = 0;
    for (int64_t k = 0; k < form.keys; ++k) {
      weights[k] = score(form, data, b, h, q, k);
      most = std::max(most, weights[k]);
    }
    for (double &weight : weights) {
      weight = std::exp(weight - most);
      sum += weight;
    }
    int64_t row = isRows ? (b * form.queries + q) * form.heads + h : i;
    for (int64_t e = 0; e < form.valueSize; ++e) {
      double total = 0;
      for (int64_t k = 0; k < form.keys; ++k) {
        double weight = weights[k] / sum;
        weight = form.mask == Mask::GuardedRows && std::isnan(weight) ? 0 : weight;
        total += weight * at(form, data.value, b, h / (form.heads / form.keyHeads), k, e, false);
      }
      result[row * form.valueSize + e] = total;
    }
  }
  return result;
}

class FormBuilder {
public:
  FormBuilder(const Form &form, OpBuilder &builder, Location loc) : form(form), b(builder, loc) {}

  Value build(ValueRange inputs) {
    Value query = ofHeads(inputs[0]);
    Value key = form.storage == Storage::Rows ? b.transpose(inputs[1], {0, 2, 3, 1}) : inputs[1];
    Value value = ofHeads(inputs[2]);
    if (form.storage == Storage::Elements) {
      value = b.transpose(value, {0, 1, 3, 2});
    } else if (form.storage == Storage::Heads) {
      key = copied(key, form.headSize);
      value = copied(value, form.valueSize);
      key = b.transpose(key, {0, 1, 3, 2});
    }
    double root = std::sqrt(scaleOf(form));
    if (form.scale == Scale::Queries) {
      query = b.mul(query, b.scalarLike(query, scaleOf(form)));
    } else if (form.scale == Scale::Both) {
      query = b.mul(query, b.scalarLike(query, root));
      key = b.mul(b.scalarLike(key, root), key);
    }
    Value scores = ungrouped(b.matmul(grouped(query), key));
    Value weights = softmax(masked(capped(scaled(scores)), inputs[3]));
    if (form.mask == Mask::GuardedRows) {
      Value isNan = b.unary(UnaryKind::IsNaN, weights);
      weights = b.select(isNan, b.scalarLike(weights, 0), weights);
    }
    Value y = ungrouped(b.matmul(grouped(weights), value));
    return form.storage == Storage::Rows ? b.transpose(y, {0, 2, 1, 3}) : y;
  }

private:
  Value ofHeads(Value x) {
    return form.storage == Storage::Rows ? b.transpose(x, {0, 2, 1, 3}) : x;
  }

  bool isCopied() const { return form.heads != form.keyHeads && !form.groupsByReshape; }

  /// Copies each key head for the query heads that share it.
  Value copied(Value x, int64_t size) {
    if (!isCopied()) {
      return x;
    }
    int64_t repeats = form.heads / form.keyHeads;
    Value wide = b.reshape(x, {form.batch, form.keyHeads, 1, form.keys, size});
    wide = b.emit<graph::ExpandOp>(wide,
                                   b.ints({form.batch, form.keyHeads, repeats, form.keys, size}));
    return b.reshape(wide, {form.batch, form.heads, form.keys, size});
  }

  Value grouped(Value x) {
    if (!form.groupsByReshape) {
      return x;
    }
    int64_t last = cast<RankedTensorType>(x.getType()).getShape().back();
    return b.reshape(x,
                     {form.batch, form.keyHeads, form.heads / form.keyHeads * form.queries, last});
  }

  Value ungrouped(Value x) {
    if (!form.groupsByReshape) {
      return x;
    }
    int64_t last = cast<RankedTensorType>(x.getType()).getShape().back();
    return b.reshape(x, {form.batch, form.heads, form.queries, last});
  }

  Value scaled(Value scores) {
    if (form.scale == Scale::Scores) {
      return b.mul(scores, b.scalarLike(scores, scaleOf(form)));
    }
    return form.scale == Scale::Divisor ? b.div(scores, b.scalarLike(scores, 1 / scaleOf(form)))
                                        : scores;
  }

  Value capped(Value scores) {
    if (form.cap == 0) {
      return scores;
    }
    Value cap = b.scalarLike(scores, form.cap);
    return b.mul(b.unary(UnaryKind::Tanh, b.div(scores, cap)), cap);
  }

  Value masked(Value scores, Value mask) {
    Value least = b.scalarLike(scores, -HUGE_VAL);
    if (form.mask == Mask::Causal) {
      Value allowed = b.binary(BinaryKind::LessEqual, b.iota(form.keys, {1, form.keys}),
                               b.iota(form.queries, {form.queries, 1}));
      return b.select(allowed, scores, least);
    }
    if (form.mask == Mask::None) {
      return scores;
    }
    return isBoolean(form.mask) ? b.select(mask, scores, least) : b.add(scores, mask);
  }

  Value softmax(Value x) {
    Value shifted = b.sub(x, b.reduce(ReduceKind::Max, x, {3}));
    Value exponential = b.unary(UnaryKind::Exp, shifted);
    return b.div(exponential, b.reduce(ReduceKind::Sum, exponential, {3}));
  }

  const Form &form;
  graph::TypedBuilder b;
};

OwningOpRef<ModuleOp> makeModule(MLIRContext &context, const Form &form, const Data &data) {
  OpBuilder builder(&context);
  Location loc = NameLoc::get(builder.getStringAttr("attention"));
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  SmallVector<Type> types;
  for (const Tensor *tensor : {&data.query, &data.key, &data.value, &data.mask}) {
    types.push_back(graph::typeOf(*tensor, &context));
  }
  auto main = builder.create<func::FuncOp>(loc, "main", builder.getFunctionType(types, {}));
  builder.setInsertionPointToStart(main.addEntryBlock());
  Value result = FormBuilder(form, builder, loc).build(main.getArguments());
  builder.create<func::ReturnOp>(loc, result);
  main.setType(builder.getFunctionType(types, {result.getType()}));
  graph::numberInterface(main, "x", "y");
  return module;
}

/// Returns whether the template must divide the keys of the form into chunks.
bool needsChunks(const Form &form) {
  bool isLong = form.keys >= (form.mask == Mask::None ? 1500 : 300);
  return isLong && form.queries >= 40 && form.mask != Mask::GuardedRows;
}

kernels::Machine machineOf(const Form &form) {
  kernels::Machine machine;
  machine.firstCacheBytes = needsChunks(form) ? 8192 : machine.firstCacheBytes;
  machine.vectorBytes = form.vectorBytes != 0 ? form.vectorBytes : machine.vectorBytes;
  machine.vectorRegisters = machine.hasLongVectors() ? 4 : machine.vectorBytes >= 64 ? 32 : 16;
  machine.hasScalarOperands = machine.hasLongVectors();
  return machine;
}

/// Returns why the attention template does not compute the matrix products of the form as expected,
/// or an empty string.
std::string whyNotAsExpected(ModuleOp module, const Form &form, const kernels::Machine &machine) {
  StageOptions options;
  options.machine = machine;
  OwningOpRef<ModuleOp> copy = module.clone();
  bool isFused = false, hasOther = false, hasChunks = false;
  if (succeeded(runStages(*copy, options, "", "layout"))) {
    copy->walk([&](graph::KernelOp kernel) {
      bool hasProduct = !kernel.getBody().getOps<graph::MatMulOp>().empty();
      auto config = dyn_cast_or_null<kernels::AttentionAttr>(kernel.getConfigAttr());
      isFused |= static_cast<bool>(config);
      hasOther |= hasProduct && !config;
      hasChunks |= config && config.getChunk() < form.keys;
    });
  }
  if (!isFused || hasOther) {
    return "the form is not one kernel";
  }
  return needsChunks(form) && !hasChunks ? "the keys are one chunk" : "";
}

/// Returns the largest difference in units of the root mean square of the exact result.
double errorOf(const Tensor &actual, const std::vector<double> &exact) {
  double most = 0, scale = 0;
  int64_t count = 0;
  for (size_t i = 0; i < exact.size(); ++i) {
    double got = actual.asDouble(static_cast<int64_t>(i));
    if (std::isnan(exact[i]) != std::isnan(got)) {
      return HUGE_VAL;
    }
    if (!std::isnan(exact[i])) {
      most = std::max(most, std::fabs(got - exact[i]));
      scale += exact[i] * exact[i];
      ++count;
    }
  }
  return most / std::sqrt(scale / static_cast<double>(count));
}

/// Returns false after printing the problem.
bool check(const Form &form, bool isVerbose) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<func::FuncDialect, graph::GraphDialect, kernels::KernelDialect>();
  Random random(11);
  Data data(form, random);
  OwningOpRef<ModuleOp> module = makeModule(context, form, data);
  kernels::Machine machine = machineOf(form);
  std::vector<Tensor> inputs = {data.query, data.key, data.value, data.mask};
  std::vector<Tensor> alone, together;
  std::string problem = whyNotAsExpected(*module, form, machine);
  if (problem.empty()) {
    problem = runOnHostAs(machine, *module, inputs, alone);
  }
  if (problem.empty()) {
    problem = runOnHostAs(machine, *module, inputs, together, /*threads=*/3);
  }
  double error = 0;
  if (problem.empty()) {
    error = errorOf(alone[0], expected(form, data));
    double apart = 0;
    for (int64_t i = 0; i < alone[0].size(); ++i) {
      double a = alone[0].asDouble(i), b = together[0].asDouble(i);
      apart = a == b || (std::isnan(a) && std::isnan(b)) ? apart : HUGE_VAL;
    }
    problem = apart != 0            ? "the result depends on the number of threads"
              : error <= kMostError ? ""
                                    : "the error exceeds the limit";
  }
  if (!problem.empty() || isVerbose) {
    llvm::outs() << (problem.empty() ? "" : "FAILED ") << form.name << ": "
                 << llvm::format("largest error %.2e, allowed %.2e", error, kMostError)
                 << (problem.empty() ? "" : "; ") << problem << "\n";
  }
  return problem.empty();
}

} // namespace

int main(int argc, char **argv) {
  bool isVerbose = argc > 1 && StringRef(argv[1]) == "--verbose";
  int failedForms = 0;
  for (const Form &form : kForms) {
    failedForms += check(form, isVerbose) ? 0 : 1;
  }
  llvm::outs() << std::size(kForms) << " forms, " << failedForms << " failed\n";
  return failedForms ? 1 : 0;
}
