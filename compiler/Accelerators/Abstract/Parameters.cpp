// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table of parameters serves the JSON file and the command line. An error names the parameter,
// what is expected and what was found. An unknown parameter is an error.

#include "Accelerators/Abstract/Parameters.h"
#include "Support/Json.h"

#include "Support/TypedError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using llvm::StringRef;

namespace convoy::abstract {
namespace {

struct Number {
  StringRef name;
  uint32_t convoy_abstract_device::*field;
  int64_t least;
  int64_t most;
};

// The ranges are those of convoy_abstract_check_device.
const Number kNumbers[] = {
    {"pes", &convoy_abstract_device::pes, 1, 1 << 16},
    {"memory_bytes", &convoy_abstract_device::memory_bytes, 1 << 10, 1 << 30},
    {"dma_bytes_per_cycle", &convoy_abstract_device::dma_bytes_per_cycle, 1, 1 << 12},
    {"dma_latency_cycles", &convoy_abstract_device::dma_latency_cycles, 0, 1 << 20},
    {"startup_cycles", &convoy_abstract_device::startup_cycles, 0, 1 << 20},
    {"queue_depth", &convoy_abstract_device::queue_depth, 1, CONVOY_ABSTRACT_MAX_QUEUE},
};

struct Fact {
  StringRef name;
  uint32_t convoy_abstract_device::*field;
};

const Fact kFacts[] = {
    {"weight_zero_points", &convoy_abstract_device::weight_zero_points},
    {"activation_zero_points", &convoy_abstract_device::activation_zero_points},
    {"wide_data", &convoy_abstract_device::wide_data},
};

const StringRef kParallel[] = {"input", "output"};           // order of CONVOY_ABSTRACT_*_PARALLEL
const StringRef kDepthwise[] = {"none", "mapped", "native"}; // order of Depthwise
const StringRef kTiling[] = {"all", "channels"};             // order of CONVOY_ABSTRACT_TILE_*

llvm::Error fail(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

llvm::Error setWord(uint32_t &field, llvm::ArrayRef<StringRef> words, StringRef name,
                    StringRef value) {
  const auto *found = llvm::find(words, value);
  if (found == words.end()) {
    return fail("parameter " + name + " expects one of " + llvm::join(words, ", ") + ", got '" +
                value + "'");
  }
  field = static_cast<uint32_t>(found - words.begin());
  return llvm::Error::success();
}

/// Parses numbers such as 4096, 512K and 1M; returns nothing for any other text.
std::optional<int64_t> parseNumber(StringRef text) {
  int64_t unit = text.ends_with("K") ? 1 << 10 : text.ends_with("M") ? 1 << 20 : 1;
  int64_t number = 0;
  if (text.drop_back(unit == 1 ? 0 : 1).getAsInteger(10, number) || number < 0 ||
      number > (int64_t{1} << 40)) {
    return std::nullopt;
  }
  return number * unit;
}

std::string allNames() {
  std::vector<std::string> names = {"name", "parallel", "depthwise", "tiling"};
  for (const Number &number : kNumbers) {
    names.push_back(number.name.str());
  }
  for (const Fact &fact : kFacts) {
    names.push_back(fact.name.str());
  }
  return llvm::join(names, ", ");
}

} // namespace

llvm::Error setParameter(Parameters &parameters, StringRef name, StringRef value) {
  for (const Number &number : kNumbers) {
    if (number.name == name) {
      std::optional<int64_t> parsed = parseNumber(value);
      if (!parsed || *parsed < number.least || *parsed > number.most) {
        return fail(llvm::formatv("parameter {0} expects a number from {1} to {2}, got '{3}'", name,
                                  number.least, number.most, value)
                        .str());
      }
      parameters.device.*number.field = static_cast<uint32_t>(*parsed);
      return llvm::Error::success();
    }
  }
  for (const Fact &fact : kFacts) {
    if (fact.name == name) {
      return setWord(parameters.device.*fact.field, {"false", "true"}, name, value);
    }
  }
  if (name == "name" && !value.empty()) {
    parameters.name = value.str();
    return llvm::Error::success();
  }
  if (name == "parallel") {
    StringRef whole = value == "in" ? "input" : value == "out" ? "output" : value;
    return setWord(parameters.device.parallel, kParallel, name, whole);
  }
  if (name == "tiling") {
    return setWord(parameters.options.tiling, kTiling, name, value);
  }
  if (name == "depthwise") {
    uint32_t kind = 0;
    if (llvm::Error error = setWord(kind, kDepthwise, name, value)) {
      return error;
    }
    parameters.depthwise = static_cast<Depthwise>(kind);
    parameters.device.depthwise = parameters.depthwise == Depthwise::Native;
    return llvm::Error::success();
  }
  return fail("unknown parameter '" + name + "'; the parameters are " + allNames());
}

/// Returns a JSON value as it is written on the command line.
static std::string spell(const llvm::json::Value &value) {
  if (std::optional<StringRef> text = value.getAsString()) {
    return text->str();
  }
  if (std::optional<int64_t> number = value.getAsInteger()) {
    return std::to_string(*number);
  }
  if (std::optional<bool> fact = value.getAsBoolean()) {
    return *fact ? "true" : "false";
  }
  return llvm::formatv("{0}", value).str();
}

llvm::Expected<Parameters> parseParameters(StringRef json, StringRef where) {
  llvm::Expected<llvm::json::Value> value = parseJson(json);
  if (!value) {
    return withPrefix(where + ": ", value.takeError());
  }
  const llvm::json::Object *object = value->getAsObject();
  if (!object) {
    return fail(where + ": expects an object of parameters");
  }
  Parameters parameters = defaultParameters();
  // The names are sorted so that the first of several errors is the same on every machine.
  std::vector<StringRef> names;
  for (const auto &field : *object) {
    names.push_back(field.first);
  }
  llvm::sort(names);
  for (StringRef name : names) {
    if (llvm::Error error = setParameter(parameters, name, spell(*object->get(name)))) {
      return withPrefix(where + ": ", std::move(error));
    }
  }
  return parameters;
}

/// 16 bytes per cycle is a 128-bit bus; 64 cycles is a DRAM access at about 500 MHz.
Parameters defaultParameters() {
  Parameters parameters;
  parameters.device = {/*pes=*/64,
                       CONVOY_ABSTRACT_OUTPUT_PARALLEL,
                       /*memory_bytes=*/1u << 20,
                       /*dma_bytes_per_cycle=*/16,
                       /*dma_latency_cycles=*/64,
                       /*startup_cycles=*/16,
                       /*queue_depth=*/8,
                       /*depthwise=*/1,
                       /*weight_zero_points=*/1,
                       /*activation_zero_points=*/1,
                       /*wide_data=*/0};
  return parameters;
}

} // namespace convoy::abstract
