// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search of a simulated job: which proposal and which builds become ready when. It follows the
// rule of tuning/search/JobSearch.h without its models.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace convoy::service {

class JobModel {
public:
  JobModel(int64_t rounds, int64_t batch, int lookAhead)
      : batch(batch), lookAhead(lookAhead), left(static_cast<size_t>(rounds), batch) {}

  /// Returns the number of the next round if it may be proposed now. Each round is returned once.
  std::optional<int64_t> propose() {
    bool mayPropose = !isProposing && proposed < rounds() && proposed - known <= lookAhead;
    if (!mayPropose) {
      return std::nullopt;
    }
    isProposing = true;
    return proposed;
  }
  void endProposal() {
    isProposing = false;
    ++proposed;
  }
  /// Counts the result of a trial. Results apply in the order of rounds.
  void complete(int64_t trial) {
    --left[static_cast<size_t>(trial / batch)];
    while (known < proposed && left[static_cast<size_t>(known)] == 0) {
      ++known;
    }
  }
  bool isFinished() const { return known == rounds(); }

private:
  int64_t rounds() const { return static_cast<int64_t>(left.size()); }

  int64_t batch, lookAhead;
  int64_t proposed = 0, known = 0; // rounds
  bool isProposing = false;
  std::vector<int64_t> left; // trials without a result, per round
};

} // namespace convoy::service
