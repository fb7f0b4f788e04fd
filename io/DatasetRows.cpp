// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A .npy file whose first dimension counts the samples. Reads each row on demand at its offset in
// the file. The file is not mapped, because mapped pages would count as memory of the process.

#include "Support/InputFile.h"
#include "Support/TypedError.h"
#include "io/DatasetParts.h"
#include "io/Files.h"
#include "io/ImageInput.h"
#include "io/Npy.h"
#include "io/TensorText.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/xxhash.h"
#include <cstring>

namespace convoy::io {
namespace {

namespace fs = llvm::sys::fs;

// Longer than the header of any array that has at most 32 dimensions, NumPy's limit.
constexpr size_t kHeaderBytes = 4096;

/// An open file, closed by the destructor.
class OpenFile {
public:
  explicit OpenFile(fs::file_t handle) : handle(handle) {}
  OpenFile(const OpenFile &) = delete;
  OpenFile &operator=(const OpenFile &) = delete;
  ~OpenFile() {
    if (handle != fs::kInvalidFile) {
      [[maybe_unused]] std::error_code unused = fs::closeFile(handle); // the file was only read
    }
  }

  /// Reads bytes at an offset. Any thread may call the function.
  llvm::Error read(uint64_t offset, llvm::MutableArrayRef<char> bytes, llvm::StringRef name) const {
    while (!bytes.empty()) {
      llvm::Expected<size_t> count = fs::readNativeFileSlice(handle, bytes, offset);
      if (!count) {
        return withPrefix("cannot read '" + name + "': ", count.takeError());
      }
      if (*count == 0) {
        return fileError("cannot read '" + name + "': the file became shorter");
      }
      offset += *count;
      bytes = bytes.drop_front(*count);
    }
    return llvm::Error::success();
  }

private:
  fs::file_t handle;
};

/// Returns whether the rows are images: bytes of rows x columns or of rows x columns x channels.
bool isImages(const NpyHeader &header) {
  size_t rank = header.shape.size();
  return header.type == ElementType::U8 &&
         (rank == 3 || (rank == 4 && (header.shape[3] == 1 || header.shape[3] == 3)));
}

class RowStore : public SampleStore {
public:
  RowStore(std::string path, std::shared_ptr<OpenFile> file, NpyHeader header, StoreInputs inputs)
      : path(std::move(path)), file(std::move(file)), header(std::move(header)),
        inputs(std::move(inputs)), row(this->header.shape.begin() + 1, this->header.shape.end()),
        rowBytes(*elementCount(row) * storageBytes(this->header.type)) {}

  size_t size() const override { return static_cast<size_t>(header.shape[0]); }
  std::string nameOf(size_t index) const override {
    return path + "[" + std::to_string(index) + "]";
  }
  bool hasFileNames() const override { return false; }

  llvm::Expected<NamedData> read(size_t index) const override {
    const InputInfo &input = inputs.infos.front();
    llvm::Expected<Tensor> tensor = isImages(header) ? readImageRow(index) : readTensorRow(index);
    if (!tensor) {
      return tensor.takeError();
    }
    return NamedData{{input.name, Datum(std::move(*tensor))}};
  }

  llvm::Expected<uint64_t> contentHash(size_t index) const override {
    std::vector<uint8_t> bytes(rowBytes);
    if (llvm::Error error = readBytes(index, bytes.data())) {
      return error;
    }
    return llvm::xxh3_64bits(bytes);
  }

private:
  llvm::Error readBytes(size_t index, void *bytes) const {
    return file->read(header.dataOffset + index * rowBytes, {static_cast<char *>(bytes), rowBytes},
                      path);
  }

  llvm::Expected<Tensor> readTensorRow(size_t index) const {
    Tensor tensor(header.type, *sampleShape(row, inputs.infos.front()));
    if (llvm::Error error = readBytes(index, tensor.mutableRaw())) {
      return error;
    }
    return tensor;
  }

