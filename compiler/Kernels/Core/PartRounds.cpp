// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers the steps of the range: repeat, phase, part.

#include "Kernels/Core/PartRounds.h"

using namespace mlir;

namespace convoy::kernels {

void PartRounds::emit(int64_t repeats, int64_t phases,
                      llvm::function_ref<void(int64_t, Value)> body) {
  loop(function.begin(), function.end(), [&](Value task) {
    number = remainder(task, parts);
    Value round = divide(task, parts);
    Value repeat = divide(round, phases), phase = remainder(round, phases);
    for (int64_t i = 0; i < phases; ++i) {
      branch(isEqual(phase, i), [&] { body(i, repeat); });
    }
  });
  function.setRounds(repeats * phases);
  function.finish(repeats * phases * parts);
}

std::pair<Value, Value> PartRounds::items(int64_t count) {
  auto bound = [&](Value part) { return divide(mul(part, count), parts); };
  return {bound(number), bound(add(number, 1))};
}

void PartRounds::loopItems(int64_t count, llvm::function_ref<void(Value)> body) {
  auto [low, high] = items(count);
  loop(low, high, body);
}

} // namespace convoy::kernels
