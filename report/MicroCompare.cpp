// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pairs the layers of two builds and subtracts their numbers.

#include "report/MicroCompare.h"
#include "Support/Json.h"
#include "Support/TextTable.h"
#include "Support/TypedError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace convoy::report {
namespace {

int64_t arenaBytesOf(const MicroBuild &build, const MicroLayer &layer) {
  auto index = static_cast<size_t>(&layer - build.layers.data());
  const MicroTensor *result = build.resultOf(index);
  return result ? result->bytes : 0;
}

/// Returns the layer of `after` for each layer of `before`; null without a partner.
std::vector<const MicroLayer *> pairLayers(const MicroBuild &before, const MicroBuild &after) {
  std::vector<const MicroLayer *> partners(before.layers.size(), nullptr);
  std::vector<bool> isTaken(after.layers.size(), false);
  auto match = [&](auto isPartner) {
    for (auto [i, layer] : llvm::enumerate(before.layers)) {
      for (size_t j = 0; j < after.layers.size() && !partners[i]; ++j) {
        if (!isTaken[j] && isPartner(layer, after.layers[j])) {
          partners[i] = &after.layers[j];
          isTaken[j] = true;
        }
      }
    }
  };
  match([](const MicroLayer &a, const MicroLayer &b) { return a.key() == b.key(); });
  match([](const MicroLayer &a, const MicroLayer &b) { return a.nodes == b.nodes; });
  return partners;
}

LayerChange changeOf(const MicroBuild &before, const MicroLayer *from, const MicroBuild &after,
                     const MicroLayer *to) {
  LayerChange change{from ? from->key() : "", to ? to->key() : "", {}};
  auto note = [&](const char *name, int64_t old, int64_t fresh) {
    if (old != fresh) {
      change.changes.push_back({name, old, fresh});
    }
  };
  note("instructions", from ? from->instructions : 0, to ? to->instructions : 0);
  note("MACs", from ? from->multiplyAdds : 0, to ? to->multiplyAdds : 0);
  note("weights", from ? from->weightsBytes : 0, to ? to->weightsBytes : 0);
  note("arena", from ? arenaBytesOf(before, *from) : 0, to ? arenaBytesOf(after, *to) : 0);
  return change;
}

/// "+1,234", "-5" or "0"; with the change in percent.
std::string growthText(const MicroChange &change) {
  std::string text = (change.growth() > 0 ? "+" : "") + grouped(change.growth());
  if (change.before > 0 && change.growth() != 0) {
    double percent =
        100 * static_cast<double>(change.growth()) / static_cast<double>(change.before);
    text += llvm::formatv(" ({0}{1:f1} %)", percent > 0 ? "+" : "", percent).str();
  }
  return text;
}

llvm::json::Array toJson(llvm::ArrayRef<MicroChange> changes) {
  llvm::json::Array array;
  for (const MicroChange &change : changes) {
    array.push_back(llvm::json::Object{
        {"name", change.name}, {"before", change.before}, {"after", change.after}});
  }
  return array;
}

} // namespace

bool MicroComparison::hasGrown() const {
  return llvm::any_of(totals, [](const MicroChange &total) {
    bool isCost = total.name == "instructions" || total.name == "flash" || total.name == "RAM";
    return isCost && total.growth() > 0;
  });
}

