// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports ops that create tables for signal processing: cosine windows and the
// mel weight matrix. The tables are graph ops in f64; if the inputs are
// constant, constant folding evaluates them.

#include "Import/OpTable.h"

using namespace mlir;

namespace convoy::import {
namespace {

using graph::BinaryKind;
using graph::UnaryKind;

constexpr double kPi = 3.14159265358979323846;

Value real(NodeContext &n, double value) { return n.scalar(ElementType::F64, value); }

/// Returns 0, 1, ... count - 1 as i64; `count` is a scalar.
Value countTo(NodeContext &n, Value count) {
  return n.emit<graph::RangeOp>(n.intScalar(0), count, n.intScalar(1));
}

/// Computes weights[0] + weights[1] cos(t) + weights[2] cos(2 t) + ... over one
/// period of the window.
LogicalResult importWindow(NodeContext &n, ArrayRef<double> weights) {
  if (failed(n.require(0, "size"))) {
    return failure();
  }
  FailureOr<ElementType> type = n.elementTypeAttr("output_datatype", ElementType::F32);
  if (failed(type)) {
    return failure();
  }
  Value size = n.cast(n.input(0), ElementType::I64);
  Value positions = n.cast(countTo(n, size), ElementType::F64);
  // A symmetric window spans size - 1 samples, a periodic window spans size
  // samples.
  Value period = n.cast(size, ElementType::F64);
  if (n.intAttr("periodic", 1) == 0) {
    period = n.binary(BinaryKind::Max, n.sub(period, real(n, 1)), real(n, 1));
  }
  Value angle = n.div(n.mul(positions, real(n, 2 * kPi)), period);
  Value window = n.mul(positions, real(n, 0));
  for (auto [i, weight] : llvm::enumerate(weights)) {
    Value cosine = n.unary(UnaryKind::Cos, n.mul(angle, real(n, static_cast<double>(i))));
    window = n.add(window, n.mul(cosine, real(n, weight)));
  }
  return n.yield(n.cast(window, *type));
}

LogicalResult importHannWindow(NodeContext &n) { return importWindow(n, {0.5, -0.5}); }

LogicalResult importHammingWindow(NodeContext &n) {
  constexpr double kAlpha = 25.0 / 46.0; // ONNX uses the exact value; textbooks round it to 0.54
  return importWindow(n, {kAlpha, kAlpha - 1});
}

LogicalResult importBlackmanWindow(NodeContext &n) { return importWindow(n, {0.42, -0.5, 0.08}); }

constexpr double kLn10 = 2.302585092994045684;

/// Converts a frequency in hertz to mels.
Value melOf(NodeContext &n, Value hertz) {
  Value ratio = n.div(n.cast(hertz, ElementType::F64), real(n, 700));
  return n.mul(n.unary(UnaryKind::Log, n.add(ratio, real(n, 1))), real(n, 2595 / kLn10));
}

/// Returns the numMelBins + 2 spectrogram bins at which the mel filters begin,
/// peak and end, as integers in f64.
Value melEdges(NodeContext &n, Value melBins, Value dftLength, Value sampleRate) {
  Value low = melOf(n, n.input(3));
  Value high = melOf(n, n.input(4));
  Value count = n.add(melBins, n.intScalar(2));
  Value step = n.div(n.sub(high, low), n.cast(count, ElementType::F64));
  Value mels = n.add(n.mul(n.cast(countTo(n, count), ElementType::F64), step), low);
  Value power = n.unary(UnaryKind::Exp, n.mul(mels, real(n, kLn10 / 2595)));
  Value hertz = n.mul(n.sub(power, real(n, 1)), real(n, 700));
  Value scale = n.cast(n.add(dftLength, n.intScalar(1)), ElementType::F64);
  Value bins = n.div(n.mul(hertz, scale), n.cast(sampleRate, ElementType::F64));
  return n.unary(UnaryKind::Floor, bins);
}

/// Returns 1 where the condition holds, else 0.
Value indicator(NodeContext &n, Value condition) { return n.cast(condition, ElementType::F64); }

/// Imports MelWeightMatrix: triangles over the spectrogram bins, one column per
/// mel bin:
///
///     j        lower ...... center ...... higher
///     weight     0   rises    1    falls     0
LogicalResult importMelWeightMatrix(NodeContext &n) {
  constexpr StringLiteral kInputs[] = {"num_mel_bins", "dft_length", "sample_rate",
                                       "lower_edge_hertz", "upper_edge_hertz"};
  for (auto [i, name] : llvm::enumerate(kInputs)) {
    if (failed(n.require(i, name))) {
      return failure();
    }
  }
  FailureOr<ElementType> type = n.elementTypeAttr("output_datatype", ElementType::F32);
  if (failed(type)) {
    return failure();
  }
  auto integer = [&](unsigned i) { return n.cast(n.input(i), ElementType::I64); };
  Value melBins = integer(0);
  Value dftLength = integer(1);
  Value edges = melEdges(n, melBins, dftLength, integer(2));
  Value lower = n.slice(edges, 0, 0, -2);
  Value center = n.slice(edges, 0, 1, -1);
  Value higher = n.slice(edges, 0, 2, INT64_MAX);
  Value bins = n.add(n.div(dftLength, n.intScalar(2)), n.intScalar(1));
  Value j = n.reshape(n.cast(countTo(n, bins), ElementType::F64), {-1, 1});

  // Edges are integers, so a divisor of at least 1 changes no valid slope.
  auto atLeastOne = [&](Value v) { return n.binary(BinaryKind::Max, v, real(n, 1)); };
  Value rise = n.div(n.sub(j, lower), atLeastOne(n.sub(center, lower)));
  Value fall = n.div(n.sub(higher, j), atLeastOne(n.sub(higher, center)));
  Value isCenter = n.binary(BinaryKind::Equal, j, center);
  Value isRising = n.binary(BinaryKind::And, n.binary(BinaryKind::GreaterEqual, j, lower),
                            n.binary(BinaryKind::Less, j, center));
  Value isFalling = n.binary(BinaryKind::And, n.binary(BinaryKind::Greater, j, center),
                             n.binary(BinaryKind::Less, j, higher));
  Value weights = n.add(n.add(indicator(n, isCenter), n.mul(indicator(n, isRising), rise)),
                        n.mul(indicator(n, isFalling), fall));
  return n.yield(n.cast(weights, *type));
}

} // namespace

llvm::ArrayRef<OpRow> windowRows() {
  static const OpRow kRows[] = {
      {"BlackmanWindow", importBlackmanWindow},
      {"HammingWindow", importHammingWindow},
      {"HannWindow", importHannWindow},
      {"MelWeightMatrix", importMelWeightMatrix},
  };
  return kRows;
}

} // namespace convoy::import
