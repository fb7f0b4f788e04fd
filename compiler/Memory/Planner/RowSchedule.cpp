// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the pace of each layer from the windows of its reads, then replays all rounds and notes
// when each row is written and read for the last time. Rings and overlaps follow from these times,
// so they are exact for any windows. A descending schedule is the ascending schedule of mirrored
// tensors, in which the padding behind a tensor is before it.

#include "Memory/Planner/RowSchedule.h"
#include <algorithm>

namespace convoy::memory {
namespace {

constexpr int64_t kNever = -1;

/// When the rows of a tensor are written and read for the last time, as positions in the sequence
/// of all computed rows; kNever if they are not.
struct RowTimes {
  std::vector<int64_t> written;
  std::vector<int64_t> read;
};

class Replay {
public:
  Replay(const std::vector<RowTensor> &tensors, const std::vector<RowLayer> &layers)
      : tensors(tensors), layers(layers), times(tensors.size()) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      times[i].written.assign(tensors[i].rows, kNever);
      times[i].read.assign(tensors[i].rows, kNever);
    }
  }

  std::optional<RowSchedule> run() {
    if (!findPaces()) {
      return std::nullopt;
    }
    replay();
    for (size_t i = 0; i < tensors.size(); ++i) {
      bool isWhole = tensors[i].isOutside || tensors[i].isKept;
      schedule.rings.push_back(isWhole ? tensors[i].rows : ringOf(i));
    }
    findOverlaps();
    return std::move(schedule);
  }

private:
  /// Returns the pace at which the rows of each tensor arrive. Tensors from outside exist already;
  /// they set the pace of layers that read nothing else. All of them must have the same number of
  /// rows to do so.
  std::vector<std::optional<RowPace>> outsidePaces() const {
    std::vector<std::optional<RowPace>> paces(tensors.size());
    std::optional<int64_t> rows;
    for (const RowLayer &layer : layers) {
      for (const RowLayer::Read &read : layer.reads) {
        const RowTensor &tensor = tensors[read.tensor];
        if (tensor.isOutside && (!rows || *rows == tensor.rows)) {
          rows = tensor.rows;
          paces[read.tensor] = RowPace();
        }
      }
    }
    return paces;
  }

  bool findPaces() {
    std::vector<std::optional<RowPace>> paces = outsidePaces();
    int64_t firstRound = INT64_MAX;
    for (const RowLayer &layer : layers) {
      std::optional<RowPace> pace;
      if (layer.reads.empty() && schedule.paces.empty()) {
        pace = RowPace();
      }
      for (const RowLayer::Read &read : layer.reads) {
        if (!paces[read.tensor]) {
          if (!tensors[read.tensor].isOutside) {
            return false;
          }
          continue; // all of its rows are there
        }
        const RowPace &source = *paces[read.tensor];
        int64_t last = read.window.size - 1 - read.window.padBefore;
        RowPace own{source.stride * read.window.stride, source.lag + source.stride * last};
        if (pace && pace->stride != own.stride) {
          return false;
        }
        own.lag = pace ? std::max(pace->lag, own.lag) : own.lag;
        pace = own;
      }
      if (!pace || pace->stride < 1) {
        return false;
      }
      paces[layer.result] = pace;
      schedule.paces.push_back(*pace);
      firstRound = std::min(firstRound, pace->lag);
    }
    for (size_t i = 0; i < layers.size(); ++i) {
      RowPace &pace = schedule.paces[i];
      pace.lag -= firstRound;
      int64_t last = pace.stride * (tensors[layers[i].result].rows - 1) + pace.lag;
      schedule.rounds = std::max(schedule.rounds, last + 1);
    }
    return true;
  }

  void replay() {
    int64_t time = 0;
    for (int64_t round = 0; round < schedule.rounds; ++round) {
      for (size_t i = 0; i < layers.size(); ++i) {
        int64_t since = round - schedule.paces[i].lag;
        int64_t row = since / schedule.paces[i].stride;
        bool isDue = since >= 0 && since % schedule.paces[i].stride == 0 &&
                     row < tensors[layers[i].result].rows;
        if (isDue) {
          compute(layers[i], row, time++);
        }
      }
    }
  }

