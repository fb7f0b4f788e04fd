// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flags of `convoy quantize`.

#include "BuildArguments.h"
#include "DataArguments.h"

namespace convoy::tool {
namespace {

using plan::Rounding;
using quantizer::Clipping;
using quantizer::Ends;
using quantizer::WeightBits;

// In the units of the fields: nanoseconds; a number without a unit is in milliseconds.
constexpr DurationKind kNanoseconds{/*stored=*/1e-9, /*plain=*/1e-3};

void addData(CommandLine &line, CLI::App &verb, QuantizeFlags &o) {
  Flags flags = line.everyday(verb), rare = line.rare(verb);
  DataForm form;
  form.isRequired = true;
  form.data = "Read the samples from a folder of images, .npy or .pb files, from a .npy file whose "
              "first dimension counts the samples, or from a .json file that describes a data set "
              "(required).";
  form.labels = "Read the class of each sample from FILE: a .npy or .u8 file of integers, or text "
                "with LABEL or NAME LABEL per line (default: the labels of the .json file; without "
                "labels, measure the agreement with the float model).";
  addDataFlags(line, verb, o.data, form);
  flags.text("--calibration-data", o.calibrationData, "DATA",
             "Read the samples for ranges and weights from DATA; --data then only selects and "
             "proves (default: a tenth of --data).");
  rare.count("--calibration-samples", o.options.calibrationSamples, {1, 1000000},
             "Use at most N samples for ranges and weights (default: 500).");
  rare.choice("--check-data", o.options.findsMistakes, {{"on", true}, {"off", false}},
              "Look for mistakes of preprocessing and labels on the select part and warn of them "
              "(default: on).");
  rare.percent("--calibrate-share", o.options.calibrateShare,
               "Use X% of --data for ranges and weights, unless --calibration-data is given "
               "(default: 10%).");
  rare.percent("--select-share", o.options.selectShare,
               "Use X% of --data to choose the plan; the promise uses none of it (default: 10%).");
}

void addPromise(CommandLine &line, CLI::App &verb, QuantizeFlags &o) {
  Flags flags = line.everyday(verb), rare = line.rare(verb);
  flags.percent("--max-drop", o.options.maxDrop,
                "Set the largest drop of the accuracy, in points, that the proof must exclude with "
                "95 % confidence; without labels, the largest share of changed answers (default: "
                "0.5%).");
  flags.count("--attempts", o.options.attempts, {1, 1000},
              "Declare the number of proofs on this data before the first one; each proof uses 5 % "
              "over N (default: 1).");
  flags.flag("--allow-unproven", o.allowsUnproven,
             "Write the model even if the data does not prove --max-drop (default: off).");
  rare.choice(
      "--proof", o.options.proves, {{"on", true}, {"off", false}},
      "Prove the drop, or leave the proof part unread and write the model without a promise "
      "(default: on).");
  rare.text("--ledger", o.options.ledger, "FILE",
            "Count the proofs on each data set in FILE (default: .config/convoy/proofs.json in the "
            "home folder).");
}

void addPlan(CommandLine &line, CLI::App &verb, QuantizeFlags &o) {
  Flags flags = line.everyday(verb), rare = line.rare(verb);
  quantizer::QuantizeOptions &options = o.options;
  flags.text("--plan", o.plan, "FILE",
             "Read the types and scales of all tensors from FILE, which an earlier run wrote, and "
             "search none (default: search).");
  flags.choice("--weights", options.weights,
               {{"8", WeightBits::Eight}, {"4", WeightBits::Four}, {"auto", WeightBits::Auto}},
               "Store weights in 8 bits, in 4 bits, or as many in 4 bits as --max-drop allows "
               "(default: 8).");
  flags.choice("--ends", options.ends,
               {{"auto", Ends::Auto}, {"float", Ends::Float}, {"integer", Ends::Integer}},
               "Give the inputs and outputs of the model floats or the integers of the plan "
               "(default: auto, integers for a microcontroller, else floats).");
  flags.count("--max-wide", options.maxWide, {0, 100000},
              "Keep at most N activations wider than 8 bits (default: 8; 0 for a microcontroller, "
              "which computes them in generic loops).");
  rare.choice(
      "--wide", options.allows16, {{"int16", true}, {"float", false}},
      "Store wide activations in int16 if the target has it, or in float (default: int16).");
  rare.percent("--min-4bit-share", options.minFourBitShare,
               "Require X% of the bytes of the weights in 4 bits; needs --weights auto (default: "
               "0%).");
  rare.choice(
      "--clipping", options.base.clipping,
      {{"minmax", Clipping::MinMax}, {"percentile", Clipping::Percentile}, {"mse", Clipping::Mse}},
      "Choose the range of an activation by its extremes, by its 99.99 % percentile or by "
      "the least mean squared error (default: mse).");
  rare.choice("--rounding", options.base.rounding,
              {{"nearest", Rounding::Nearest}, {"fitted", Rounding::Fitted}},
              "Round each weight to nearest, or fit the weights of a layer to its inputs (default: "
              "fitted).");
  rare.choice("--bias-correction", options.base.correctsBias, {{"on", true}, {"off", false}},
              "Add the mean error of the integer weights to the bias (default: on).");
  rare.size("--max-ram", options.maxWorkspaceBytes,
            "Use only plans whose predicted workspace is at most SIZE (default: no limit).");
  rare.duration("--max-latency", options.maxNanoseconds, kNanoseconds,
                "Use only plans whose predicted time on one core is at most DURATION; a number "
                "without a unit is in milliseconds (default: no limit).");
  rare.count("--sensitivity-samples", options.sensitivitySamples, {0, 1000},
             "Rank the tensors on N samples; 0 ranks none and searches none (default: 8).");
}

/// Refuses a flag that has no effect without another flag.
void checkFlags(const CLI::App &verb, const QuantizeFlags &o) {
  if (verb.count("--min-4bit-share") > 0 && o.options.weights != WeightBits::Auto) {
    throw CLI::ValidationError("--min-4bit-share",
                               "expects --weights auto, which chooses the width of each layer");
  }
  if (verb.count("--attempts") > 0 && !o.options.proves) {
    throw CLI::ValidationError("--attempts", "expects --proof on; --proof off proves nothing");
  }
  if (o.options.maxDrop <= 0) {
    throw CLI::ValidationError("--max-drop", "expects more than 0%; no number of samples excludes "
                                             "every drop");
  }
  if (o.options.selectShare <= 0 || o.options.selectShare > 0.8) {
    throw CLI::ValidationError("--select-share",
                               "expects more than 0% and at most 80%, because the rest proves");
  }
  if (verb.count("--calibrate-share") > 0 && !o.calibrationData.empty()) {
    throw CLI::ValidationError("--calibrate-share",
                               "has no effect: --calibration-data names the samples");
  }
  if (o.options.calibrateShare <= 0 || o.options.calibrateShare + o.options.selectShare > 0.9) {
    throw CLI::ValidationError("--calibrate-share",
                               "expects more than 0% and, with --select-share, "
                               "at most 90%, because the rest proves");
  }
}

} // namespace

void addQuantize(CommandLine &line) {
  auto o = std::make_shared<QuantizeFlags>();
  CLI::App &verb = line.addVerb(
      "quantize",
      "Quantise a float model to an ONNX model with QuantizeLinear and DequantizeLinear, and prove "
      "an upper bound of the accuracy that this costs.",
      [o](Console &console) { return quantize(*o, console); });
  BuildForm form;
  form.hasImageInput = true;
  form.target = "Choose types that this target computes in integers, and predict times on it; "
                "`convoy targets` lists the targets (default: host).";
  addDatasetModelFlags(line, verb, o->build, form);
  addData(line, verb, *o);
  addPromise(line, verb, *o);
  addPlan(line, verb, *o);
  Flags flags = line.everyday(verb), rare = line.rare(verb);
  flags
      .text("-o,--output", o->output, "FILE",
            "Write the quantised model to FILE and its plan beside it, FILE.plan.json without the "
            "extension .onnx (required).")
      ->required();
  flags.text("--report", o->report, "FILE",
             "Draw accuracy, errors, ranges and changed samples as an HTML page (default: none).");
  rare.count("--top", o->options.topK, {1, 1000},
             "Count also the answers whose label is among the N largest (default: 5).");
  rare.count("--threads", o->options.threads, {1, 1024},
             "Run the model on N samples at the same time (default: 2).");
  line.addResultFlags(verb, o->json);
  verb.callback([o, &verb] { checkFlags(verb, *o); });
}

} // namespace convoy::tool
