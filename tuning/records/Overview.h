// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Summarizes a file of records per key, for `convoy records list` and reports.

#pragma once

#include "tuning/records/RecordStore.h"
#include <map>

namespace convoy::tuning {

struct KeyOverview {
  RecordKey key;
  std::string taskText;
  std::map<Outcome, int64_t> trials; // by outcome, without outcomes that did not occur
  Configuration best;                // the configuration of the fastest successful trial
  double bestNs = 0;                 // 0: no successful trial

  int64_t trialCount() const;
  int64_t okCount() const;
};

struct Overview {
  std::string hash; // the same as Snapshot::hash
  int64_t records = 0;
  std::vector<KeyOverview> keys; // sorted by task text, then by the other fields of the key
};

llvm::Expected<Overview> readOverview(RecordStore &store);

} // namespace convoy::tuning