  void compute(const RowLayer &layer, int64_t row, int64_t time) {
    times[layer.result].written[row] = time;
    for (const RowLayer::Read &read : layer.reads) {
      int64_t first = row * read.window.stride - read.window.padBefore;
      int64_t end = std::min(first + read.window.size, tensors[read.tensor].rows);
      for (int64_t r = std::max<int64_t>(first, 0); r < end; ++r) {
        times[read.tensor].read[r] = time;
      }
    }
  }

  /// Returns the first row of a tensor that is read at `time` or later, or the number of rows.
  int64_t firstNeeded(size_t tensor, int64_t time) const {
    const std::vector<int64_t> &read = times[tensor].read;
    return std::find_if(read.begin(), read.end(), [&](int64_t last) { return last >= time; }) -
           read.begin();
  }

  /// Returns the largest number of rows from the first row that is still needed to the last row
  /// that is written. Every layer writes its rows in ascending order.
  int64_t ringOf(size_t tensor) const {
    int64_t most = 1;
    for (int64_t row = 0; row < tensors[tensor].rows; ++row) {
      int64_t first = std::min(firstNeeded(tensor, times[tensor].written[row]), row);
      most = std::max(most, row - first + 1);
    }
    return most;
  }

  void findOverlaps() {
    for (size_t operand = 0; operand < tensors.size(); ++operand) {
      for (size_t result = 0; result < tensors.size(); ++result) {
        bool isWhole = schedule.rings[result] == tensors[result].rows;
        if (tensors[operand].isOutside && !tensors[operand].isKept && !tensors[result].isOutside &&
            isWhole) {
          int64_t bytes = tensors[operand].rows * tensors[operand].rowBytes;
          schedule.overlaps.push_back({operand, result, distanceOf(operand, result), bytes});
        }
      }
    }
  }

  /// Returns how far after the operand the result may start: when a row of the result is written,
  /// it ends before the first row of the operand that is still needed.
  int64_t distanceOf(size_t operand, size_t result) const {
    int64_t distance = tensors[operand].rows * tensors[operand].rowBytes;
    for (int64_t row = 0; row < tensors[result].rows; ++row) {
      int64_t first = firstNeeded(operand, times[result].written[row]);
      if (first < tensors[operand].rows) {
        distance = std::min(distance, first * tensors[operand].rowBytes -
                                          (row + 1) * tensors[result].rowBytes);
      }
    }
    return distance;
  }

  const std::vector<RowTensor> &tensors;
  const std::vector<RowLayer> &layers;
  std::vector<RowTimes> times;
  RowSchedule schedule;
};

} // namespace

std::optional<RowSchedule> scheduleRows(std::vector<RowTensor> tensors,
                                        std::vector<RowLayer> layers, bool isDescending) {
  if (!isDescending) {
    return Replay(tensors, layers).run();
  }
  for (RowLayer &layer : layers) {
    for (RowLayer::Read &read : layer.reads) {
      RowWindow &window = read.window;
      int64_t end =
          (tensors[layer.result].rows - 1) * window.stride - window.padBefore + window.size;
      window.padBefore = end - tensors[read.tensor].rows; // the padding behind the last row
    }
  }
  std::optional<RowSchedule> schedule = Replay(tensors, layers).run();
  if (schedule) {
    // The distance is from the end of the operand to the end of the result, downwards.
    for (RowOverlap &overlap : schedule->overlaps) {
      auto bytesOf = [&](size_t i) { return tensors[i].rows * tensors[i].rowBytes; };
      int64_t distance = overlap.low;
      overlap.low = -bytesOf(overlap.result);
      overlap.high = bytesOf(overlap.operand) - bytesOf(overlap.result) - distance;
    }
  }
  return schedule;
}

} // namespace convoy::memory
