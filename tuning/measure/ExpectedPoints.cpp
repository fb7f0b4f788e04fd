// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the file that tools/convoy-measure/Candidate.h reads.

#include "ExpectedPoints.h"
#include "Support/OutputFile.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cmath>
#include <random>

namespace convoy::tuning {
namespace {

/// The same layout as ExpectedPoint of convoy-measure.
struct Point {
  int64_t index;
  double value, tolerance;
};

bool isAtEdge(int64_t index, llvm::ArrayRef<int64_t> shape) {
  for (int64_t size : llvm::reverse(shape)) {
    int64_t at = index % size;
    index /= size;
    if (size > 1 && (at == 0 || at == size - 1)) {
      return true;
    }
  }
  return false;
}

double rootMeanSquare(llvm::ArrayRef<double> values) {
  double sum = 0;
  for (double value : values) {
    sum += value * value;
  }
  return values.empty() ? 0 : std::sqrt(sum / static_cast<double>(values.size()));
}

} // namespace

std::vector<int64_t> pointsToCheck(llvm::ArrayRef<int64_t> shape, uint64_t seed,
                                   int64_t randomPoints) {
  int64_t elements = 1;
  for (int64_t size : shape) {
    elements *= size;
  }
  std::vector<int64_t> points;
  for (int64_t i = 0; i < elements; ++i) {
    if (isAtEdge(i, shape)) {
      points.push_back(i);
    }
  }
  std::mt19937_64 random(seed);
  for (int64_t i = 0; i < randomPoints && elements > 0; ++i) {
    points.push_back(static_cast<int64_t>(random() % static_cast<uint64_t>(elements)));
  }
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

llvm::Error writeExpectedPoints(llvm::StringRef path, llvm::ArrayRef<double> values,
                                llvm::ArrayRef<int64_t> points, double relative,
                                llvm::function_ref<int64_t(int64_t)> place) {
  double rms = rootMeanSquare(values);
  std::vector<Point> list;
  for (int64_t point : points) {
    double value = values[point];
    list.push_back({place(point), value, relative * std::max(rms, std::abs(value))});
  }
  return writeFile(path, llvm::StringRef(reinterpret_cast<const char *>(list.data()),
                                         list.size() * sizeof(Point)));
}

} // namespace convoy::tuning
