// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fields of the structs in TuningApi.h with their names on the wire. ApiJson.cpp and
// ProtoFields.h convert any struct by its list, so that both faces have the same fields. The names
// are the JSON names of the fields in tuning.proto.

#pragma once

#include "service/api/TuningApi.h"
#include <tuple>

namespace convoy::service {

// Messages that exist only on the wire.
struct JobName {
  std::string id;
};
struct JobList {
  std::vector<JobStatus> jobs;
};
struct DeviceRequest {
  std::string name, reason;
};
struct DeviceList {
  std::vector<DeviceStatus> devices;
};
struct RecordLines {
  std::string lines;
};
struct Empty {};

template <typename Object, typename Member>
struct Field {
  const char *name;
  Member Object::*member;
};
template <typename Object, typename Member>
Field(const char *, Member Object::*) -> Field<Object, Member>;

/// Fields<Object>::list is a tuple of the fields of a struct.
template <typename Object>
struct Fields;

/// Calls `call(name, member pointer)` for each field.
template <typename Object, typename Call>
void forEachField(Call &&call) {
  std::apply([&](const auto &...field) { (call(field.name, field.member), ...); },
             Fields<Object>::list);
}

template <>
struct Fields<Empty> {
  static constexpr auto list = std::tuple();
};
template <>
struct Fields<JobName> {
  static constexpr auto list = std::tuple(Field{"id", &JobName::id});
};
template <>
struct Fields<JobList> {
  static constexpr auto list = std::tuple(Field{"jobs", &JobList::jobs});
};
template <>
struct Fields<DeviceRequest> {
  static constexpr auto list =
      std::tuple(Field{"name", &DeviceRequest::name}, Field{"reason", &DeviceRequest::reason});
};
template <>
struct Fields<DeviceList> {
  static constexpr auto list = std::tuple(Field{"devices", &DeviceList::devices});
};
template <>
struct Fields<RecordLines> {
  static constexpr auto list = std::tuple(Field{"lines", &RecordLines::lines});
};

template <>
struct Fields<tuning::Configuration> {
  using T = tuning::Configuration;
  static constexpr auto list =
      std::tuple(Field{"templateId", &T::templateId}, Field{"templateVersion", &T::templateVersion},
                 Field{"text", &T::text}, Field{"inputLayout", &T::inputLayout},
                 Field{"outputLayout", &T::outputLayout});
};

template <>
struct Fields<TaskSpec> {
  using T = TaskSpec;
  static constexpr auto list = std::tuple(Field{"name", &T::name}, Field{"text", &T::text},
                                          Field{"count", &T::count}, Field{"weight", &T::weight});
};

template <>
struct Fields<JobSpec> {
  using T = JobSpec;
  static constexpr auto list = std::tuple(
      Field{"project", &T::project}, Field{"idempotencyKey", &T::idempotencyKey},
      Field{"model", &T::model}, Field{"tasks", &T::tasks}, Field{"targetClass", &T::targetClass},
      Field{"target", &T::target}, Field{"threads", &T::threads}, Field{"objective", &T::objective},
      Field{"latencyUs", &T::latencyUs}, Field{"maxTrials", &T::maxTrials},
      Field{"maxWallSeconds", &T::maxWallSeconds}, Field{"maxDeviceSeconds", &T::maxDeviceSeconds},
      Field{"priority", &T::priority}, Field{"searcher", &T::searcher}, Field{"seed", &T::seed},
      Field{"batch", &T::batch}, Field{"ignoresStored", &T::ignoresStored});
};

template <>
struct Fields<TaskStatus> {
  using T = TaskStatus;
  static constexpr auto list =
      std::tuple(Field{"key", &T::key}, Field{"name", &T::name}, Field{"count", &T::count},
                 Field{"trials", &T::trials}, Field{"defaultNs", &T::defaultNs},
                 Field{"bestNs", &T::bestNs}, Field{"configuration", &T::configuration});
};

template <>
struct Fields<JobStatus> {
  using T = JobStatus;
  static constexpr auto list =
      std::tuple(Field{"id", &T::id}, Field{"project", &T::project}, Field{"state", &T::state},
                 Field{"reason", &T::reason}, Field{"targetClass", &T::targetClass},
                 Field{"priority", &T::priority}, Field{"trialsRequested", &T::trialsRequested},
                 Field{"trialsDone", &T::trialsDone}, Field{"trialsFailed", &T::trialsFailed},
                 Field{"maxTrials", &T::maxTrials}, Field{"defaultUs", &T::defaultUs},
                 Field{"bestUs", &T::bestUs}, Field{"deviceSeconds", &T::deviceSeconds},
                 Field{"createdUs", &T::createdUs}, Field{"startedUs", &T::startedUs},
                 Field{"updatedUs", &T::updatedUs}, Field{"endedUs", &T::endedUs},
                 Field{"tasks", &T::tasks}, Field{"policy", &T::policy});
};

template <>
struct Fields<JobFilter> {
  using T = JobFilter;
  static constexpr auto list = std::tuple(Field{"project", &T::project},
                                          Field{"states", &T::states}, Field{"limit", &T::limit});
};

template <>
struct Fields<JobExtension> {
  using T = JobExtension;
  static constexpr auto list = std::tuple(Field{"id", &T::id}, Field{"addTrials", &T::addTrials},
                                          Field{"addWallSeconds", &T::addWallSeconds},
                                          Field{"addDeviceSeconds", &T::addDeviceSeconds});
};

template <>
struct Fields<TemplateVersion> {
  using T = TemplateVersion;
  static constexpr auto list = std::tuple(Field{"id", &T::id}, Field{"version", &T::version});
};

template <>
struct Fields<TaskUse> {
  using T = TaskUse;
  static constexpr auto list = std::tuple(Field{"key", &T::key}, Field{"count", &T::count});
};

template <>
struct Fields<BestQuery> {
  using T = BestQuery;
  static constexpr auto list =
      std::tuple(Field{"tasks", &T::tasks}, Field{"target", &T::target},
                 Field{"policy", &T::policy}, Field{"templates", &T::templates});
};

template <>
struct Fields<Provenance> {
  using T = Provenance;
  static constexpr auto list =
      std::tuple(Field{"job", &T::job}, Field{"device", &T::device}, Field{"trial", &T::trial},
                 Field{"compiler", &T::compiler}, Field{"unixUs", &T::unixUs});
};

template <>
struct Fields<BestConfiguration> {
  using T = BestConfiguration;
  static constexpr auto list =
      std::tuple(Field{"configuration", &T::configuration}, Field{"ns", &T::ns},
                 Field{"samples", &T::samples}, Field{"provenance", &T::provenance});
};

template <>
struct Fields<BestOfTask> {
  using T = BestOfTask;
  static constexpr auto list =
      std::tuple(Field{"key", &T::key}, Field{"isPassedOver", &T::isPassedOver},
                 Field{"configurations", &T::configurations});
};

template <>
struct Fields<BestAnswer> {
  static constexpr auto list = std::tuple(Field{"tasks", &BestAnswer::tasks});
};

template <>
struct Fields<RecordsQuery> {
  using T = RecordsQuery;
  static constexpr auto list =
      std::tuple(Field{"project", &T::project}, Field{"job", &T::job}, Field{"target", &T::target});
};

template <>
struct Fields<RecordsImport> {
  using T = RecordsImport;
  static constexpr auto list = std::tuple(Field{"project", &T::project}, Field{"lines", &T::lines});
};

template <>
struct Fields<ImportResult> {
  using T = ImportResult;
  static constexpr auto list = std::tuple(Field{"added", &T::added}, Field{"known", &T::known},
                                          Field{"remeasured", &T::remeasured});
};

template <>
struct Fields<DeviceStatus> {
  using T = DeviceStatus;
  static constexpr auto list = std::tuple(
      Field{"name", &T::name}, Field{"deviceClass", &T::deviceClass}, Field{"state", &T::state},
      Field{"reason", &T::reason}, Field{"trial", &T::trial}, Field{"sentinelNs", &T::sentinelNs},
      Field{"frequencyMhz", &T::frequencyMhz}, Field{"temperatureC", &T::temperatureC},
      Field{"measured", &T::measured}, Field{"seenUs", &T::seenUs});
};

template <>
struct Fields<UsageQuery> {
  using T = UsageQuery;
  static constexpr auto list = std::tuple(
      Field{"project", &T::project}, Field{"sinceUs", &T::sinceUs}, Field{"untilUs", &T::untilUs});
};

template <>
struct Fields<UsageRow> {
  using T = UsageRow;
  static constexpr auto list = std::tuple(
      Field{"project", &T::project}, Field{"job", &T::job}, Field{"deviceClass", &T::deviceClass},
      Field{"deviceSeconds", &T::deviceSeconds}, Field{"buildSeconds", &T::buildSeconds},
      Field{"trials", &T::trials}, Field{"unixUs", &T::unixUs});
};

template <>
struct Fields<ProjectUsage> {
  using T = ProjectUsage;
  static constexpr auto list =
      std::tuple(Field{"project", &T::project}, Field{"deviceSeconds", &T::deviceSeconds},
                 Field{"quotaDeviceSeconds", &T::quotaDeviceSeconds});
};

template <>
struct Fields<Usage> {
  static constexpr auto list =
      std::tuple(Field{"projects", &Usage::projects}, Field{"rows", &Usage::rows});
};

template <>
struct Fields<Health> {
  using T = Health;
  static constexpr auto list =
      std::tuple(Field{"isLeader", &T::isLeader}, Field{"leader", &T::leader},
                 Field{"epoch", &T::epoch}, Field{"version", &T::version});
};

} // namespace convoy::service
