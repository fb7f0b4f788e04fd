// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A key file has two lines, a signature four:
//
//   untrusted comment: ...                                 untrusted comment: ...
//   base64("Ed", number of the key, key)                   base64("ED", number of the key,
//   signature)
//                                                          trusted comment: TEXT
//                                                          base64(signature of signature and TEXT)

#include "io/Minisign.h"
#include "io/ReadOpening.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/FileSystem.h"
#include <sodium.h>

namespace convoy::io {
namespace {

using llvm::StringRef;

constexpr size_t kAlgorithmBytes = 2, kNumberBytes = 8, kKeyBytes = crypto_sign_PUBLICKEYBYTES,
                 kSignatureBytes = crypto_sign_BYTES;
constexpr StringRef kTrusted = "trusted comment: ";
constexpr size_t kLongestText = 64 << 10; // of a key or a signature
constexpr size_t kPartBytes = 1 << 20;    // of a file, per read

const unsigned char *bytesOf(StringRef text) {
  return reinterpret_cast<const unsigned char *>(text.data());
}

llvm::Error problem(const llvm::Twine &text) {
  return llvm::createStringError(std::make_error_code(std::errc::invalid_argument), text);
}

std::string numberOf(StringRef bytes) {
  std::string reversed = bytes.str();
  std::reverse(reversed.begin(), reversed.end());
  return llvm::toHex(reversed);
}

/// Returns the bytes of a line, or nothing if it is not base64 of `size` bytes.
std::optional<std::string> decode(StringRef line, size_t size) {
  std::vector<char> bytes;
  if (llvm::Error error = llvm::decodeBase64(line.trim(), bytes)) {
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }
  return bytes.size() == size ? std::optional(std::string(bytes.begin(), bytes.end()))
                              : std::nullopt;
}

/// Reads a short text file.
llvm::Expected<std::string> readText(const std::string &path) {
  llvm::Expected<std::string> text = readOpening(path, kLongestText);
  return text ? std::move(text)
              : problem("cannot read '" + path + "': " + llvm::toString(text.takeError()));
}

struct Signature {
  std::string number, bytes, comment, global;
};

llvm::Expected<Signature> readSignature(const std::string &path) {
  llvm::Expected<std::string> text = readText(path);
  if (!text) {
    return text.takeError();
  }
  llvm::SmallVector<StringRef, 5> lines;
  StringRef(*text).split(lines, '\n');
  bool hasLines = lines.size() >= 4 && lines[2].starts_with(kTrusted);
  auto first =
      hasLines ? decode(lines[1], kAlgorithmBytes + kNumberBytes + kSignatureBytes) : std::nullopt;
  auto global = hasLines ? decode(lines[3], kSignatureBytes) : std::nullopt;
  if (!first || !global) {
    return problem("'" + path + "' is no signature of minisign; sign the file again");
  }
  if (!StringRef(*first).starts_with("ED")) {
    return problem("'" + path +
                   "' is a signature in minisign's legacy format; sign the file again "
                   "without the flag -l");
  }
  StringRef rest = StringRef(*first).drop_front(kAlgorithmBytes);
  return Signature{rest.take_front(kNumberBytes).str(), rest.drop_front(kNumberBytes).str(),
                   lines[2].drop_front(kTrusted.size()).rtrim('\r').str(), std::move(*global)};
}

/// Returns the BLAKE2b-512 of a file.
llvm::Expected<std::string> hashFile(const std::string &path) {
  llvm::Expected<llvm::sys::fs::file_t> file = llvm::sys::fs::openNativeFileForRead(path);
  if (!file) {
    return llvm::createStringError("cannot read '" + path +
                                   "': " + llvm::toString(file.takeError()));
  }
  crypto_generichash_state state;
  crypto_generichash_init(&state, nullptr, 0, crypto_generichash_BYTES_MAX);
  std::vector<char> part(kPartBytes);
  llvm::Expected<size_t> count = 0;
  while ((count = llvm::sys::fs::readNativeFile(*file, part)) && *count > 0) {
    crypto_generichash_update(&state, bytesOf({part.data(), *count}), *count);
  }
  std::error_code closing = llvm::sys::fs::closeFile(*file);
  if (!count) {
    return llvm::createStringError("cannot read '" + path +
                                   "': " + llvm::toString(count.takeError()));
  }
  if (closing) {
    return problem("cannot read '" + path + "': " + closing.message());
  }
  std::string hash(crypto_generichash_BYTES_MAX, '\0');
  crypto_generichash_final(&state, reinterpret_cast<unsigned char *>(hash.data()), hash.size());
  return hash;
}

bool isSigned(StringRef text, StringRef signature, const PublicKey &key) {
  return crypto_sign_verify_detached(bytesOf(signature), bytesOf(text), text.size(),
                                     key.bytes.data()) == 0;
}

} // namespace

std::string PublicKey::number() const {
  return numberOf({reinterpret_cast<const char *>(id.data()), id.size()});
}

llvm::Expected<PublicKey> readPublicKey(const std::string &key) {
  constexpr size_t kBytes = kAlgorithmBytes + kNumberBytes + kKeyBytes;
  std::optional<std::string> bytes = decode(key, kBytes);
  if (!bytes) {
    llvm::Expected<std::string> text = readText(key);
    if (!text) {
      return problem("--public-key: " + llvm::toString(text.takeError()));
    }
    bytes = decode(StringRef(*text).split('\n').second.split('\n').first, kBytes);
  }
  if (!bytes || !StringRef(*bytes).starts_with("Ed")) {
    return problem("--public-key: '" + key +
                   "' is no public key of minisign; expected a file of two lines that "
                   "`minisign -G` wrote, or its second line");
  }
  PublicKey result;
  StringRef rest = StringRef(*bytes).drop_front(kAlgorithmBytes);
  llvm::copy(rest.take_front(kNumberBytes), result.id.begin());
  llvm::copy(rest.drop_front(kNumberBytes), result.bytes.begin());
  return result;
}

llvm::Expected<std::string> verifySignature(const std::string &path, const PublicKey &key) {
  if (sodium_init() < 0) {
    return problem("libsodium cannot start");
  }
  llvm::Expected<Signature> signature = readSignature(path + ".minisig");
  if (!signature) {
    return problem("'" + path +
                   "' has no valid signature: " + llvm::toString(signature.takeError()));
  }
  if (numberOf(signature->number) != key.number()) {
    return problem("'" + path + "' is signed with key " + numberOf(signature->number) +
                   ", and the public key is " + key.number() + "; use the key of the author");
  }
  llvm::Expected<std::string> hash = hashFile(path);
  if (!hash) {
    return hash.takeError();
  }
  if (!isSigned(*hash, signature->bytes, key)) {
    return problem("'" + path +
                   "' does not match its signature: the file was changed after it was "
                   "signed, or the signature belongs to another file");
  }
  if (!isSigned(signature->bytes + signature->comment, signature->global, key)) {
    return problem("the trusted comment of '" + path + ".minisig' was changed after it was signed");
  }
  return std::move(signature->comment);
}

} // namespace convoy::io
