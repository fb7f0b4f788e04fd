// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search of convoy.tune, in its own thread. Python takes its steps from a queue.

#pragma once

#include "../runtime/Interruptible.h"
#include "BuildRequest.h"
#include "tuning/network/NetworkSearch.h"

namespace convoy::python {

class Search {
public:
  /// Starts the search. `records` is the file for its records, `program` is convoy-measure.
  Search(const BuildRequest &request, const std::string &records, const std::string &program,
         const tuning::NetworkSearch &search);
  Search(const Search &) = delete;
  Search &operator=(const Search &) = delete;
  /// Ends the search after its current batch, without waiting for it.
  ~Search();

  /// Waits for the next step. Returns the members of TuneProgress, or None at the end. A signal
  /// handler that raises also ends the search.
  py::object next();
  /// Returns the JSON of the result; throws the problems. Only after the end.
  std::string result() const;
  void cancel();

private:
  struct State;

  std::shared_ptr<State> state;
  std::unique_ptr<BackgroundCall> call;
};

} // namespace convoy::python
