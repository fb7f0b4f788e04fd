// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts messages to JSON and back. A reader accepts messages of later versions: it ignores
// unknown fields and uses defaults for optional ones.

#include "service/queue/Messages.h"
#include "service/queue/JsonFields.h"

using nlohmann::json;
using namespace convoy::tuning;

namespace convoy::service {
namespace {

json toJson(const Configuration &configuration) {
  return {{"template", configuration.templateId},
          {"version", configuration.templateVersion},
          {"text", configuration.text},
          {"input", configuration.inputLayout},
          {"output", configuration.outputLayout}};
}

Configuration configurationOf(const json &value) {
  JsonFields fields(value);
  Configuration configuration;
  configuration.templateId = fields.text("template", "");
  configuration.templateVersion = static_cast<int>(fields.integer("version", 0));
  configuration.text = fields.text("text", "");
  configuration.inputLayout = fields.text("input", kPlanarLayout);
  configuration.outputLayout = fields.text("output", kPlanarLayout);
  return configuration;
}

json toJson(const MeasurePlan &plan) {
  return {{"policy", tuning::name(plan.policy).str()},
          {"threads", plan.threads},
          {"samples", plan.samples},
          {"sampleMs", plan.sampleMs},
          {"isInterleaved", plan.isInterleaved},
          {"giveUpNs", plan.giveUpNs},
          {"timeoutMs", plan.timeoutMs}};
}

MeasurePlan planOf(const json &value) {
  JsonFields fields(value);
  MeasurePlan plan;
  plan.policy = policyFromName(fields.text("policy", "")).value_or(plan.policy);
  plan.threads = static_cast<int>(fields.integer("threads", plan.threads));
  plan.samples = static_cast<int>(fields.integer("samples", plan.samples));
  plan.sampleMs = fields.number("sampleMs", plan.sampleMs);
  plan.isInterleaved = fields.flag("isInterleaved", plan.isInterleaved);
  plan.giveUpNs = fields.number("giveUpNs", plan.giveUpNs);
  plan.timeoutMs = fields.number("timeoutMs", plan.timeoutMs);
  return plan;
}

json toJson(const RunnableCandidate &candidate) {
  json inputs = json::array(), outputs = json::array();
  for (const RunnableCandidate::Input &input : candidate.inputs) {
    inputs.push_back({{"file", input.file}, {"bytes", input.bytes}});
  }
  for (const RunnableCandidate::Output &output : candidate.outputs) {
    outputs.push_back({{"bytes", output.bytes}, {"expected", output.expected}});
  }
  return {{"id", candidate.id},          {"library", candidate.library},
          {"symbol", candidate.symbol},  {"workspaceBytes", candidate.workspaceBytes},
          {"inputs", std::move(inputs)}, {"outputs", std::move(outputs)}};
}

RunnableCandidate candidateOf(const json &value) {
  JsonFields fields(value);
  RunnableCandidate candidate;
  candidate.id = fields.text("id", "");
  candidate.library = fields.text("library", "");
  candidate.symbol = fields.text("symbol", "");
  candidate.workspaceBytes = fields.integer("workspaceBytes", 0);
  for (const json &input : fields.part("inputs")) {
    JsonFields part(input);
    candidate.inputs.push_back({part.text("file", ""), part.integer("bytes", 0)});
  }
  for (const json &output : fields.part("outputs")) {
    JsonFields part(output);
    candidate.outputs.push_back({part.integer("bytes", 0), part.text("expected", "")});
  }
  return candidate;
}

json toJson(llvm::ArrayRef<NetworkFile> files) {
  json list = json::array();
  for (const NetworkFile &file : files) {
    list.push_back({{"name", file.name}, {"file", file.file}, {"bytes", file.bytes}});
  }
  return list;
}

std::vector<NetworkFile> filesOf(const json &value) {
  std::vector<NetworkFile> files;
  for (const json &item : value) {
    JsonFields part(item);
    files.push_back({part.text("name", ""), part.text("file", ""), part.integer("bytes", 0)});
  }
  return files;
}

json toJson(const BuiltNetwork &network) {
  return {{"default", toJson(network.byDefault)},
          {"files", toJson(network.files)},
          {"defaultFiles", toJson(network.defaultFiles)}};
}

BuiltNetwork networkOf(const json &value) {
  JsonFields fields(value);
  return {candidateOf(fields.part("default")), filesOf(fields.part("files")),
          filesOf(fields.part("defaultFiles"))};
}

json toJson(llvm::ArrayRef<Sample> samples) {
  json list = json::array();
  for (const Sample &sample : samples) {
    list.push_back({sample.runs, sample.wallNs, sample.cpuNs, sample.isClean});
  }
  return list;
}

std::vector<Sample> samplesOf(const json &value) {
  std::vector<Sample> samples;
  for (const json &item : value) {
    bool isSample = item.is_array() && item.size() == 4 && item[0].is_number_integer() &&
                    item[1].is_number_integer() && item[2].is_number_integer() &&
                    item[3].is_boolean() && item[0].get<int64_t>() > 0;
    if (isSample) {
      samples.push_back({item[0].get<int64_t>(), item[1].get<int64_t>(), item[2].get<int64_t>(),
                         item[3].get<bool>()});
    }
  }
  return samples;
}

std::optional<WorkStage> stageFromName(llvm::StringRef text) {
  if (text == "build") {
    return WorkStage::Build;
  }
  return text == "measure" ? std::optional<WorkStage>(WorkStage::Measure) : std::nullopt;
}

void addToken(json &object, const FencingToken &token) {
  object["epoch"] = token.epoch;
  object["attempt"] = token.attempt;
  object["issue"] = token.issue;
  object["delivery"] = token.delivery;
}

FencingToken tokenOf(JsonFields &fields) {
  FencingToken token;
  token.epoch = fields.integer("epoch");
  token.attempt = static_cast<int>(fields.integer("attempt"));
  token.issue = fields.integer("issue", 0);
  token.delivery = fields.integer("delivery");
  return token;
}

/// Reads the field "stage".
llvm::Expected<WorkStage> stageOf(JsonFields &fields, llvm::StringRef what) {
  std::string text = fields.text("stage");
  std::optional<WorkStage> stage = stageFromName(text);
  if (!stage) {
    return llvm::createStringError(what + " has the stage '" + text +
                                   "', expected 'build' or 'measure'");
  }
  return *stage;
}

} // namespace

llvm::StringRef name(WorkStage stage) { return stage == WorkStage::Build ? "build" : "measure"; }

std::string toText(const WorkMessage &message) {
  json object{{"stage", name(message.stage).str()},
              {"trial", message.trial},
              {"attempt", message.attempt},
              {"epoch", message.epoch},
              {"issue", message.issue},
              {"class", message.deviceClass},
              {"task", message.taskKey},
              {"taskName", message.taskName},
              {"configuration", toJson(message.configuration)},
              {"plan", toJson(message.plan)}};
  if (message.stage == WorkStage::Build) {
    object["target"] = message.targetBlob;
  } else {
    object["candidate"] = toJson(message.candidate);
  }
  if (!message.model.empty()) {
    object["model"] = message.model;
    object["best"] = message.bestBlob;
  }
  if (!message.byDefault.library.empty()) {
    object["default"] = toJson(message.byDefault);
  }
  return dump(object);
}

llvm::Expected<WorkMessage> workFromText(llvm::StringRef text) {
  llvm::Expected<json> object = parseObject(text, "a work message");
  if (!object) {
    return object.takeError();
  }
  JsonFields fields(*object);
  llvm::Expected<WorkStage> stage = stageOf(fields, "a work message");
  if (!stage) {
    return stage.takeError();
  }
  WorkMessage message;
  message.stage = *stage;
  message.trial = fields.text("trial");
  message.attempt = static_cast<int>(fields.integer("attempt"));
  message.epoch = fields.integer("epoch");
  message.issue = fields.integer("issue", 0);
  message.deviceClass = fields.text("class", "");
  message.taskKey = fields.text("task");
  message.taskName = fields.text("taskName", "");
  message.configuration = configurationOf(fields.part("configuration"));
  message.plan = planOf(fields.part("plan"));
  if (*stage == WorkStage::Build) {
    message.targetBlob = fields.text("target");
  } else {
    message.candidate = candidateOf(fields.part("candidate"));
  }
  message.model = fields.text("model", "");
  message.bestBlob = fields.text("best", "");
  message.byDefault = candidateOf(fields.part("default"));
  if (llvm::Error error = fields.problem("a work message")) {
    return std::move(error);
  }
  return message;
}

std::string toText(const ResultMessage &message) {
  const Completion &completion = message.completion;
  json object{{"stage", name(completion.stage).str()},
              {"trial", completion.trial},
              {"outcome", tuning::name(completion.outcome).str()},
              {"message", completion.message},
              {"worker", completion.worker},
              {"seconds", completion.seconds}};
  addToken(object, message.token);
  if (completion.stage == WorkStage::Build) {
    object["candidate"] = toJson(completion.candidate);
    object["artefact"] = completion.artifact;
    if (completion.network) {
      object["network"] = toJson(*completion.network);
    }
  } else {
    object["samples"] = toJson(completion.measurement.samples);
    object["isDisturbed"] = completion.measurement.isDisturbed;
    if (!completion.defaultMeasurement.samples.empty()) {
      object["defaultSamples"] = toJson(completion.defaultMeasurement.samples);
    }
    object["sentinelNs"] = completion.measurement.sentinelNs;
    object["sentinelDrift"] = message.sentinelDrift;
    object["kilohertz"] = message.kilohertz;
    object["celsius"] = message.celsius;
  }
  return dump(object);
}

llvm::Expected<ResultMessage> resultFromText(llvm::StringRef text) {
  llvm::Expected<json> object = parseObject(text, "a result");
  if (!object) {
    return object.takeError();
  }
  JsonFields fields(*object);
  llvm::Expected<WorkStage> stage = stageOf(fields, "a result");
  if (!stage) {
    return stage.takeError();
  }
  ResultMessage message;
  message.token = tokenOf(fields);
  Completion &completion = message.completion;
  completion.stage = *stage;
  completion.trial = fields.text("trial");
  completion.attempt = message.token.attempt;
  std::string outcome = fields.text("outcome");
  completion.message = fields.text("message", "");
  completion.worker = fields.text("worker", "");
  completion.seconds = fields.number("seconds", 0);
  completion.candidate = candidateOf(fields.part("candidate"));
  completion.artifact = fields.text("artefact", "");
  completion.measurement.samples = samplesOf(fields.part("samples"));
  completion.measurement.isDisturbed = fields.flag("isDisturbed", false);
  completion.defaultMeasurement.samples = samplesOf(fields.part("defaultSamples"));
  if (!fields.part("network").empty()) {
    completion.network = networkOf(fields.part("network"));
  }
  completion.measurement.sentinelNs = fields.integer("sentinelNs", 0);
  message.sentinelDrift = fields.number("sentinelDrift", 0);
  message.kilohertz = fields.integer("kilohertz", 0);
  message.celsius = fields.number("celsius", 0);
  if (llvm::Error error = fields.problem("a result")) {
    return std::move(error);
  }
  std::optional<Outcome> known = outcomeFromName(outcome);
  if (!known) {
    return llvm::createStringError("a result has the unknown outcome '" + outcome + "'");
  }
  completion.outcome = completion.measurement.outcome = *known;
  completion.measurement.message = completion.message;
  return message;
}

std::string bestToText(const BestByTask &best) {
  json object = json::object();
  for (const auto &[key, task] : best) {
    json list = json::array();
    for (const layout::MeasuredConfiguration &one : task.configurations) {
      list.push_back({{"text", one.config}, {"input", one.input}, {"ns", one.ns}});
    }
    object[key] = std::move(list);
  }
  return dump(object);
}

llvm::Expected<BestByTask> bestFromText(llvm::StringRef text) {
  llvm::Expected<json> object = parseObject(text, "a list of the fastest configurations");
  if (!object) {
    return object.takeError();
  }
  BestByTask best;
  for (const auto &[key, list] : object->items()) {
    layout::TaskMeasurements &task = best[key];
    for (const json &item : list) {
      JsonFields fields(item);
      task.configurations.push_back(
          {fields.text("text", ""), fields.text("input", ""), fields.number("ns", 0)});
    }
  }
  return best;
}

std::string toText(const StartedMessage &message) {
  json object{
      {"stage", name(message.stage).str()}, {"trial", message.trial}, {"worker", message.worker}};
  addToken(object, message.token);
  return dump(object);
}

llvm::Expected<StartedMessage> startedFromText(llvm::StringRef text) {
  llvm::Expected<json> object = parseObject(text, "an announcement");
  if (!object) {
    return object.takeError();
  }
  JsonFields fields(*object);
  llvm::Expected<WorkStage> stage = stageOf(fields, "an announcement");
  if (!stage) {
    return stage.takeError();
  }
  StartedMessage message;
  message.stage = *stage;
  message.trial = fields.text("trial");
  message.worker = fields.text("worker", "");
  message.token = tokenOf(fields);
  if (llvm::Error error = fields.problem("an announcement")) {
    return std::move(error);
  }
  return message;
}

} // namespace convoy::service
