// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs the weights of Winograd convolutions: transforms them in double precision and rounds once,
// in the order in which the products read them.

#include "Kernels/Core/CeilDiv.h"
#include "Kernels/Kernel.h"
#include "Kernels/Winograd/Nodes.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Transforms a 3 x 3 filter to all pairs of frequencies, row-major.
void transformFilter(ArrayRef<std::array<double, 3>> rows, const float *filter, double *out) {
  auto side = static_cast<int64_t>(rows.size());
  for (int64_t i = 0; i < side; ++i) {
    std::array<double, 3> half;
    for (int64_t column = 0; column < 3; ++column) {
      half[column] = rows[i][0] * filter[column] + rows[i][1] * filter[3 + column] +
                     rows[i][2] * filter[6 + column];
    }
    for (int64_t j = 0; j < side; ++j) {
      out[i * side + j] = rows[j][0] * half[0] + rows[j][1] * half[1] + rows[j][2] * half[2];
    }
  }
}

} // namespace

int64_t WinogradWeightsAttr::physicalElements(ArrayRef<int64_t> shape) const {
  int64_t side = winogradSide(getTile());
  int64_t chunk = getO() * getPanels();
  return ceilDiv(shape[0], chunk) * chunk * shape[1] * side * side;
}

Tensor WinogradWeightsAttr::pack(const Tensor &tensor) const {
  int64_t outputs = tensor.dim(0);
  int64_t inputs = tensor.dim(1);
  auto rows = winogradFilterRows(getTile());
  auto frequencies = static_cast<int64_t>(rows.size() * rows.size());
  Tensor result(tensor.type(), {physicalElements(tensor.shape())});
  auto *to = result.mutableData<float>();
  const auto *from = tensor.data<float>();
  std::vector<double> values(frequencies);
  std::vector<float> lanes(frequencies * getO());
  // Process all filters that share target rows together, because target rows fill cache lines.
  for (int64_t panel = 0; panel * getO() < outputs; ++panel) {
    int64_t width = std::min(getO(), outputs - panel * getO());
    int64_t first = panel / getPanels() * frequencies * getPanels() + panel % getPanels();
    for (int64_t input = 0; input < inputs; ++input) {
      for (int64_t lane = 0; lane < width; ++lane) {
        int64_t filter = (panel * getO() + lane) * inputs + input;
        transformFilter(rows, from + filter * 9, values.data());
        for (int64_t f = 0; f < frequencies; ++f) {
          lanes[f * getO() + lane] = static_cast<float>(values[f]);
        }
      }
      for (int64_t f = 0; f < frequencies; ++f) {
        int64_t row = (first + f * getPanels()) * inputs + input;
        std::copy_n(lanes.data() + f * getO(), getO(), to + row * getO());
      }
    }
  }
  return result;
}

} // namespace convoy::kernels
