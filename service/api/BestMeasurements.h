// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the layout stage's interface to measurements with a tuning service.

#pragma once

#include "Layout/Measurements.h"
#include "service/api/TuningApi.h"

namespace convoy::service {

/// Asks a service for the best configurations of a network when the compiler knows its tasks.
class BestMeasurements : public Measurements {
public:
  /// `query` has the target, the policy and the versions of the templates.
  BestMeasurements(std::shared_ptr<TuningApi> api, BestQuery query)
      : api(std::move(api)), query(std::move(query)) {}

  /// The hash of the result identifies the answer of the service.
  llvm::Expected<std::shared_ptr<const Measurements>>
  forNetwork(const layout::TaskCounts &network) const override;

  std::string hash() const override { return ""; }
  layout::TaskMeasurements find(const std::string &key,
                                const layout::TaskCounts &network) const override {
    return {};
  }

private:
  std::shared_ptr<TuningApi> api;
  BestQuery query;
};

} // namespace convoy::service
