// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates ops on strings: concatenate, split, normalize, match and count
// n-grams.

#include "reference/Evaluation.h"
#include <algorithm>
#include <map>
#include <re2/re2.h>
#include <set>

using namespace mlir;

namespace convoy::reference {
namespace {

/// Returns the position in a tensor of `shape` that broadcasts to position
/// `flat` of `whole`.
int64_t broadcastPosition(int64_t flat, ArrayRef<int64_t> whole, ArrayRef<int64_t> shape) {
  int64_t position = 0;
  int64_t stride = 1;
  for (size_t i = 0; i < whole.size(); ++i) {
    int64_t dim = whole[whole.size() - 1 - i];
    if (i < shape.size()) {
      int64_t own = shape[shape.size() - 1 - i];
      position += own == 1 ? 0 : flat % dim * stride;
      stride *= own;
    }
    flat /= dim;
  }
  return position;
}

LogicalResult evaluateConcat(graph::StringConcatOp op, Evaluation &e) {
  const Tensor &lhs = e.input(op.getLhs());
  const Tensor &rhs = e.input(op.getRhs());
  Tensor &result = e.output();
  std::vector<std::string> &out = result.mutableStrings();
  int64_t bytes = 0; // A chain of concatenations may double the text with every op.
  for (int64_t i = 0; i < result.size(); ++i) {
    const std::string &left = lhs.strings()[broadcastPosition(i, result.shape(), lhs.shape())];
    const std::string &right = rhs.strings()[broadcastPosition(i, result.shape(), rhs.shape())];
    bytes += static_cast<int64_t>(left.size() + right.size());
    if (failed(e.checkBytes(bytes))) {
      return failure();
    }
    out[i] = left + right;
  }
  return success();
}

/// Splits at runs of whitespace, like Python's str.split().
std::vector<std::string> splitAtSpace(StringRef text, int64_t maxSplit) {
  constexpr StringLiteral kSpace = " \t\n\v\f\r";
  std::vector<std::string> parts;
  text = text.ltrim(kSpace);
  while (!text.empty() && static_cast<int64_t>(parts.size()) < maxSplit) {
    size_t end = text.find_first_of(kSpace);
    parts.push_back(text.substr(0, end).str());
    text = text.substr(end).ltrim(kSpace);
  }
  if (!text.empty()) {
    parts.push_back(text.rtrim(kSpace).str());
  }
  return parts;
}

std::vector<std::string> splitAt(StringRef text, StringRef delimiter, int64_t maxSplit) {
  std::vector<std::string> parts;
  for (size_t at = text.find(delimiter);
       at != StringRef::npos && static_cast<int64_t>(parts.size()) < maxSplit;
       at = text.find(delimiter)) {
    parts.push_back(text.substr(0, at).str());
    text = text.substr(at + delimiter.size());
  }
  parts.push_back(text.str());
  return parts;
}

LogicalResult evaluateSplit(graph::StringSplitOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  int64_t maxSplit = op.getMaxSplit() ? static_cast<int64_t>(*op.getMaxSplit())
                                      : std::numeric_limits<int64_t>::max();
  StringRef delimiter = op.getDelimiter().value_or("");
  std::vector<std::vector<std::string>> parts;
  size_t longest = 0;
  for (const std::string &text : input.strings()) {
    parts.push_back(delimiter.empty() ? splitAtSpace(text, maxSplit)
                                      : splitAt(text, delimiter, maxSplit));
    longest = std::max(longest, parts.back().size());
  }
  Tensor &counts = e.allocate(1, input.shape());
  Shape shape(input.shape().begin(), input.shape().end());
  shape.push_back(longest);
  Tensor &whole = e.allocate(0, shape);
  if (!e.isWhole()) {
    return failure(); // Too large: allocate emitted an error.
  }
  std::vector<std::string> &out = whole.mutableStrings();
  for (auto [i, list] : llvm::enumerate(parts)) {
    counts.setInt(i, list.size());
    std::move(list.begin(), list.end(), out.begin() + i * longest);
  }
  return success();
}

std::string changeCase(StringRef text, StringRef action) {
  return action == "LOWER" ? text.lower() : action == "UPPER" ? text.upper() : text.str();
}

LogicalResult evaluateNormalize(graph::StringNormalizeOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  auto fold = [&](StringRef text) { return op.getIsCaseSensitive() ? text.str() : text.lower(); };
  std::set<std::string> stopWords;
  for (Attribute word : op.getStopWords()) {
    stopWords.insert(fold(cast<StringAttr>(word).getValue()));
  }
  std::vector<std::string> kept;
  for (const std::string &text : input.strings()) {
    if (!stopWords.count(fold(text))) {
      kept.push_back(changeCase(text, op.getCaseChange()));
    }
  }
  // As ONNX specifies, an empty result is one empty string.
  if (kept.empty()) {
    kept.push_back("");
  }
  Shape shape(input.rank(), 1);
  if (shape.empty()) {
    return e.error() << "expects an input of shape [C] or [1, C], got a scalar";
  }
  shape.back() = kept.size();
  e.allocate(0, shape).mutableStrings() = std::move(kept);
  return success();
}

LogicalResult evaluateRegex(graph::RegexMatchOp op, Evaluation &e) {
  RE2::Options options;
  options.set_log_errors(false);
  RE2 pattern(op.getPattern().str(), options);
  if (!pattern.ok()) {
    return e.error() << "has pattern '" << op.getPattern()
                     << "', which RE2 rejects: " << pattern.error();
  }
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  for (int64_t i = 0; i < result.size(); ++i) {
    result.setInt(i, RE2::FullMatch(input.strings()[i], pattern));
  }
  return success();
}

//===-- n-grams -------------------------------------------------------------===//

/// An n-gram as integers: integer items unchanged, strings by their index in
/// the vocabulary of the pool.
using Gram = std::vector<int64_t>;

/// The counted n-grams and their columns.
struct GramTable {
  std::map<std::string, int64_t> vocabulary;
  std::map<Gram, size_t> grams; // n-gram to its index

