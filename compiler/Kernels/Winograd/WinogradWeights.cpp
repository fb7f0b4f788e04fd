// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs the weights of Winograd convolutions: transforms them in double precision and rounds them
// to their type, in the order in which the products read them.

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

/// Packs filters of f32, f16 or bf16, all with elements of type `T`.
template <typename T>
void packFilters(const T *from, T *to, int64_t outputs, int64_t inputs,
                 WinogradWeightsAttr layout) {
  int64_t o = layout.getO(), panels = layout.getPanels();
  auto rows = winogradFilterRows(layout.getTile());
  auto frequencies = static_cast<int64_t>(rows.size() * rows.size());
  std::vector<double> values(frequencies);
  std::vector<T> lanes(frequencies * o);
  std::array<float, 9> filter;
  // Process all filters that share target rows together, because target rows fill cache lines.
  for (int64_t panel = 0; panel * o < outputs; ++panel) {
    int64_t width = std::min(o, outputs - panel * o);
    int64_t first = panel / panels * frequencies * panels + panel % panels;
    for (int64_t input = 0; input < inputs; ++input) {
      for (int64_t lane = 0; lane < width; ++lane) {
        const T *source = from + ((panel * o + lane) * inputs + input) * 9;
        std::transform(source, source + 9, filter.begin(),
                       [](T weight) { return static_cast<float>(weight); });
        transformFilter(rows, filter.data(), values.data());
        for (int64_t f = 0; f < frequencies; ++f) {
          lanes[f * o + lane] = static_cast<T>(static_cast<float>(values[f]));
        }
      }
      for (int64_t f = 0; f < frequencies; ++f) {
        int64_t row = (first + f * panels) * inputs + input;
        std::copy_n(lanes.data() + f * o, o, to + row * o);
      }
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
  Tensor result(tensor.type(), {physicalElements(tensor.shape())});
  auto packAs = [&](auto zero) {
    using T = decltype(zero);
    packFilters(tensor.data<T>(), result.mutableData<T>(), tensor.dim(0), tensor.dim(1), *this);
  };
  switch (tensor.type()) {
  case ElementType::F16:
    packAs(Half());
    break;
  case ElementType::BF16:
    packAs(BFloat16());
    break;
  default:
    packAs(float());
  }
  return result;
}

} // namespace convoy::kernels
