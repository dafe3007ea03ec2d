// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/support/npy.h"

#include "compiler/support/error.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace normc {
namespace {

struct TypeRow {
  NpyType type;
  std::string_view descr;
  std::string_view name;
  int64_t bytes;
};

constexpr TypeRow kTypes[] = {
    {NpyType::F32, "<f4", "float32", 4},
    {NpyType::F64, "<f8", "float64", 8},
    {NpyType::F16, "<f2", "float16", 2},
    {NpyType::U16, "<u2", "uint16", 2},
};

const TypeRow &row(NpyType type) { return kTypes[static_cast<size_t>(type)]; }

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr size_t kMaxRank = 32;
/// Magic, version and length: 10 bytes in format 1, 12 in 2 and 3. No header that is one ends before.
constexpr size_t kPrefix = 12;

size_t byteAt(std::string_view bytes, size_t i) { return static_cast<unsigned char>(bytes[i]); }

/// Where the header that begins with these kPrefix bytes says that it ends.
size_t headerEnd(std::string_view bytes) {
  if (byteAt(bytes, 6) == 1)
    return 10 + (byteAt(bytes, 8) | byteAt(bytes, 9) << 8);
  return 12 + (byteAt(bytes, 8) | byteAt(bytes, 9) << 8 | byteAt(bytes, 10) << 16 | byteAt(bytes, 11) << 24);
}

/// Reads the dictionary that a header is: a Python literal with three keys.
class HeaderParser {
public:
  HeaderParser(std::string_view text, const std::string &file) : text_(text), file_(file) {}

  NpyHeader parse() {
    NpyHeader header;
    bool haveType = false, haveOrder = false, haveShape = false, fortran = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr" && !haveType) {
        header.type = type();
        haveType = true;
      } else if (key == "fortran_order" && !haveOrder) {
        fortran = boolean();
        haveOrder = true;
      } else if (key == "shape" && !haveShape) {
        header.shape = shape();
        haveShape = true;
      } else {
        bad("its header has an unexpected key '" + printable(key) + "'");
      }
      if (!accept(',') && !peek('}'))
        bad("its header is damaged");
    }
    skipBlanks();
    if (at_ != text_.size())
      bad("its header is damaged");
    if (!haveType || !haveOrder || !haveShape)
      bad("its header lacks " + std::string(!haveType ? "'descr'" : !haveOrder ? "'fortran_order'" : "'shape'"));
    if (fortran && std::count_if(header.shape.begin(), header.shape.end(), [](int64_t extent) { return extent != 1; }) > 1)
      bad("it is in Fortran order, but only C order is read", "save it with numpy.ascontiguousarray");
    return header;
  }

