// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the cost model with XGBoost's C interface. It trains on a few hundred examples on
// one thread. One thread leaves the other cores to the measurements and makes the trees
// deterministic.

#include "tuning/cost/CostModel.h"
#include "llvm/Support/ErrorHandling.h"
#include <limits>
#include <xgboost/c_api.h>

namespace convoy::tuning {
namespace {

constexpr int kRounds = 60;
constexpr std::pair<const char *, const char *> kParameters[] = {
    {"objective", "reg:squarederror"},
    {"max_depth", "4"},
    {"eta", "0.2"},
    {"min_child_weight", "1"},
    {"lambda", "1"},
    // Exact splits are faster than histograms below 1,000 examples.
    {"tree_method", "exact"},
    {"nthread", "1"},
    {"seed", "0"},
    {"verbosity", "0"},
};

/// XGBoost returns an error only if Convoy misuses its interface.
void check(int status) {
  if (status != 0) {
    llvm::report_fatal_error(llvm::Twine("XGBoost: ") + XGBGetLastError());
  }
}

/// Rows of features in XGBoost's format.
class Matrix {
public:
  explicit Matrix(llvm::ArrayRef<Features> rows) {
    std::vector<float> values;
    for (const Features &row : rows) {
      values.insert(values.end(), row.begin(), row.end());
    }
    check(XGDMatrixCreateFromMat(values.data(), rows.size(), rows.front().size(),
                                 std::numeric_limits<float>::quiet_NaN(), &handle));
  }
  ~Matrix() { XGDMatrixFree(handle); }
  Matrix(const Matrix &) = delete;
  Matrix &operator=(const Matrix &) = delete;

  DMatrixHandle handle = nullptr;
};

class TreeModel : public CostModel {
public:
  ~TreeModel() override { free(); }

  void train(llvm::ArrayRef<Example> examples) override {
    free();
    if (examples.empty()) {
      return;
    }
    std::vector<Features> rows;
    std::vector<float> labels;
    for (const Example &example : examples) {
      rows.push_back(example.features);
      labels.push_back(example.slowness);
    }
    Matrix matrix(rows);
    check(XGDMatrixSetFloatInfo(matrix.handle, "label", labels.data(), labels.size()));
    check(XGBoosterCreate(&matrix.handle, 1, &booster));
    for (auto [name, value] : kParameters) {
      check(XGBoosterSetParam(booster, name, value));
    }
    // The trees start from the mean, because the logarithm of seconds per cycle is about -21.
    double sum = 0;
    for (float label : labels) {
      sum += label;
    }
    std::string mean = std::to_string(sum / static_cast<double>(labels.size()));
    check(XGBoosterSetParam(booster, "base_score", mean.c_str()));
    for (int round = 0; round < kRounds; ++round) {
      check(XGBoosterUpdateOneIter(booster, round, matrix.handle));
    }
  }

  std::vector<float> predict(llvm::ArrayRef<Features> features) const override {
    if (!booster || features.empty()) {
      return std::vector<float>(features.size(), 0.0f);
    }
    Matrix matrix(features);
    bst_ulong count = 0;
    const float *values = nullptr;
    check(XGBoosterPredict(booster, matrix.handle, /*option_mask=*/0, /*ntree_limit=*/0,
                           /*training=*/0, &count, &values));
    return {values, values + count};
  }

private:
  void free() {
    if (booster) {
      XGBoosterFree(booster);
      booster = nullptr;
    }
  }

  BoosterHandle booster = nullptr;
};

} // namespace

std::unique_ptr<CostModel> createTreeModel() { return std::make_unique<TreeModel>(); }

} // namespace convoy::tuning
