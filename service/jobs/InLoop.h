// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defines Engine::inLoop, for the source files of the engine.

#pragma once

#include "service/jobs/Engine.h"
#include <future>

namespace convoy::service {

template <typename Result>
llvm::Expected<Result> Engine::inLoop(std::function<llvm::Expected<Result>()> function) {
  // llvm::Expected is not default-constructible, so the result lives beside the promise.
  auto done = std::make_shared<std::promise<void>>();
  auto result = std::make_shared<std::optional<llvm::Expected<Result>>>();
  std::future<void> future = done->get_future();
  bool isPosted = post([function = std::move(function), done, result] {
    result->emplace(function());
    done->set_value();
  });
  if (!isPosted) {
    return apiError(ErrorCode::Unavailable, "the service stops; try again");
  }
  future.wait();
  return std::move(**result);
}

} // namespace convoy::service
