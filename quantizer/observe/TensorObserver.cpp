// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops over elements use vectors with independent sums and minima per lane.

#include "quantizer/observe/TensorObserver.h"
#include "quantizer/observe/Vectors.h"
#include <algorithm>
#include <cmath>
#include <cstring>

namespace convoy::quantizer {
namespace {

/// Below this width a histogram would need numbers smaller than those of float.
constexpr int kLeastExponent = -120;
constexpr uint32_t kExponentBits = 0x7f800000;

struct Extremes {
  float low = 0, high = 0;
  int64_t nonFinite = 0;
};

bool isFinite(float value) {
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return (bits & kExponentBits) != kExponentBits;
}

/// Returns the extremes of the values; not those of the finite values if there are others.
Extremes extremesOf(const float *values, int64_t count) {
  Extremes result{values[0], values[0], 0};
  FloatVector low = FloatVector{} + values[0], high = low;
  IntVector finite = {};
  int64_t i = 0;
  for (; i + kVectorLanes <= count; i += kVectorLanes) {
    FloatVector value;
    load(values + i, value);
    low = value < low ? value : low;
    high = value > high ? value : high;
    IntVector bits;
    std::memcpy(&bits, &value, sizeof bits);
    finite += (bits & int32_t(kExponentBits)) != int32_t(kExponentBits); // -1 if it is true
  }
  result.nonFinite = i;
  for (int64_t lane = 0; lane < kVectorLanes; ++lane) {
    result.low = std::min(result.low, low[lane]);
    result.high = std::max(result.high, high[lane]);
    result.nonFinite += finite[lane];
  }
  for (; i < count; ++i) {
    result.low = std::min(result.low, values[i]);
    result.high = std::max(result.high, values[i]);
    result.nonFinite += isFinite(values[i]) ? 0 : 1;
  }
  return result;
}

/// Adds the sum and the sum of squares of consecutive values.
void addSums(const float *values, int64_t count, double &sum, double &squares) {
  // A part is short enough for sums in float.
  constexpr int64_t kPart = 512 * kVectorLanes;
  for (int64_t begin = 0; begin < count; begin += kPart) {
    int64_t end = std::min(count, begin + kPart);
    FloatVector sums = {}, squareSums = {};
    int64_t i = begin;
    for (; i + kVectorLanes <= end; i += kVectorLanes) {
      FloatVector value;
      load(values + i, value);
      sums += value;
      squareSums += value * value;
    }
    for (; i < end; ++i) {
      sum += values[i];
      squares += static_cast<double>(values[i]) * values[i];
    }
    for (int64_t lane = 0; lane < kVectorLanes; ++lane) {
      sum += sums[lane];
      squares += squareSums[lane];
    }
  }
}

/// Writes the number of the bin of each value.
void binsOf(const float *values, int64_t count, float inverseWidth, int32_t first,
            int32_t *indices) {
  int64_t i = 0;
  for (; i + kVectorLanes <= count; i += kVectorLanes) {
    FloatVector value;
    load(values + i, value);
    value *= inverseWidth; // exact, because the width is a power of two
    IntVector bin = __builtin_convertvector(value, IntVector);
    // The conversion truncates; a value below it is one bin lower. A comparison gives -1.
    bin += (__builtin_convertvector(bin, FloatVector) > value) - first;
    std::memcpy(indices + i, &bin, sizeof bin);
  }
  for (; i < count; ++i) {
    indices[i] = static_cast<int32_t>(std::floor(values[i] * inverseWidth)) - first;
  }
}

int64_t floorToBin(double value, int exponent) {
  return static_cast<int64_t>(std::floor(std::ldexp(value, -exponent)));
}

/// Returns the least width, as an exponent, with which the bins cover the range.
int exponentFor(double low, double high) {
  double span = std::max(high, -low);
  int exponent = span > 0 ? std::max(std::ilogb(span) - 11, kLeastExponent) : kLeastExponent;
  while (floorToBin(high, exponent) - floorToBin(low, exponent) >= GrowingHistogram::kBins) {
    ++exponent;
  }
  return exponent;
}

} // namespace

double GrowingHistogram::width() const { return std::ldexp(1.0, exponent); }

void GrowingHistogram::rebin(int newExponent, int64_t newFirst) {
  std::vector<int64_t> old = std::move(bins);
  bins.assign(kBins, 0);
  for (size_t i = 0; i < old.size(); ++i) {
    if (old[i] > 0) {
      bins[((first + static_cast<int64_t>(i)) >> (newExponent - exponent)) - newFirst] += old[i];
    }
  }
  exponent = newExponent;
  first = newFirst;
}

void GrowingHistogram::include(float low, float high) {
  lowest = std::min(lowest, low);
  highest = std::max(highest, high);
  int wanted = exponentFor(lowest, highest);
  int64_t wantedFirst = floorToBin(lowest, wanted);
  if (bins.empty() || wanted != exponent || wantedFirst != first) {
    rebin(wanted, wantedFirst);
  }
}

void GrowingHistogram::add(const float *values, int64_t count) {
  // Equal values follow each other often; with several tables an increment does not wait for the
  // increment before it.
  constexpr int64_t kTables = 4, kPart = 1024;
  std::vector<int32_t> tables(kTables * kBins);
  auto inverse = static_cast<float>(std::ldexp(1.0, -exponent));
  auto offset = static_cast<int32_t>(first);
  int32_t indices[kPart];
  for (int64_t begin = 0; begin < count; begin += kPart) {
    int64_t size = std::min(kPart, count - begin);
    binsOf(values + begin, size, inverse, offset, indices);
    int64_t i = 0;
    for (; i + kTables <= size; i += kTables) {
      for (int64_t table = 0; table < kTables; ++table) {
        ++tables[table * kBins + indices[i + table]];
      }
    }
    for (; i < size; ++i) {
      ++tables[indices[i]];
    }
  }
  for (int64_t i = 0; i < kTables * kBins; ++i) {
    bins[i % kBins] += tables[i];
  }
}

void GrowingHistogram::merge(const GrowingHistogram &other) {
  if (other.bins.empty()) {
    return;
  }
  include(other.lowest, other.highest);
  GrowingHistogram copy = other;
  copy.rebin(exponent, first);
  for (int64_t i = 0; i < kBins; ++i) {
    bins[i] += copy.bins[i];
  }
}

void TensorObserver::addChannels(const ProbeValue &value) {
  if (value.shape.size() < 2) {
    return;
  }
  int64_t batch = value.shape[0], channels = value.shape[1];
  int64_t inner = channels > 0 && batch > 0 ? value.count() / (batch * channels) : 0;
  if (channelSums.empty()) {
    channelSums.resize(channels);
    channelSquares.resize(channels);
  }
  if (static_cast<int64_t>(channelSums.size()) != channels) {
    return; // The number of channels depends on the sample.
  }
  for (int64_t row = 0; row < batch * channels; ++row) {
    addSums(value.elements + row * inner, inner, channelSums[row % channels],
            channelSquares[row % channels]);
  }
  perChannel += batch * inner;
}

void TensorObserver::addFinite(const ProbeValue &value, float low, float high) {
  range = count == 0 ? plan::TensorRange{low, high}
                     : plan::TensorRange{std::min<double>(range.low, low),
                                         std::max<double>(range.high, high)};
  histogram.include(low, high);
  histogram.add(value.elements, value.count());
  addChannels(value);
  count += value.count();
}

void TensorObserver::add(const ProbeValue &value) {
  int64_t size = value.count();
  if (size == 0) {
    return;
  }
  Extremes extremes = extremesOf(value.elements, size);
  if (extremes.nonFinite == 0) {
    addFinite(value, extremes.low, extremes.high);
    return;
  }
  // Such a value is a mistake of the model or of the data. The statistics are those of the finite
  // elements, without means of channels.
  nonFinite += extremes.nonFinite;
  std::vector<float> finite;
  std::copy_if(value.elements, value.elements + size, std::back_inserter(finite), isFinite);
  if (!finite.empty()) {
    Extremes rest = extremesOf(finite.data(), static_cast<int64_t>(finite.size()));
    addFinite({finite.data(), {static_cast<int64_t>(finite.size())}}, rest.low, rest.high);
  }
}

void TensorObserver::merge(const TensorObserver &other) {
  nonFinite += other.nonFinite;
  if (other.count == 0) {
    return;
  }
  range = count == 0 ? other.range
                     : plan::TensorRange{std::min(range.low, other.range.low),
                                         std::max(range.high, other.range.high)};
  histogram.merge(other.histogram);
  count += other.count;
  if (channelSums.empty()) {
    channelSums = other.channelSums;
    channelSquares = other.channelSquares;
    perChannel = other.perChannel;
  } else if (channelSums.size() == other.channelSums.size()) {
    for (size_t i = 0; i < channelSums.size(); ++i) {
      channelSums[i] += other.channelSums[i];
      channelSquares[i] += other.channelSquares[i];
    }
    perChannel += other.perChannel;
  }
}

TensorStatistics TensorObserver::statistics() const {
  TensorStatistics result;
  result.range = range;
  result.histogram = histogram.counts();
  if (result.histogram.empty()) {
    result.histogram.resize(GrowingHistogram::kBins);
  }
  result.histogramLow = histogram.low();
  result.histogramHigh = histogram.high();
  result.count = count;
  result.nonFinite = nonFinite;
  for (size_t i = 0; perChannel > 0 && i < channelSums.size(); ++i) {
    double mean = channelSums[i] / static_cast<double>(perChannel);
    double square = channelSquares[i] / static_cast<double>(perChannel);
    result.channelMeans.push_back(mean);
    result.channelVariances.push_back(std::max(square - mean * mean, 0.0));
  }
  return result;
}

} // namespace convoy::quantizer
