// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints builds as tables and converts them to and from JSON.

#include "report/MicroBuild.h"
#include "Support/PercentText.h"
#include "Support/TextTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <numeric>

namespace convoy::report {
namespace {

std::string perMultiplyAdd(int64_t instructions, int64_t multiplyAdds) {
  return multiplyAdds > 0 ? llvm::formatv("{0:f2}", static_cast<double>(instructions) /
                                                        static_cast<double>(multiplyAdds))
                                .str()
                          : "";
}

std::string shareText(int64_t part, int64_t all) {
  return shortPercentText(static_cast<double>(part), static_cast<double>(all));
}

/// The columns of a layer's result in the arena: offset, bytes and life.
std::vector<std::string> placeCells(const MicroBuild &build, size_t layer) {
  const MicroTensor *tensor = build.resultOf(layer);
  if (!tensor) {
    return {"", "", ""};
  }
  return {grouped(tensor->offset), grouped(tensor->bytes),
          std::to_string(tensor->first) + "-" + std::to_string(tensor->last)};
}

/// Returns the indices of the layers by falling instructions. Equal layers keep their order.
std::vector<size_t> largestFirst(const MicroBuild &build) {
  std::vector<size_t> order(build.layers.size());
  std::iota(order.begin(), order.end(), size_t(0));
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::pair(-build.layers[a].instructions, a) <
           std::pair(-build.layers[b].instructions, b);
  });
  return order;
}

void printLayers(llvm::raw_ostream &os, const MicroBuild &build) {
  os << build.model << " on " << build.target;
  if (!build.compiler.empty()) {
    os << ", compiled by " << build.compiler;
  }
  os << (build.isCounted ? "; instructions counted\n" : "; instructions estimated\n");
  ColumnKind number = ColumnKind::Number;
  TextTable table({{"layer", number},
                   {"instructions", number},
                   {"share", number},
                   {"MACs", number},
                   {"per MAC", number},
                   {"weights", number},
                   {"offset", number},
                   {"bytes", number},
                   {"life", number},
                   {"kernel"},
                   {"nodes"}});
  for (size_t index : largestFirst(build)) {
    const MicroLayer &layer = build.layers[index];
    std::vector<std::string> cells = {std::to_string(index),
                                      grouped(layer.instructions),
                                      shareText(layer.instructions, build.instructions),
                                      grouped(layer.multiplyAdds),
                                      perMultiplyAdd(layer.instructions, layer.multiplyAdds),
                                      grouped(layer.weightsBytes)};
    llvm::append_range(cells, placeCells(build, index));
    cells.push_back(layer.kernel);
    cells.push_back(layer.nodes);
    table.add(std::move(cells));
  }
  if (build.isCounted) {
    table.add({"", grouped(build.between), shareText(build.between, build.instructions), "", "", "",
               "", "", "", "", "between layers"});
  }
  table.print(os);
}

llvm::json::Array layersToJson(const MicroBuild &build) {
  llvm::json::Array array;
  for (const MicroLayer &layer : build.layers) {
    array.push_back(llvm::json::Object{{"kernel", layer.kernel},
                                       {"nodes", llvm::json::fixUTF8(layer.nodes)},
                                       {"instructions", layer.instructions},
                                       {"multiply_adds", layer.multiplyAdds},
                                       {"weights_bytes", layer.weightsBytes}});
  }
  return array;
}

llvm::json::Array tensorsToJson(const MicroBuild &build) {
  llvm::json::Array array;
  for (const MicroTensor &tensor : build.tensors) {
    array.push_back(llvm::json::Object{{"name", build.nameOf(tensor)},
                                       {"layer", tensor.layer},
                                       {"scratch", tensor.isScratch},
                                       {"offset", tensor.offset},
                                       {"bytes", tensor.bytes},
                                       {"first", tensor.first},
                                       {"last", tensor.last}});
  }
  return array;
}

/// The numbers of a build by their names in JSON.
constexpr std::pair<llvm::StringLiteral, int64_t MicroBuild::*> kNumbers[] = {
    {"instructions", &MicroBuild::instructions},
    {"between_layers", &MicroBuild::between},
    {"workspace_bytes", &MicroBuild::arenaBytes},
    {"input_bytes", &MicroBuild::inputBytes},
    {"output_bytes", &MicroBuild::outputBytes},
    {"weights_bytes", &MicroBuild::weightsBytes},
    {"code_bytes", &MicroBuild::codeBytes},
    {"flash_bytes", &MicroBuild::flashBytes},
    {"ram_bytes", &MicroBuild::ramBytes},
    {"used_workspace_bytes", &MicroBuild::usedArenaBytes},
};

