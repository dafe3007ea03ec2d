// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/support/files.h"

#include "compiler/support/error.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace normc {
namespace {

[[noreturn]] void cannotWrite(const std::string &path, int error) {
  const bool full = error == EFBIG || error == ENOSPC || error == EDQUOT;
  throw Error(DiagCode::CannotWrite, "cannot write '" + path + "': " + std::strerror(error),
              {full ? "free some space, or raise the limit of file sizes" : "choose another folder, or make this one writable"});
}

/// Renaming would take the place of whatever is there: a folder makes it fail after other files had succeeded, and a device would be gone.
void requireReplaceable(const std::string &path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status))
    cannotWrite(path, EISDIR);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw Error(DiagCode::CannotWrite, "cannot write '" + path + "': it is no regular file", {"name a file, which is written whole or not at all"});
}

/// A file under a temporary name, removed unless it is published.
class PendingFile {
public:
  PendingFile(std::string path, const std::string &contents) : path_(std::move(path)) {
    // What a link points to is replaced, not the link.
    std::error_code none;
    const std::filesystem::path pointedAt = std::filesystem::canonical(path_, none);
    place_ = none ? path_ : pointedAt.string();
    const size_t slash = place_.rfind('/') + 1;
    int file = -1;
    // Names that an earlier process left, or that someone prepared, are not touched.
    for (int number = 0; file < 0; ++number) {
      temporary_ = place_.substr(0, slash) + "." + place_.substr(slash) + "." + std::to_string(getpid()) + "-" + std::to_string(number) + ".tmp";
      file = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (file < 0 && (errno != EEXIST || number == 1000))
        cannotWrite(path_, errno);
    }
    int error = writeAll(file, contents);
    if (close(file) != 0 && error == 0)
      error = errno;
    if (error != 0) {
      unlink(temporary_.c_str());
      cannotWrite(path_, error);
    }
  }
  PendingFile(const PendingFile &) = delete;
  PendingFile &operator=(const PendingFile &) = delete;
  PendingFile(PendingFile &&other) noexcept
      : path_(std::move(other.path_)), place_(std::move(other.place_)), temporary_(std::exchange(other.temporary_, "")) {}
  ~PendingFile() {
    if (!temporary_.empty())
      unlink(temporary_.c_str());
  }

  const std::string &path() const { return path_; }

  void publish() {
    if (rename(temporary_.c_str(), place_.c_str()) != 0)
      cannotWrite(path_, errno);
    temporary_.clear();
  }

private:
  /// 0, or the error number.
  static int writeAll(int file, const std::string &contents) {
    size_t done = 0;
    while (done < contents.size()) {
      ssize_t count = write(file, contents.data() + done, contents.size() - done);
      if (count < 0 && errno != EINTR)
        return errno;
      done += count > 0 ? static_cast<size_t>(count) : 0;
    }
    return 0;
  }

  std::string path_;  ///< as given
  std::string place_; ///< with links resolved
  std::string temporary_;
};

} // namespace

std::vector<std::string> writeFiles(const std::string &directory, const std::vector<OutputFile> &files) {
  std::string folder = directory.empty() ? "." : directory;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    cannotWrite(folder, error.value());
  std::vector<OutputFile> placed = files;
  for (OutputFile &file : placed)
    file.name = folder + "/" + file.name;
  return writeFiles(placed);
}

std::vector<std::string> writeFiles(const std::vector<OutputFile> &files) {
  std::vector<PendingFile> pending;
  for (const OutputFile &file : files) {
    requireReplaceable(file.name);
    pending.emplace_back(file.name, file.contents);
  }
  std::vector<std::string> paths;
  for (PendingFile &file : pending) {
    file.publish();
    paths.push_back(file.path());
  }
  return paths;
}

} // namespace normc
