// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a file of records holds, per key: for `convoy records list` and reports.

#pragma once

#include "tuning/records/RecordStore.h"
#include <map>

namespace convoy::tuning {

struct KeyOverview {
  RecordKey key;
  std::string taskText;
  std::map<Outcome, int64_t> trials; // by outcome; those that occurred
  Configuration best;                // of the fastest trial that is ok
  double bestNs = 0;                 // 0: none is ok

  int64_t trialCount() const;
  int64_t okCount() const;
};

struct Overview {
  std::string hash; // as Snapshot::hash
  int64_t records = 0;
  std::vector<KeyOverview> keys; // by task text, then by the rest of the key
};

llvm::Expected<Overview> readOverview(RecordStore &store);

} // namespace convoy::tuning
