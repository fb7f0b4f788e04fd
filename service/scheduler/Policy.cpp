// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The policies of the scheduler, one row of a table each.

#include "service/scheduler/Policy.h"

namespace convoy::service::scheduler {
namespace {

struct Rules {
  std::string_view name;
  double (*rank)(const JobFacts &);
  bool sharesByProject, ages, isSerial;
  bool findsCritical;
};

double byOrder(const JobFacts &job) { return static_cast<double>(job.order); }
double byReady(const JobFacts &job) { return job.readySince; }
double byAttained(const JobFacts &job) { return job.attainedSeconds; }
double byRemaining(const JobFacts &job) { return job.remainingSeconds; }

/// A job is critical if its path is longer than this multiple of the pool's remaining time: the
/// first for a job that needs almost nothing of the pool, which therefore delays no other job, the
/// second for a job that alone keeps the scarcest resource busy. Smaller values shorten the
/// makespan and delay short jobs. The values come from the loads of docs/benchmarks/scheduling.md.
constexpr double kLightRatio = 0.7, kHeavyRatio = 1.4;

constexpr Rules kPolicies[] = {
    // name, rank, sharesByProject, ages, isSerial, findsCritical
    {"serial", byOrder, false, false, true, false},
    {"fifo", byReady, false, false, false, false},
    {"fair", byAttained, true, false, false, false},
    {"srpt", byRemaining, false, false, false, false},
    {"balanced", byRemaining, true, true, false, true},
};

class RuledPolicy : public Policy {
public:
  explicit RuledPolicy(const Rules &rules) : rules(rules) {}
  std::string_view name() const override { return rules.name; }
  double rank(const JobFacts &job) const override { return rules.rank(job); }
  bool sharesByProject() const override { return rules.sharesByProject; }
  bool isCritical(const JobFacts &job) const override { return secondsToCritical(job) <= 0; }
  double secondsToCritical(const JobFacts &job) const override {
    if (!rules.findsCritical || job.pathSeconds <= 0) {
      return Policy::secondsToCritical(job);
    }
    double load = job.remainingSeconds / job.pathSeconds;
    double ratio = kLightRatio + (kHeavyRatio - kLightRatio) * load;
    return job.poolSeconds - job.pathSeconds / ratio;
  }
  bool ages() const override { return rules.ages; }
  bool isSerial() const override { return rules.isSerial; }

private:
  const Rules &rules;
};

} // namespace

std::unique_ptr<Policy> makePolicy(std::string_view name) {
  for (const Rules &rules : kPolicies) {
    if (rules.name == name) {
      return std::make_unique<RuledPolicy>(rules);
    }
  }
  return nullptr;
}

std::vector<std::string_view> policyNames() {
  std::vector<std::string_view> names;
  for (const Rules &rules : kPolicies) {
    names.push_back(rules.name);
  }
  return names;
}

} // namespace convoy::service::scheduler