  int64_t wordOf(const std::string &text) const {
    auto it = vocabulary.find(text);
    return it == vocabulary.end() ? -1 : it->second;
  }
};

GramTable readGrams(graph::TfIdfOp op) {
  GramTable table;
  Gram pool(op.getPoolInts().begin(), op.getPoolInts().end());
  if (!op.getPoolStrings().empty()) {
    pool.clear();
    for (Attribute word : op.getPoolStrings()) {
      int64_t next = table.vocabulary.size();
      std::string text = cast<StringAttr>(word).getValue().str();
      pool.push_back(table.vocabulary.try_emplace(text, next).first->second);
    }
  }
  ArrayRef<int64_t> counts = op.getGramCounts();
  size_t number = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    int64_t size = i + 1;
    int64_t poolSize = pool.size();
    int64_t end = std::min(i + 1 < counts.size() ? counts[i + 1] : poolSize, poolSize);
    for (int64_t at = counts[i]; at >= 0 && at <= end - size; at += size, ++number) {
      bool isCounted = size >= static_cast<int64_t>(op.getMinGram()) &&
                       size <= static_cast<int64_t>(op.getMaxGram());
      if (isCounted && number < op.getGramIndexes().size()) {
        table.grams.try_emplace(Gram(pool.begin() + at, pool.begin() + at + size), number);
      }
    }
  }
  return table;
}

/// Returns the largest distance between the items of an n-gram. A step beyond
/// the row length matches only single items.
int64_t widestStep(graph::TfIdfOp op, int64_t length) {
  return 1 + std::min<int64_t>(op.getMaxSkip(), std::max<int64_t>(length - 1, 0));
}

/// Counts each n-gram of a row; items are evenly spaced with up to maxSkip
/// skipped items.
std::vector<int64_t> countGrams(graph::TfIdfOp op, const GramTable &table, ArrayRef<int64_t> row) {
  std::vector<int64_t> counts(op.getGramIndexes().size());
  int64_t length = row.size();
  int64_t widest = widestStep(op, length);
  for (int64_t step = 1; step <= widest; ++step) {
    for (int64_t begin = 0; begin < length; ++begin) {
      Gram gram;
      for (int64_t at = begin;
           at < length && static_cast<int64_t>(gram.size()) < static_cast<int64_t>(op.getMaxGram());
           at += step) {
        gram.push_back(row[at]);
        // A single item matches in the same way for every step.
        auto it = gram.size() == 1 && step > 1 ? table.grams.end() : table.grams.find(gram);
        if (it != table.grams.end()) {
          ++counts[it->second];
        }
      }
    }
  }
  return counts;
}

LogicalResult evaluateTfIdf(graph::TfIdfOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  GramTable table = readGrams(op);
  int64_t columns = result.shape().back();
  int64_t width = input.shape().back();
  int64_t rows = input.rank() == 1 ? 1 : input.dim(0);
  double terms = static_cast<double>(input.size()) * static_cast<double>(widestStep(op, width));
  if (failed(e.checkTerms(terms * static_cast<double>(op.getMaxGram())))) {
    return failure();
  }
  for (int64_t r = 0; r < rows; ++r) {
    Gram row;
    for (int64_t i = r * width; i < (r + 1) * width; ++i) {
      row.push_back(input.type() == ElementType::String ? table.wordOf(input.strings()[i])
                                                        : input.asInt(i));
    }
    std::vector<int64_t> counts = countGrams(op, table, row);
    for (auto [gram, count] : llvm::enumerate(counts)) {
      double weight = op.getWeights().empty() ? 1.0 : op.getWeights()[gram];
      double value = op.getMode() == "TF"    ? count
                     : op.getMode() == "IDF" ? (count ? weight : 0.0)
                                             : count * weight;
      int64_t at = r * columns + op.getGramIndexes()[gram];
      result.setDouble(at, result.asDouble(at) + value);
    }
  }
  return success();
}

} // namespace

void addTextEvaluators(EvaluatorTable &table) {
  table.add<graph::StringConcatOp, evaluateConcat>();
  table.add<graph::StringSplitOp, evaluateSplit>();
  table.add<graph::StringNormalizeOp, evaluateNormalize>();
  table.add<graph::RegexMatchOp, evaluateRegex>();
  table.add<graph::TfIdfOp, evaluateTfIdf>();
}

} // namespace convoy::reference
