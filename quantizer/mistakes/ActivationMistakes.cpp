// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds dead channels, saturation and outliers in the statistics of Observe.h. All of them are
// notes, because a trained model can have them.

#include "quantizer/mistakes/Mistakes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::quantizer {
namespace {

constexpr double kDeadShare = 0.1;      // of the channels of a tensor
constexpr double kSaturatedShare = 0.1; // of the values of an input
constexpr double kOutlierShare = 1e-4;  // of the values of a tensor
constexpr double kOutlierFactor = 4;    // by which outliers widen the range

int64_t deadChannels(const TensorStatistics &tensor) {
  return llvm::count(tensor.channelVariances, 0.0);
}

/// Returns the width of the range without the outermost bins that hold kOutlierShare of the values.
double innerWidth(const TensorStatistics &tensor) {
  const std::vector<int64_t> &bins = tensor.histogram;
  int64_t left = static_cast<int64_t>(static_cast<double>(tensor.count) * kOutlierShare);
  size_t low = 0, high = bins.size();
  // Removes bins from the side that has fewer values.
  while (high - low > 1) {
    bool isLow = bins[low] <= bins[high - 1];
    int64_t values = bins[isLow ? low : high - 1];
    if (values > left) {
      break;
    }
    left -= values;
    isLow ? ++low : --high;
  }
  double bin = (tensor.histogramHigh - tensor.histogramLow) / static_cast<double>(bins.size());
  return bin * static_cast<double>(high - low);
}

/// Returns the share of the values in the last bin that is not empty.
double shareAtTop(const TensorStatistics &tensor) {
  auto last = llvm::find_if(llvm::reverse(tensor.histogram), [](int64_t n) { return n > 0; });
  return last == tensor.histogram.rend() || tensor.count == 0
             ? 0
             : static_cast<double>(*last) / static_cast<double>(tensor.count);
}

std::string percent(double share) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.2g %%", 100 * share);
  return text;
}

} // namespace

std::vector<Mistake>
findActivationMistakes(const std::map<std::string, TensorStatistics> &statistics,
                       const std::vector<std::string> &inputs) {
  std::vector<Mistake> mistakes;
  auto note = [&](MistakeKind kind, const std::string &text) {
    mistakes.push_back({kind, Severity::Note, text});
  };
  for (const auto &[name, tensor] : statistics) {
    int64_t dead = deadChannels(tensor);
    auto channels = static_cast<double>(tensor.channelVariances.size());
    if (static_cast<double>(dead) > kDeadShare * channels) {
      note(MistakeKind::DeadChannels,
           "tensor '" + name + "': " + std::to_string(dead) + " of " +
               std::to_string(tensor.channelVariances.size()) +
               " channels are constant on all samples; remove them from the model or use samples "
               "that reach them");
    }
    if (tensor.histogram.empty()) {
      continue;
    }
    double width = tensor.range.high - tensor.range.low, inner = innerWidth(tensor);
    if (inner > 0 && width > kOutlierFactor * inner) {
      std::string factor;
      llvm::raw_string_ostream(factor) << llvm::format("%.1f", width / inner);
      note(MistakeKind::Outliers, "tensor '" + name + "': " + percent(kOutlierShare) +
                                      " of the values make its range " + factor +
                                      " times wider; use --clip mse or check the samples");
    }
    if (llvm::is_contained(inputs, name) && shareAtTop(tensor) > kSaturatedShare) {
      note(MistakeKind::Saturation, "input '" + name + "': " + percent(shareAtTop(tensor)) +
                                        " of the values are at its maximum; check that the "
                                        "samples are not clipped");
    }
  }
  return mistakes;
}

} // namespace convoy::quantizer
