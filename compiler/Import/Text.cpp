// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports ops on strings, n-grams and encoded images. They preprocess inputs;
// most of them run on the reference interpreter only.

#include "Import/OpTable.h"

using namespace mlir;

namespace convoy::import {
namespace {

// Limit that keeps the compilation of the pattern fast.
constexpr size_t kMaxPatternBytes = 4096;
// The cost of each row is its length times the n-gram size.
constexpr int64_t kMaxGram = 64;

ArrayAttr stringArray(NodeContext &n, const std::vector<std::string> &strings) {
  SmallVector<StringRef> refs(strings.begin(), strings.end());
  return n.builder.getStrArrayAttr(refs);
}

LogicalResult importStringConcat(NodeContext &n) {
  if (failed(n.require(0, "X")) || failed(n.require(1, "Y"))) {
    return failure();
  }
  return n.yield(n.emit<graph::StringConcatOp>(n.input(0), n.input(1)));
}

LogicalResult importStringSplit(NodeContext &n) {
  if (failed(n.require(0, "X"))) {
    return failure();
  }
  std::string delimiter = n.stringAttr("delimiter", "");
  StringAttr delimiterAttr = delimiter.empty() ? StringAttr() : n.builder.getStringAttr(delimiter);
  IntegerAttr maxSplit;
  if (n.hasAttr("maxsplit")) {
    maxSplit = n.builder.getI64IntegerAttr(n.intAttr("maxsplit", 0));
  }
  return n.yield(n.emitAll<graph::StringSplitOp, 2>(n.input(0), delimiterAttr, maxSplit));
}

LogicalResult importStringNormalizer(NodeContext &n) {
  if (failed(n.require(0, "X"))) {
    return failure();
  }
  std::string action = n.stringAttr("case_change_action", "NONE");
  if (action != "LOWER" && action != "UPPER" && action != "NONE") {
    return n.error() << "has case_change_action '" << action << "', expected LOWER, UPPER or NONE";
  }
  return n.yield(n.emit<graph::StringNormalizeOp>(
      n.input(0), n.builder.getStringAttr(action),
      n.builder.getBoolAttr(n.intAttr("is_case_sensitive", 0) != 0),
      stringArray(n, n.stringsAttr("stopwords"))));
}

LogicalResult importRegexFullMatch(NodeContext &n) {
  if (failed(n.require(0, "X"))) {
    return failure();
  }
  std::string pattern = n.stringAttr("pattern", "");
  if (!n.hasAttr("pattern") || pattern.size() > kMaxPatternBytes) {
    return n.error() << "requires attribute 'pattern' of at most " << kMaxPatternBytes << " bytes";
  }
  return n.yield(n.emit<graph::RegexMatchOp>(n.input(0), n.builder.getStringAttr(pattern)));
}

/// Checks that `counts` divides the pool into n-grams and that each n-gram has
/// one index.
LogicalResult checkPool(NodeContext &n, ArrayRef<int64_t> counts, int64_t poolSize,
                        int64_t indexes) {
  int64_t grams = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    int64_t begin = counts[i];
    int64_t end = i + 1 < counts.size() ? counts[i + 1] : poolSize;
    int64_t size = static_cast<int64_t>(i) + 1;
    if (begin < 0 || end < begin || end > poolSize || (end - begin) % size != 0) {
      return n.error() << "has 'ngram_counts' that do not divide the pool of " << poolSize
                       << " items into whole n-grams";
    }
    grams += (end - begin) / size;
  }
  if (grams != indexes) {
    return n.error() << "has " << indexes << " values in 'ngram_indexes', expected one for each of "
                     << grams << " n-grams";
  }
  return success();
}

LogicalResult importTfIdfVectorizer(NodeContext &n) {
  if (failed(n.require(0, "X"))) {
    return failure();
  }
  std::string mode = n.stringAttr("mode", "");
  if (mode != "TF" && mode != "IDF" && mode != "TFIDF") {
    return n.error() << "has mode '" << mode << "', expected TF, IDF or TFIDF";
  }
  int64_t minGram = n.intAttr("min_gram_length", 0);
  int64_t maxGram = n.intAttr("max_gram_length", 0);
  int64_t maxSkip = n.intAttr("max_skip_count", 0);
  if (minGram < 1 || maxGram < minGram || maxGram > kMaxGram || maxSkip < 0) {
    return n.error() << "has n-gram lengths " << minGram << " to " << maxGram
                     << " and max_skip_count " << maxSkip
                     << ", expected 1 <= min <= max <= " << kMaxGram

                     << " and a non-negative max_skip_count";
  }
  Shape counts = n.intsAttr("ngram_counts");
  Shape indexes = n.intsAttr("ngram_indexes");
  Shape pool = n.intsAttr("pool_int64s");
  std::vector<std::string> strings = n.stringsAttr("pool_strings");
  SmallVector<double> weights = n.floatsAttr("weights");
  bool isText = n.element(n.input(0)) == ElementType::String;
  ElementType element = n.element(n.input(0));
  if (!isText && element != ElementType::I32 && element != ElementType::I64) {
    return n.error() << "expects an input of strings, int32 or int64, got " << n.input(0).getType();
  }
  if (failed(checkPool(n, counts, isText ? strings.size() : pool.size(), indexes.size()))) {
    return failure();
  }
  if (!weights.empty() && weights.size() != indexes.size()) {
    return n.error() << "has " << weights.size()
                     << " values in 'weights', expected one per n-gram: " << indexes.size();
  }
  return n.yield(n.emit<graph::TfIdfOp>(n.input(0), mode, minGram, maxGram, maxSkip, counts,
                                        indexes, pool, stringArray(n, strings), weights));
}

LogicalResult importImageDecoder(NodeContext &n) {
  if (failed(n.require(0, "encoded_stream"))) {
    return failure();
  }
  std::string format = n.stringAttr("pixel_format", "RGB");
  if (format != "RGB" && format != "BGR" && format != "Grayscale") {
    return n.error() << "has pixel_format '" << format << "', expected RGB, BGR or Grayscale";
  }
  return n.yield(n.emit<graph::ImageDecodeOp>(n.input(0), n.builder.getStringAttr(format)));
}

} // namespace

llvm::ArrayRef<OpRow> textRows() {
  static const OpRow kRows[] = {
      {"ImageDecoder", importImageDecoder, "PNG, JPEG, JPEG 2000, TIFF, WebP, BMP, PNM", "",
       /*runsOnCpu=*/false},
      {"RegexFullMatch", importRegexFullMatch, "RE2 syntax", "", /*runsOnCpu=*/false},
      {"StringConcat", importStringConcat, "", "", /*runsOnCpu=*/false},
      {"StringNormalizer", importStringNormalizer,
       "changes the case of ASCII letters only; ignores the locale", "", /*runsOnCpu=*/false},
      {"StringSplit", importStringSplit, "", "", /*runsOnCpu=*/false},
      {"TfIdfVectorizer", importTfIdfVectorizer, "strings run on the reference interpreter only"},
  };
  return kRows;
}

} // namespace convoy::import
