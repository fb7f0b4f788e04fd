// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --records service:URL: the best configurations that a tuning service knows.

#include "Driver/AddProblem.h"
#include "Driver/ResolveTarget.h"
#include "service/api/BestMeasurements.h"
#include "tools/convoy/service/Service.h"
#include "tools/convoy/service/ServiceClient.h"
#include "tuning/measure/Measurer.h"
#include "tuning/records/RecordMeasurements.h"

namespace convoy::tool {

static llvm::Expected<std::shared_ptr<const Measurements>>
openMeasurements(const BuildFlags &flags, const CompileRequest &request) {
  llvm::StringRef urls = flags.records;
  urls.consume_front("service:");
  auto api = openService({urls.str(), flags.certs}, "--records");
  if (!api) {
    return api.takeError();
  }
  llvm::Expected<driver::ResolvedTarget> target =
      driver::resolveTarget(request.target, request.output.emit == Emit::Memory);
  if (!target) {
    return target.takeError();
  }
  tuning::Selection selection = tuning::selectionFor(
      target->machine.fingerprint(), tuning::name(tuning::policyOf(target->machine)));
  service::BestQuery query;
  query.set_target(selection.target);
  query.set_policy(selection.policy);
  for (const auto &[id, version] : selection.templateVersions) {
    service::TemplateVersion &known = *query.add_templates();
    known.set_id(id);
    known.set_version(version);
  }
  return std::make_shared<service::BestMeasurements>(std::move(*api), std::move(query));
}

Result<std::shared_ptr<const Measurements>> openServiceRecords(const BuildFlags &flags,
                                                               const CompileRequest &request) {
  auto measurements = openMeasurements(flags, request);
  if (!measurements) {
    Problems problems;
    addError(problems, measurements.takeError());
    return problems;
  }
  return std::move(*measurements);
}

} // namespace convoy::tool
