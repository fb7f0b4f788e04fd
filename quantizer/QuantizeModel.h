// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantizes a float model and proves what this costs: `convoy quantize` as a function. The steps
// are observe, plan, fit weights, rank tensors, search and prove. docs/decisions/0023 explains
// which part of the data each step reads.

#pragma once

#include "quantizer/mistakes/Mistakes.h"
#include "quantizer/search/BasePlan.h"
#include "quantizer/search/Sensitivity.h"

namespace convoy::quantizer {

/// The width of weights.
enum class WeightBits {
  Eight,
  Four,
  Auto, ///< As many weights in 4 bits as the limit on the drop allows.
};

/// The types of the inputs and outputs of the written model.
enum class Ends {
  Auto, ///< As the target prefers: integers on a microcontroller, else floats.
  Float,
  Integer, ///< The integers of the plan; the caller quantizes and dequantizes.
};

/// The most wide activations by default.
constexpr int64_t kMaxWide = 8;

struct QuantizeOptions {
  double calibrateShare = 0.1, selectShare = 0.1; // of the data; the rest proves
  int64_t calibrationSamples = 500;               // at most

  /// The largest drop of the accuracy, as a share. Without labels, the largest share of samples on
  /// which the models disagree.
  double maxDrop = 0.005;
  int64_t attempts = 1; // proofs on the proof split, declared beforehand
  std::string ledger;   // file that counts proofs
  bool proves = true;   // if false, the proof split stays unread

  TargetRequest target;
  BasePlanOptions base;
  WeightBits weights = WeightBits::Eight;
  Ends ends = Ends::Auto;
  double minFourBitShare = 0; // of the bytes of the weights, for WeightBits::Auto
  bool allows16 = true;
  /// The most wide activations; -1: kMaxWide, or 0 if they are generic loops on the target.
  int64_t maxWide = -1;
  int64_t maxWorkspaceBytes = 0;
  double maxNanoseconds = 0;

  bool findsMistakes = true;      // of preprocessing and labels
  int64_t sensitivitySamples = 8; // 0: no ranking and no search
  int64_t topK = 5;
  int64_t threads = 2;
};

struct QuantizeRequest {
  Model model;
  InputPins pins;
  std::shared_ptr<const io::Dataset> data;
  /// Samples that only calibrate; null: a part of `data` does.
  std::shared_ptr<const io::Dataset> calibration;
  /// A plan to apply as it is; nothing: search one.
  std::optional<plan::Plan> plan;
  QuantizeOptions options;
  /// Called when a step begins and after parts of it: name, finished, total.
  std::function<void(const std::string &, size_t, size_t)> progress;
};

/// SHA-256 in hexadecimal digits of what an accuracy bound is about.
struct PromiseHashes {
  std::string model;     // the float model
  std::string data;      // the samples of the proof split
  std::string plan;      // its JSON text
  std::string quantized; // the written model without its metadata
};

struct Proof {
  bool isDone = false;
  Measurement measurement;
  double alpha = 0; // of this proof: 0.05 over the number of attempts
  double bound = 0; // upper bound of the drop with confidence 1 - alpha
  bool isPromised = false;
  int64_t samplesNeeded = 0; // to prove the limit; 0: no number of samples does
  std::map<int64_t, ClassChange> classes;
};

struct StepTime {
  std::string name;
  double seconds = 0;
};

struct QuantizeResult {
  plan::Plan plan;
  std::shared_ptr<const onnx::ModelProto> model;
  PromiseHashes hashes;
  bool hasLabels = false;
  size_t calibrateSamples = 0, selectSamples = 0, proveSamples = 0;
  Measurement select;
  std::vector<SearchStep> searchSteps;
  Proof proof;
  std::vector<ChangedSample> changed;
  std::map<std::string, TensorStatistics> statistics;
  std::vector<TensorSensitivity> sensitivity;
  std::vector<Mistake> mistakes; // the warnings are also problems of the result
  TargetCost floatCost, quantizedCost;
  WeightBytes weights;
  int64_t floatBytes = 0, quantizedBytes = 0; // of the model files
  std::vector<StepTime> times;

  /// Returns the activations that are wider than 8 bits.
  std::vector<plan::ActivationPlan> wideActivations() const;
};

Result<QuantizeResult> quantizeModel(const QuantizeRequest &request);

} // namespace convoy::quantizer
