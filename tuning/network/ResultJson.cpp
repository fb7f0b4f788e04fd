// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JSON of the result of a search.

#include "tuning/network/ResultJson.h"

namespace convoy::tuning {
namespace {

llvm::json::Value networkJson(const TuneResult &result) {
  if (!result.network) {
    return nullptr;
  }
  if (!result.network->isChanged) {
    return llvm::json::Object{{"changed", false}};
  }
  return llvm::json::Object{
      {"changed", true},
      {"before_ms", result.network->beforeMs},
      {"after_ms", result.network->afterMs},
      {"ratio", result.network->ratio.value},
      {"low", result.network->ratio.low},
      {"high", result.network->ratio.high},
      {"pairs", static_cast<int64_t>(result.network->pairs)},
      {"tries", result.network->tries},
      {"keeps_default", result.network->verdict.keepsDefault},
      {"passed_over", static_cast<int64_t>(result.network->verdict.passedOver.size())}};
}

/// Returns the mean time of a core per trial that is neither building nor measuring.
double overheadSeconds(const TuneResult &result) {
  const TuningState &state = result.state;
  double rest = static_cast<double>(state.builders) * state.searchSeconds - state.buildSeconds -
                result.threads * state.measureSeconds;
  return state.trials > 0 ? rest / static_cast<double>(state.trials) : 0;
}

llvm::json::Value searchJson(const TuneResult &result) {
  const TuningState &state = result.state;
  double rate =
      state.searchSeconds > 0 ? static_cast<double>(state.trials) / state.searchSeconds : 0;
  return llvm::json::Object{{"seconds", state.searchSeconds},
                            {"build_seconds", state.buildSeconds},
                            {"measure_seconds", state.measureSeconds},
                            {"trials_per_second", rate},
                            {"overhead_seconds_per_trial", overheadSeconds(result)}};
}

} // namespace

llvm::json::Object toJson(const TuneResult &result, const TuneRequest &request) {
  const TuningState &state = result.state;
  llvm::json::Object object{{"trials", state.trials},
                            {"failed", state.failed},
                            {"seconds", state.seconds},
                            {"waited_seconds", state.waitedSeconds},
                            {"search", searchJson(result)},
                            {"threads", result.threads},
                            {"default_ms", state.defaultSeconds * 1e3},
                            {"best_ms", state.bestSeconds * 1e3},
                            {"estimate_ms", state.estimateSeconds * 1e3},
                            {"interrupted", result.isInterrupted},
                            {"network", networkJson(result)},
                            {"records", request.records}};
  if (request.search.targetMs > 0) {
    object["target_reached"] = state.isTargetReached;
  }
  return object;
}

} // namespace convoy::tuning
