// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What to write into the look-up tables of CDP and SDP, and into the converters around
// them: response normalisation, sigmoid and tanh, in int8 and fp16.

#pragma once

#include "Accelerators/NVDLA/Simulator/Jobs.h"

namespace convoy::nvdla {

/// y = x / (bias + alpha / window * sum of squares over the window) ^ beta.
struct Normalization {
  uint32_t window = 5; // channels: 3, 5, 7 or 9
  double alpha = 1e-4, beta = 0.75, bias = 1;
};

/// Real = (integer - zeroPoint) * scale.
struct Scaling {
  double scale = 1;
  int32_t zeroPoint = 0;
};

/// Tables with the smallest worst relative error up to this sum of squares; beyond it
/// the last value goes on along a line.
LutTables halfNormalization(const Normalization &lrn, double largestSum);

/// Everything of a CDP job that depends on the function: both converters and tables.
struct IntegerNormalization {
  Converter in, out;
  LutTables lut;
};

/// Nothing where the converters cannot express the ratio of the scales.
std::optional<IntegerNormalization> integerNormalization(const Normalization &lrn, Scaling input,
                                                         Scaling output);

/// A function that a table of SDP's Y stage computes.
enum class Curve : uint8_t { Sigmoid, Tanh };

LutTables halfCurve(Curve curve);

/// What of an SDP job depends on the function: tables, and the converter behind them.
struct IntegerCurve {
  LutTables lut;
  Converter out;
};

/// `unit` is the real value of 1 at the entrance of the table, where numbers have 32
/// bits. Nothing where the converter cannot express the output's scale.
std::optional<IntegerCurve> integerCurve(Curve curve, double unit, Scaling output);

} // namespace convoy::nvdla
