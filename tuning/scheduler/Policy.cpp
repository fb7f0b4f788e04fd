// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The policies of the scheduler, one row of a table each.

#include "tuning/scheduler/Policy.h"

namespace convoy::tuning::scheduler {
namespace {

struct Rules {
  std::string_view name;
  double (*rank)(const JobFacts &);
  bool sharesByProject, ages, isSerial;
};

double byOrder(const JobFacts &job) { return static_cast<double>(job.order); }
double byReady(const JobFacts &job) { return job.readySince; }
double byAttained(const JobFacts &job) { return job.attainedSeconds; }
double byRemaining(const JobFacts &job) { return job.remainingSeconds; }

constexpr Rules kPolicies[] = {
    // name       rank         shares ages   serial
    {"serial", byOrder, false, false, true},      {"fifo", byReady, false, false, false},
    {"fair", byAttained, true, false, false},     {"srpt", byRemaining, false, false, false},
    {"balanced", byRemaining, true, true, false},
};

class RuledPolicy : public Policy {
public:
  explicit RuledPolicy(const Rules &rules) : rules(rules) {}
  std::string_view name() const override { return rules.name; }
  double rank(const JobFacts &job) const override { return rules.rank(job); }
  bool sharesByProject() const override { return rules.sharesByProject; }
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

} // namespace convoy::tuning::scheduler
