// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests reading files in NumPy's format, writing them, and the errors for malformed files.

#include "io/Npy.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace convoy;
using namespace convoy::io;

namespace {

std::string npy(const std::string &dictionary, const std::string &data, char version = 1) {
  std::string result = "\x93NUMPY";
  result += version;
  result += '\0';
  auto length = static_cast<uint32_t>(dictionary.size());
  result.append(reinterpret_cast<const char *>(&length), version == 1 ? 2 : 4);
  return result + dictionary + data;
}

std::string bytesOf(const std::vector<float> &values) {
  return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(float)};
}

std::string errorOf(const std::string &bytes) {
  llvm::Expected<Tensor> tensor = parseNpy(bytes, "a.npy");
  return tensor ? "no error" : llvm::toString(tensor.takeError());
}

TEST(Npy, ReadsRowMajorFloats) {
  std::string file = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n",
                         bytesOf({1, 2, 3, 4, 5, 6}));
  llvm::Expected<Tensor> tensor = parseNpy(file, "a.npy");
  ASSERT_TRUE(bool(tensor));
  EXPECT_EQ(tensor->type(), ElementType::F32);
  EXPECT_EQ(tensor->shape(), llvm::ArrayRef<int64_t>({2, 3}));
  EXPECT_EQ(tensor->data<float>()[4], 5);
}

TEST(Npy, TurnsColumnMajorToRowMajor) {
  // The matrix [[1, 2, 3], [4, 5, 6]] in column-major order.
  std::string file = npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n",
                         bytesOf({1, 4, 2, 5, 3, 6}));
  llvm::Expected<Tensor> tensor = parseNpy(file, "a.npy");
  ASSERT_TRUE(bool(tensor));
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(tensor->data<float>()[i], i + 1);
  }
}

TEST(Npy, ReadsVersion2AndScalars) {
  std::string file = npy("{'descr': '|u1', 'fortran_order': False, 'shape': ()}", "\x2a", 2);
  llvm::Expected<Tensor> tensor = parseNpy(file, "a.npy");
  ASSERT_TRUE(bool(tensor));
  EXPECT_EQ(tensor->rank(), 0);
  EXPECT_EQ(tensor->asInt(0), 42);
}

TEST(Npy, RoundTripsEachType) {
  for (ElementType type :
       {ElementType::Bool, ElementType::I8, ElementType::U8, ElementType::I16, ElementType::U16,
        ElementType::I32, ElementType::U32, ElementType::I64, ElementType::U64, ElementType::F16,
        ElementType::F32, ElementType::F64}) {
    Tensor tensor(type, {3});
    tensor.setInt(1, 1);
    std::string bytes = encodeNpy(tensor);
    EXPECT_EQ((bytes.size() - tensor.bytes()) % 64, 0u) << name(type).str();
    llvm::Expected<Tensor> back = parseNpy(bytes, "a.npy");
    ASSERT_TRUE(bool(back)) << name(type).str();
    EXPECT_EQ(back->type(), type);
    EXPECT_EQ(back->shape(), tensor.shape());
    EXPECT_EQ(std::memcmp(back->raw(), tensor.raw(), tensor.bytes()), 0);
  }
  EXPECT_FALSE(isNpyType(ElementType::BF16));
  EXPECT_FALSE(isNpyType(ElementType::String));
}

TEST(Npy, SaysWhatIsBroken) {
  EXPECT_EQ(errorOf("GIF89a"), "'a.npy' is not a .npy file: it does not begin with \\x93NUMPY");
  EXPECT_EQ(errorOf(std::string("\x93NUMPY\x01\x00\xff\xff{", 11)),
            "'a.npy' is truncated in its header");
  EXPECT_EQ(errorOf(npy("{'descr': '<f4'}", "")),
            "'a.npy' has a header without descr, fortran_order or shape");
  EXPECT_EQ(errorOf(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "1234")),
            "'a.npy' contains 4 bytes of data, which does not fit its shape");
  EXPECT_EQ(errorOf(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "")),
            "'a.npy' has an invalid shape (-1,)");
  EXPECT_EQ(errorOf(npy("{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", "1234")),
            "'a.npy': not supported: NumPy type '>f4'; save the array as little-endian float, "
            "integer or bool");
  // The number of bytes overflows.
  EXPECT_EQ(errorOf(npy("{'descr': '<f8', 'fortran_order': False, 'shape': "
                        "(4611686018427387904,)}",
                        "")),
            "'a.npy' contains 0 bytes of data, which does not fit its shape");
}

} // namespace