private:
  [[noreturn]] void bad(const std::string &what, std::string note = {}) const {
    throw Error(DiagCode::BadNpy, file_ + ": " + what, note.empty() ? std::vector<std::string>{} : std::vector<std::string>{std::move(note)});
  }

  static std::string printable(std::string_view text) {
    std::string shown;
    for (char c : text.substr(0, 40))
      shown += c >= ' ' && c <= '~' ? c : '?';
    return shown + (text.size() > 40 ? "..." : "");
  }

  void skipBlanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n'))
      ++at_;
  }
  bool peek(char c) {
    skipBlanks();
    return at_ < text_.size() && text_[at_] == c;
  }
  bool accept(char c) {
    if (!peek(c))
      return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c))
      bad("its header is damaged");
  }

  std::string string() {
    skipBlanks();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    const size_t end = quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : std::string_view::npos;
    if (end == std::string_view::npos)
      bad("its header is damaged");
    std::string value(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return value;
  }

  bool boolean() {
    skipBlanks();
    for (auto [word, value] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}}) {
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return value;
      }
    }
    bad("its header's 'fortran_order' is neither True nor False");
  }

  NpyType type() {
    if (peek('['))
      bad("it holds records, but only plain arrays of float32, float64, float16 and uint16 (bfloat16 bits) are read");
    const std::string descr = string();
    for (const TypeRow &candidate : kTypes)
      if (candidate.descr == descr)
        return candidate.type;
    const std::string expected = ", but only '<f4', '<f8', '<f2' and '<u2' (bfloat16 bits) are read";
    if (descr.find('O') != std::string::npos)
      bad("it holds Python objects" + expected);
    if (!descr.empty() && descr[0] == '>')
      bad("its elements are big-endian ('" + printable(descr) + "')" + expected, "convert it with numpy's astype('<" + printable(descr.substr(1)) + "')");
    bad("its element type is '" + printable(descr) + "'" + expected, "convert it with numpy's astype");
  }

  std::vector<int64_t> shape() {
    std::vector<int64_t> extents;
    expect('(');
    while (!accept(')')) {
      skipBlanks();
      int64_t extent = 0;
      const char *begin = text_.data() + at_, *end = text_.data() + text_.size();
      auto [after, problem] = std::from_chars(begin, end, extent);
      if (problem == std::errc::result_out_of_range)
        bad("its shape has the extent " + printable(std::string_view(begin, static_cast<size_t>(after - begin))) + ", which exceeds 2^63 - 1");
      if (problem != std::errc{})
        bad("its header's 'shape' is not a tuple of whole numbers");
      if (extent < 0)
        bad("its shape has the negative extent " + std::to_string(extent));
      at_ += static_cast<size_t>(after - begin);
      extents.push_back(extent);
      if (extents.size() > kMaxRank)
        bad("it has more than " + std::to_string(kMaxRank) + " dimensions");
      if (!accept(',') && !peek(')'))
        bad("its header's 'shape' is not a tuple of whole numbers");
    }
    return extents;
  }

  std::string_view text_;
  const std::string &file_;
  size_t at_ = 0;
};

[[noreturn]] void cannotRead(const std::string &file, int error) {
  throw Error(DiagCode::CannotRead, "cannot read '" + file + "': " + std::strerror(error));
}

/// An open file descriptor, closed at the end of its scope.
class OpenFile {
public:
  explicit OpenFile(const std::string &file) : descriptor_(open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0)
      cannotRead(file, errno);
  }
  OpenFile(const OpenFile &) = delete;
  OpenFile &operator=(const OpenFile &) = delete;
  ~OpenFile() { close(descriptor_); }

  /// Reads up to `size` bytes; fewer only at the end of the file.
  size_t read(void *to, size_t size, const std::string &file) {
    size_t done = 0;
    while (done < size) {
      const ssize_t got = ::read(descriptor_, static_cast<char *>(to) + done, std::min(size - done, size_t{1} << 30));
      if (got == 0)
        break;
      if (got < 0 && errno == EINTR)
        continue;
      if (got < 0)
        cannotRead(file, errno);
      done += static_cast<size_t>(got);
    }
    return done;
  }

  /// The size of a regular file; nullopt for a pipe.
  std::optional<int64_t> size() const {
    struct stat status;
    if (fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode))
      return std::nullopt;
    return status.st_size;
  }

private:
  int descriptor_;
};

} // namespace

std::string_view npyDescr(NpyType type) { return row(type).descr; }
std::string_view npyTypeName(NpyType type) { return row(type).name; }
int64_t npyBytes(NpyType type) { return row(type).bytes; }

int64_t NpyArray::elements() const { return shapeElements(shape); }

int64_t shapeElements(const std::vector<int64_t> &shape) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end())
    return 0;
  int64_t product = 1;
  for (int64_t extent : shape)
    if (__builtin_mul_overflow(product, extent, &product))
      return -1;
  return product;
}

std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

