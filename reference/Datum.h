// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value of the reference interpreter: a tensor, a sequence or an optional.

#pragma once

#include "Support/Tensor.h"
#include <vector>

namespace convoy::reference {

struct Datum {
  enum class Kind { Tensor, Sequence, Optional };

  Datum() = default;
  Datum(Tensor tensor) : tensor(std::move(tensor)) {}
  static Datum sequence(std::vector<Datum> elements) {
    Datum result;
    result.kind = Kind::Sequence;
    result.elements = std::move(elements);
    return result;
  }
  /// Creates an optional, which holds at most one element.
  static Datum optional(std::vector<Datum> elements) {
    Datum result = sequence(std::move(elements));
    result.kind = Kind::Optional;
    return result;
  }

  bool isTensor() const { return kind == Kind::Tensor; }
  bool isSequence() const { return kind == Kind::Sequence; }
  bool isOptional() const { return kind == Kind::Optional; }

  Kind kind = Kind::Tensor;
  Tensor tensor;
  std::vector<Datum> elements;
};

} // namespace convoy::reference