/// Reads the members of one JSON object and remembers the first that is missing.
class Members {
public:
  explicit Members(const llvm::json::Value &value) : object(value.getAsObject()) {}

  std::string text(llvm::StringRef key) {
    std::optional<llvm::StringRef> found = object ? object->getString(key) : std::nullopt;
    note(key, found.has_value());
    return found.value_or("").str();
  }
  int64_t number(llvm::StringRef key) {
    std::optional<int64_t> found = object ? object->getInteger(key) : std::nullopt;
    note(key, found.has_value());
    return found.value_or(0);
  }
  bool isNumber(llvm::StringRef key) const { return object && object->getInteger(key).has_value(); }
  bool flag(llvm::StringRef key) {
    std::optional<bool> found = object ? object->getBoolean(key) : std::nullopt;
    note(key, found.has_value());
    return found.value_or(false);
  }
  llvm::ArrayRef<llvm::json::Value> list(llvm::StringRef key) {
    const llvm::json::Array *found = object ? object->getArray(key) : nullptr;
    note(key, found != nullptr);
    return found ? llvm::ArrayRef(found->data(), found->size())
                 : llvm::ArrayRef<llvm::json::Value>();
  }
  void note(llvm::StringRef key, bool isFound) {
    missing = isFound || !missing.empty() ? missing : key.str();
  }

  std::string missing;

private:
  const llvm::json::Object *object;
};

} // namespace

int64_t MicroBuild::multiplyAdds() const {
  int64_t sum = 0;
  for (const MicroLayer &layer : layers) {
    sum += layer.multiplyAdds;
  }
  return sum;
}

int64_t MicroBuild::tableBytes() const {
  int64_t sum = 0;
  for (const MicroLayer &layer : layers) {
    sum += layer.multiplyAdds == 0 ? layer.weightsBytes : 0;
  }
  return sum;
}

int64_t MicroBuild::storedWeightsBytes() const {
  return isLinked() ? std::min(weightsBytes, flashBytes - codeBytes) : weightsBytes;
}

std::pair<int64_t, size_t> MicroBuild::highest() const {
  std::pair<int64_t, size_t> most = {0, 0};
  for (const MicroTensor &tensor : tensors) {
    int64_t end = tensor.offset + tensor.bytes;
    if (end > most.first && tensor.first >= 0 &&
        static_cast<size_t>(tensor.first) < layers.size()) {
      most = {end, static_cast<size_t>(tensor.first)};
    }
  }
  return most;
}

const MicroTensor *MicroBuild::resultOf(size_t layer) const {
  const auto *found = llvm::find_if(llvm::ArrayRef(tensors), [&](const MicroTensor &tensor) {
    return tensor.layer == static_cast<int64_t>(layer) && !tensor.isScratch;
  });
  return found == llvm::ArrayRef(tensors).end() ? nullptr : found;
}

std::string MicroBuild::nameOf(const MicroTensor &tensor) const {
  if (tensor.layer < 0 || static_cast<size_t>(tensor.layer) >= layers.size()) {
    return "input";
  }
  return layers[static_cast<size_t>(tensor.layer)].kernel + (tensor.isScratch ? " (scratch)" : "");
}

std::string grouped(int64_t number) {
  std::string digits = std::to_string(std::abs(number));
  for (size_t at = digits.size(); at > 3; at -= 3) {
    digits.insert(at - 3, ",");
  }
  return (number < 0 ? "-" : "") + digits;
}

void printBuilds(llvm::raw_ostream &os, llvm::ArrayRef<MicroBuild> builds, bool hasLayers) {
  for (const MicroBuild &build : builds) {
    if (hasLayers) {
      printLayers(os, build);
      printTotals(os, build);
    }
  }
  ColumnKind number = ColumnKind::Number;
  TextTable table({{"model"},
                   {"target"},
                   {"instructions", number},
                   {"MACs", number},
                   {"per MAC", number},
                   {"flash bytes", number},
                   {"RAM bytes", number},
                   {"stack", number},
                   {"workspace", number},
                   {"weights", number}});
  for (const MicroBuild &build : builds) {
    int64_t multiplyAdds = build.multiplyAdds();
    table.add({build.model, build.target, grouped(build.instructions), grouped(multiplyAdds),
               perMultiplyAdd(build.instructions, multiplyAdds),
               build.isLinked() ? grouped(build.flashBytes) : "",
               build.isLinked() ? grouped(build.ramBytes) : "",
               build.isStackBounded ? grouped(build.stackBytes) : "unknown",
               grouped(build.arenaBytes), grouped(build.weightsBytes)});
  }
  table.print(os);
}

