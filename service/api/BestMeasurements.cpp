// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the answer of LookupBest to measurements of the layout stage.

#include "service/api/BestMeasurements.h"
#include "service/api/ApiJson.h"
#include "tuning/records/ListedMeasurements.h"
#include "tuning/records/Record.h"

namespace convoy::service {
namespace {

layout::TaskMeasurements measurementsOf(const BestOfTask &task) {
  layout::TaskMeasurements result;
  result.isPassedOver = task.is_passed_over();
  for (const BestConfiguration &best : task.configurations()) {
    const std::string &input = best.configuration().input_layout();
    result.configurations.push_back(
        {best.configuration().text(), input == tuning::kPlanarLayout ? "" : input, best.ns()});
  }
  return result;
}

} // namespace

llvm::Expected<std::shared_ptr<const Measurements>>
BestMeasurements::forNetwork(const layout::TaskCounts &network) const {
  BestQuery whole = query;
  for (const auto &[key, count] : network) {
    TaskUse &task = *whole.add_tasks();
    task.set_key(key);
    task.set_count(count);
  }
  llvm::Expected<BestAnswer> answer = api->lookupBest(whole);
  if (!answer) {
    return llvm::createStringError("--records: the tuning service: " +
                                   llvm::toString(answer.takeError()));
  }
  std::map<std::string, layout::TaskMeasurements> byTask;
  for (const BestOfTask &task : answer->tasks()) {
    byTask[task.key()] = measurementsOf(task);
  }
  return std::make_shared<tuning::ListedMeasurements>(tuning::sha256(toJson(*answer)),
                                                      std::move(byTask));
}

} // namespace convoy::service
