// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes and reads the file that tools/convoy-measure/Candidate.h reads too.

#include "ExpectedPoints.h"
#include "Support/OutputFile.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cmath>
#include <cstring>
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

/// Ignores infinities and NaN.
double rootMeanSquare(const Tensor &values) {
  double sum = 0;
  int64_t count = 0;
  for (int64_t i = 0; i < values.size(); ++i) {
    double value = values.asDouble(i);
    if (std::isfinite(value)) {
      sum += value * value;
      ++count;
    }
  }
  return count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count));
}

/// Returns the error of rounding to the element type of the result, which f32 need not allow for.
double storageError(ElementType type) {
  return type == ElementType::F16 ? 0x1p-10 : type == ElementType::BF16 ? 0x1p-7 : 0;
}

} // namespace

std::vector<int64_t> pointsToCheck(llvm::ArrayRef<int64_t> shape, uint64_t seed,
                                   int64_t randomPoints) {
  int64_t elements = 1;
  for (int64_t size : shape) {
    elements *= size;
  }
  constexpr int64_t kSmallResult = 8; // times the random points
  bool isSmall = elements <= kSmallResult * randomPoints;
  std::vector<int64_t> points;
  for (int64_t i = 0; i < elements; ++i) {
    if (isSmall || isAtEdge(i, shape)) {
      points.push_back(i);
    }
  }
  std::mt19937_64 random(seed);
  for (int64_t i = 0; i < randomPoints && elements > 0 && !isSmall; ++i) {
    points.push_back(static_cast<int64_t>(random() % static_cast<uint64_t>(elements)));
  }
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

llvm::Error writeExpectedPoints(llvm::StringRef path, const Tensor &result,
                                llvm::ArrayRef<int64_t> points, const PointTolerance &tolerance,
                                llvm::function_ref<int64_t(int64_t)> place) {
  double rms = rootMeanSquare(result);
  double relative = tolerance.relative + storageError(result.type());
  std::vector<Point> list;
  for (int64_t point : points) {
    double value = result.asDouble(point);
    if (std::isnan(value)) {
      continue; // an element that is not written is NaN too
    }
    double permitted = isFloat(result.type()) ? relative * std::max(rms, std::abs(value))
                                              : static_cast<double>(tolerance.steps);
    list.push_back({place(point), value, permitted});
  }
  auto type = static_cast<int64_t>(result.type());
  std::string bytes(reinterpret_cast<const char *>(&type), sizeof(type));
  bytes.append(reinterpret_cast<const char *>(list.data()), list.size() * sizeof(Point));
  return writeFile(path, bytes);
}

llvm::Expected<std::string> compareWithPoints(llvm::StringRef path, llvm::StringRef result) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  int64_t type = 0;
  if (!file || (*file)->getBufferSize() < sizeof(type)) {
    return llvm::createStringError("cannot read the expected results in '" + path + "'");
  }
  llvm::StringRef left = (*file)->getBuffer();
  std::memcpy(&type, left.data(), sizeof(type));
  auto elementType = static_cast<ElementType>(type);
  auto elements = static_cast<int64_t>(result.size()) / storageBytes(elementType);
  Tensor values(elementType, {elements});
  std::memcpy(values.mutableRaw(), result.data(), values.bytes());
  for (left = left.drop_front(sizeof(type)); left.size() >= sizeof(Point);
       left = left.drop_front(sizeof(Point))) {
    Point point;
    std::memcpy(&point, left.data(), sizeof(point));
    bool isInside = point.index >= 0 && point.index < elements;
    double value = isInside ? values.asDouble(point.index) : NAN;
    if (!(std::abs(value - point.value) <= point.tolerance || value == point.value)) {
      return llvm::formatv("element {0} in memory: expects {1} within {2}, got {3}", point.index,
                           point.value, point.tolerance, value)
          .str();
    }
  }
  return std::string();
}

} // namespace convoy::tuning
