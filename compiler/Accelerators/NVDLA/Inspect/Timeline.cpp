// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programming has no cost in this model, because the firmware programs the next operation of an
// engine while one runs.

#include "Accelerators/NVDLA/Inspect/Timeline.h"

namespace convoy::nvdla {

void Timeline::add(InspectedLayer &layer) {
  LayerCycles &cycles = layer.cycles;
  uint64_t ready = 0, isFree = 0;
  for (size_t op : layer.ops) {
    ready = std::max(ready, readyAt[op]);
    isFree = std::max(isFree, freeAt[unsigned(task.ops[op].engine())]);
  }
  uint64_t own = cycles.totalCycles - cycles.startCycles;
  uint64_t busiest = cycles.totalCycles - cycles.stallCycles;
  layer.begin = std::max(isFree, ready + cycles.startCycles);
  uint64_t moved = std::max(dramFreeAt, layer.begin) + cycles.dramCycles;
  layer.end = std::max(layer.begin + own, moved);
  dramFreeAt = cycles.dramCycles ? moved : dramFreeAt;
  for (size_t op : layer.ops) {
    freeAt[unsigned(task.ops[op].engine())] = layer.end;
    for (const Consumer &consumer : task.ops[op].dependency.consumers) {
      bool isTold = consumer.index >= 0 && size_t(consumer.index) < readyAt.size() &&
                    consumer.event == uint8_t(OpEvent::Completed);
      if (isTold) {
        readyAt[consumer.index] = std::max(readyAt[consumer.index], layer.end);
      }
    }
  }
  cycles.totalCycles = layer.end > end ? layer.end - end : 0;
  cycles.stallCycles = cycles.totalCycles > busiest ? cycles.totalCycles - busiest : 0;
  end = std::max(end, layer.end);
}

} // namespace convoy::nvdla