  llvm::Expected<Tensor> readImageRow(size_t index) const {
    llvm::Expected<Image> image = makeImage(row[1], row[0], 3);
    if (!image) {
      return withPrefix("'" + nameOf(index) + "' ", image.takeError());
    }
    bool isGray = row.size() == 2 || row[2] == 1;
    std::vector<uint8_t> gray(isGray ? rowBytes : 0);
    if (llvm::Error error = readBytes(index, isGray ? gray.data() : image->pixels.data())) {
      return error;
    }
    for (size_t i = 0; i < gray.size(); ++i) {
      std::memset(&image->pixels[3 * i], gray[i], 3);
    }
    return imageTensor(std::move(*image), nameOf(index), inputs.infos.front(), inputs.image);
  }

  std::string path;
  std::shared_ptr<OpenFile> file;
  NpyHeader header;
  StoreInputs inputs;
  Shape row; // shape of a sample in the file
  size_t rowBytes;
};

/// Checks that the rows can be samples of the model.
llvm::Error checkRows(llvm::StringRef path, const NpyHeader &header, const StoreInputs &inputs) {
  if (header.shape.empty() || header.shape[0] == 0) {
    return fileError("'" + path + "' of shape " + shapeText(header.shape) +
                     " holds no samples; expected an array whose first dimension counts the "
                     "samples");
  }
  if (header.isColumnMajor && header.shape.size() > 1) {
    return fileError("'" + path +
                     "' is in column-major order, and samples are read row by row; save "
                     "numpy.ascontiguousarray of the array");
  }
  if (inputs.infos.size() != 1) {
    return fileError("'" + path + "' has one tensor per sample, and the model has " +
                     llvm::Twine(inputs.infos.size()) +
                     " inputs; make one folder of input_N.pb per sample");
  }
  const InputInfo &input = inputs.infos.front();
  if (isImages(header)) {
    llvm::Expected<ImageLayout> layout = imageLayout(input, inputs.image.layout);
    return layout ? llvm::Error::success() : layout.takeError();
  }
  if (header.type != input.type) {
    return fileError("'" + path + "' contains " + name(header.type) + " " +
                     shapeText(header.shape) + ", input '" + input.name + "' expects " +
                     name(input.type) +
                     (header.type == ElementType::U8
                          ? "; images are samples x rows x columns x channels of u8, with 1 or 3 "
                            "channels"
                          : "; convert the array with numpy.astype"));
  }
  llvm::ArrayRef<int64_t> row = llvm::ArrayRef(header.shape).drop_front();
  if (elementCount(row).value_or(0) == 0) {
    return fileError("'" + path + "' has samples of shape " + shapeText(row) +
                     ", which have no elements; expected an array whose first dimension counts "
                     "the samples");
  }
  if (!sampleShape(row, input)) {
    return fileError("'" + path + "' has samples of shape " + shapeText(row) + ", input '" +
                     input.name + "' expects " + shapeText(*input.shape) +
                     "; reshape the array so that its first dimension counts the samples");
  }
  return llvm::Error::success();
}

} // namespace

llvm::Expected<std::unique_ptr<SampleStore>> openRows(const DatasetFlags &flags,
                                                      StoreInputs inputs) {
  const std::string &path = flags.data;
  if (isDevice(path)) {
    return fileError("cannot read '" + path + "': it is a device; expected a file");
  }
  llvm::Expected<fs::file_t> handle = fs::openNativeFileForRead(path);
  if (!handle) {
    return withPrefix("cannot read '" + path + "': ", handle.takeError());
  }
  auto file = std::make_shared<OpenFile>(*handle);
  uint64_t fileBytes = 0;
  if (std::error_code error = fs::file_size(path, fileBytes)) {
    return llvm::createStringError(error, "cannot read '" + path + "': " + error.message());
  }
  std::string first(std::min<uint64_t>(kHeaderBytes, fileBytes), '\0');
  if (llvm::Error error = file->read(0, {first.data(), first.size()}, path)) {
    return error;
  }
  llvm::Expected<NpyHeader> header = parseNpyHeader(first, path);
  if (!header) {
    return header.takeError();
  }
  if (llvm::Error error = checkNpySize(*header, fileBytes - header->dataOffset, path)) {
    return error;
  }
  if (llvm::Error error = checkRows(path, *header, inputs)) {
    return error;
  }
  return std::make_unique<RowStore>(path, std::move(file), std::move(*header), std::move(inputs));
}

} // namespace convoy::io