NpyHeader parseNpyHeader(std::string_view bytes, const std::string &file) {
  auto bad = [&](const std::string &what) { throw Error(DiagCode::BadNpy, file + ": " + what); };
  if (bytes.empty())
    bad("the file is empty");
  if (bytes.substr(0, kMagic.size()) != kMagic.substr(0, bytes.size()))
    bad("not a .npy file: it does not begin with the bytes \\x93NUMPY");
  if (bytes.size() < kMagic.size() + 2)
    bad("the file ends within its header");
  const size_t major = byteAt(bytes, 6), minor = byteAt(bytes, 7);
  if (major < 1 || major > 3 || minor != 0)
    bad("its format version is " + std::to_string(major) + "." + std::to_string(minor) + ", but only 1.0, 2.0 and 3.0 are read");
  if (bytes.size() < kPrefix)
    bad("the file ends within its header");
  const size_t end = headerEnd(bytes);
  if (end > kMaxNpyHeader)
    bad("its header claims " + std::to_string(end) + " bytes, but one of a plain array is far shorter");
  if (bytes.size() < end)
    bad("the file ends within its header");
  const size_t begin = major == 1 ? 10 : 12;
  NpyHeader header = HeaderParser(bytes.substr(begin, end - begin), file).parse();
  header.dataOffset = end;
  const int64_t elements = shapeElements(header.shape);
  int64_t dataBytes = 0;
  if (elements < 0 || __builtin_mul_overflow(elements, npyBytes(header.type), &dataBytes))
    bad("its shape " + shapeText(header.shape) + " has more elements than 64 bits can count");
  return header;
}

NpyArray readNpy(const std::string &file) {
  OpenFile input(file);
  std::string head(kPrefix, '\0');
  head.resize(input.read(head.data(), head.size(), file));
  if (head.size() == kPrefix) {
    const size_t end = std::clamp(headerEnd(head), kPrefix, kMaxNpyHeader);
    head.resize(end);
    head.resize(kPrefix + input.read(head.data() + kPrefix, end - kPrefix, file));
  }
  const NpyHeader header = parseNpyHeader(head, file);
  NpyArray array{header.type, header.shape, {}};
  const size_t expected = static_cast<size_t>(shapeElements(header.shape) * npyBytes(header.type));
  auto wrongSize = [&](const std::string &found) {
    throw Error(DiagCode::BadNpy, file + ": it holds " + found + " bytes of data, but shape " + shapeText(header.shape) + " of " +
                                      std::string(npyTypeName(header.type)) + " takes " + std::to_string(expected));
  };
  if (std::optional<int64_t> size = input.size(); size && static_cast<size_t>(*size) != header.dataOffset + expected)
    wrongSize(std::to_string(*size - static_cast<int64_t>(header.dataOffset)));
  // Without a known size, room is taken as data arrive: a false header on a pipe cannot claim memory.
  array.data.reserve(input.size() ? expected : 0);
  while (array.data.size() < expected) {
    const size_t have = array.data.size(), step = std::min(expected - have, size_t{64} << 20);
    array.data.resize(have + step);
    const size_t got = input.read(array.data.data() + have, step, file);
    if (got < step)
      wrongSize(std::to_string(have + got));
  }
  std::byte surplus;
  if (input.read(&surplus, 1, file) != 0)
    wrongSize("more than " + std::to_string(expected));
  return array;
}

std::string npyHeaderBytes(NpyType type, const std::vector<int64_t> &shape) {
  std::string dictionary = "{'descr': '" + std::string(npyDescr(type)) + "', 'fortran_order': False, 'shape': " + shapeText(shape) + ", }";
  // NumPy leaves room for the first extent to grow to 21 digits, then pads with at least one blank to a multiple of 64 with the final newline.
  if (!shape.empty())
    dictionary.append(21 - std::to_string(shape[0]).size(), ' ');
  const size_t unpadded = 10 + dictionary.size() + 1;
  dictionary.append(64 - unpadded % 64, ' ');
  dictionary += '\n';
  std::string bytes(kMagic);
  bytes += '\x01';
  bytes += '\x00';
  bytes += static_cast<char>(dictionary.size() & 255);
  bytes += static_cast<char>(dictionary.size() >> 8);
  return bytes + dictionary;
}

} // namespace normc