MicroComparison compareBuilds(const MicroBuild &before, const MicroBuild &after) {
  MicroComparison result{after.model, after.target, {}, {}};
  auto total = [&](const char *name, auto valueOf) {
    result.totals.push_back({name, valueOf(before), valueOf(after)});
  };
  total("instructions", [](const MicroBuild &b) { return b.instructions; });
  total("MACs", [](const MicroBuild &b) { return b.multiplyAdds(); });
  total("flash", [](const MicroBuild &b) { return b.flashBytes; });
  total("code", [](const MicroBuild &b) { return b.codeBytes; });
  total("weights", [](const MicroBuild &b) { return b.weightsBytes; });
  total("RAM", [](const MicroBuild &b) { return b.ramBytes; });
  total("arena", [](const MicroBuild &b) { return b.arenaBytes; });
  total("inputs and outputs", [](const MicroBuild &b) { return b.inputBytes + b.outputBytes; });
  total("stack", [](const MicroBuild &b) { return b.stackBytes; });
  std::vector<const MicroLayer *> partners = pairLayers(before, after);
  for (auto [layer, partner] : llvm::zip(before.layers, partners)) {
    result.layers.push_back(changeOf(before, &layer, after, partner));
  }
  for (const MicroLayer &layer : after.layers) {
    if (!llvm::is_contained(partners, &layer)) {
      result.layers.push_back(changeOf(before, nullptr, after, &layer));
    }
  }
  llvm::erase_if(result.layers, [](const LayerChange &layer) {
    return layer.changes.empty() && !layer.before.empty() && !layer.after.empty();
  });
  return result;
}

void printComparison(llvm::raw_ostream &os, const MicroComparison &comparison) {
  os << comparison.model << " on " << comparison.target << "\n";
  ColumnKind number = ColumnKind::Number;
  TextTable table({{"total"}, {"before", number}, {"after", number}, {"change", number}});
  for (const MicroChange &total : comparison.totals) {
    table.add({total.name, grouped(total.before), grouped(total.after), growthText(total)});
  }
  table.print(os);
  if (comparison.layers.empty()) {
    os << "no layer differs\n";
    return;
  }
  TextTable layers(
      {{"number"}, {"before", number}, {"after", number}, {"change", number}, {"layer"}});
  for (const LayerChange &layer : comparison.layers) {
    std::string name = layer.before.empty()  ? layer.after + " (only in the second build)"
                       : layer.after.empty() ? layer.before + " (only in the first build)"
                                             : layer.after;
    if (layer.changes.empty()) {
      layers.add({"", "", "", "", name});
    }
    for (const MicroChange &change : layer.changes) {
      layers.add(
          {change.name, grouped(change.before), grouped(change.after), growthText(change), name});
    }
  }
  layers.print(os);
}

llvm::json::Object toJson(const MicroComparison &comparison) {
  llvm::json::Array layers;
  for (const LayerChange &layer : comparison.layers) {
    layers.push_back(llvm::json::Object{{"before", llvm::json::fixUTF8(layer.before)},
                                        {"after", llvm::json::fixUTF8(layer.after)},
                                        {"changes", toJson(layer.changes)}});
  }
  return llvm::json::Object{{"model", llvm::json::fixUTF8(comparison.model)},
                            {"target", comparison.target},
                            {"grown", comparison.hasGrown()},
                            {"totals", toJson(comparison.totals)},
                            {"layers", std::move(layers)}};
}

/// Returns whether a JSON value is a build for a microcontroller; times of other targets have
/// neither member.
static bool hasCountsAndArena(const llvm::json::Value &value) {
  const llvm::json::Object *object = value.getAsObject();
  return object && object->getBoolean("counted") && object->getArray("arena");
}

llvm::Expected<std::optional<std::vector<MicroBuild>>> parseMicroBuilds(llvm::StringRef text,
                                                                        llvm::StringRef origin) {
  llvm::Expected<llvm::json::Value> value = parseJson(text);
  if (!value) {
    return withPrefix("'" + origin + "': expects a file of `convoy bench --json=FILE`, found ",
                      value.takeError());
  }
  llvm::json::Array single;
  const llvm::json::Array *list = value->getAsArray();
  if (const llvm::json::Object *object = value->getAsObject()) {
    const llvm::json::Value *build = object->get("micro");
    single.push_back(build ? *build : *value);
    list = &single;
  }
  if (!list || list->empty() || !llvm::all_of(*list, hasCountsAndArena)) {
    return std::nullopt;
  }
  std::vector<MicroBuild> builds;
  for (const llvm::json::Value &entry : *list) {
    llvm::Expected<MicroBuild> build = microBuildFromJson(entry, origin);
    if (!build) {
      return build.takeError();
    }
    builds.push_back(std::move(*build));
  }
  return builds;
}

} // namespace convoy::report