void printTotals(llvm::raw_ostream &os, const MicroBuild &build) {
  if (build.isLinked()) {
    os << "flash  " << grouped(build.flashBytes) << " bytes: code " << grouped(build.codeBytes)
       << ", weights " << grouped(build.storedWeightsBytes()) << ", other constants and data "
       << grouped(build.otherBytes()) << "\n";
  } else {
    os << "flash  weights " << grouped(build.weightsBytes)
       << " bytes; `convoy bench` builds a program and prints the size of its code\n";
  }
  int64_t io = build.inputBytes + build.outputBytes;
  os << "RAM    ";
  if (build.isLinked()) {
    os << grouped(build.ramBytes) << " bytes: ";
  }
  os << "arena " << grouped(build.arenaBytes) << ", inputs and outputs " << grouped(io);
  if (build.isLinked()) {
    os << ", stack " << grouped(build.stackBytes)
       << (build.isStackBounded ? "" : " (by the target's description)");
  }
  os << "\n";
  auto [bytes, layer] = build.highest();
  if (bytes > 0) {
    os << "peak   layer " << layer << ", " << build.layers[layer].key() << ", uses the arena up to "
       << grouped(bytes) << "\n";
  }
}

llvm::json::Object toJson(const MicroBuild &build) {
  llvm::json::Object object{{"model", llvm::json::fixUTF8(build.model)},
                            {"target", build.target},
                            {"compiler", build.compiler},
                            {"counted", build.isCounted},
                            {"multiply_adds", build.multiplyAdds()},
                            {"table_bytes", build.tableBytes()},
                            {"layers", layersToJson(build)},
                            {"arena", tensorsToJson(build)}};
  for (const auto &[name, member] : kNumbers) {
    object[name] = build.*member;
  }
  llvm::json::Array library;
  for (const LibraryCall &call : build.libraryCalls) {
    library.push_back(llvm::json::Object{{"function", call.name}, {"stack_bytes", call.bytes}});
  }
  auto known = [](std::optional<int64_t> bytes) {
    return bytes ? llvm::json::Value(*bytes) : llvm::json::Value(nullptr);
  };
  object["library_calls"] = std::move(library);
  object["stack_bytes"] =
      known(build.isStackBounded ? std::optional(build.stackBytes) : std::nullopt);
  object["used_stack_bytes"] = known(build.usedStackBytes);
  return object;
}

std::string toJson(llvm::ArrayRef<MicroBuild> builds) {
  llvm::json::Array array;
  for (const MicroBuild &build : builds) {
    array.push_back(toJson(build));
  }
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(array))).str();
}

llvm::Expected<MicroBuild> microBuildFromJson(const llvm::json::Value &value,
                                              llvm::StringRef origin) {
  Members members(value);
  MicroBuild build;
  build.model = members.text("model");
  build.target = members.text("target");
  build.compiler = members.text("compiler");
  build.isCounted = members.flag("counted");
  for (const auto &[name, member] : kNumbers) {
    build.*member = members.number(name);
  }
  build.isStackBounded = members.isNumber("stack_bytes");
  build.stackBytes = build.isStackBounded ? members.number("stack_bytes") : 0;
  for (const llvm::json::Value &entry : members.list("library_calls")) {
    Members call(entry);
    build.libraryCalls.push_back({call.text("function"), call.number("stack_bytes")});
    members.note(call.missing, call.missing.empty());
  }
  if (members.isNumber("used_stack_bytes")) {
    build.usedStackBytes = members.number("used_stack_bytes");
  }
  for (const llvm::json::Value &entry : members.list("layers")) {
    Members layer(entry);
    build.layers.push_back({layer.text("kernel"), layer.text("nodes"), layer.number("instructions"),
                            layer.number("multiply_adds"), layer.number("weights_bytes")});
    members.note(layer.missing, layer.missing.empty());
  }
  for (const llvm::json::Value &entry : members.list("arena")) {
    Members tensor(entry);
    build.tensors.push_back({tensor.number("layer"), tensor.flag("scratch"),
                             tensor.number("offset"), tensor.number("bytes"),
                             tensor.number("first"), tensor.number("last")});
    members.note(tensor.missing, tensor.missing.empty());
  }
  if (!members.missing.empty()) {
    return llvm::createStringError(
        "'" + origin + "': expects a build for a microcontroller, found no '" + members.missing +
        "'; write the file with `convoy bench --json=FILE` of this version");
  }
  return build;
}

} // namespace convoy::report
