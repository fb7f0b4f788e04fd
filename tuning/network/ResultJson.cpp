// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the result of a search as JSON.

#include "tuning/network/ResultJson.h"
#include <cmath>

namespace convoy::tuning {
namespace {

/// Adds a time as NAME_ms, or a count as NAME_instructions.
void addQuantity(llvm::json::Object &object, const TuneResult &result, llvm::StringRef name,
                 double seconds) {
  if (result.policy == Policy::Instructions) {
    object[(name + "_instructions").str()] = std::llround(seconds * 1e9);
  } else {
    object[(name + "_ms").str()] = seconds * 1e3;
  }
}

llvm::json::Value networkJson(const TuneResult &result) {
  if (!result.network) {
    return nullptr;
  }
  if (!result.network->isChanged) {
    return llvm::json::Object{{"changed", false}};
  }
  llvm::json::Object object{
      {"changed", true},
      {"ratio", result.network->ratio.value},
      {"low", result.network->ratio.low},
      {"high", result.network->ratio.high},
      {"pairs", static_cast<int64_t>(result.network->pairs)},
      {"tries", result.network->tries},
      {"keeps_default", result.network->verdict.keepsDefault},
      {"passed_over", static_cast<int64_t>(result.network->verdict.passedOver.size())}};
  addQuantity(object, result, "before", result.network->beforeMs * 1e-3);
  addQuantity(object, result, "after", result.network->afterMs * 1e-3);
  if (result.network->beforeCycles > 0) {
    object["before_cycles"] = result.network->beforeCycles;
    object["after_cycles"] = result.network->afterCycles;
  }
  return object;
}

/// Returns the mean time of a core per trial that is neither building nor measuring, if measuring
/// has a core for itself.
double overheadSeconds(const TuneResult &result) {
  const TuningState &state = result.state;
  double rest = static_cast<double>(state.builders) * state.searchSeconds - state.buildSeconds -
                result.threads * state.measureSeconds;
  rest = result.policy == Policy::Instructions ? 0 : rest;
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
  llvm::json::Object object{
      {"trials", state.trials},         {"failed", state.failed},
      {"seconds", state.seconds},       {"waited_seconds", state.waitedSeconds},
      {"search", searchJson(result)},   {"threads", result.threads},
      {"policy", name(result.policy)},  {"interrupted", result.isInterrupted},
      {"network", networkJson(result)}, {"records", request.records}};
  addQuantity(object, result, "default", state.defaultSeconds);
  addQuantity(object, result, "best", state.bestSeconds);
  addQuantity(object, result, "estimate", state.estimateSeconds);
  if (request.search.targetMs > 0) {
    object["target_reached"] = state.isTargetReached;
  }
  return object;
}

} // namespace convoy::tuning
