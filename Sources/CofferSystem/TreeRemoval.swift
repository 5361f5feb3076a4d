internal import CofferPlatform

/// Deletes a file, or a folder with everything in it. Does nothing if it does not exist.
///
/// Every folder is entered by its descriptor, and no symbolic link is followed below the folder that has the name. If
/// another program exchanges a folder for a link meanwhile, the link is deleted and nothing behind it.
package func removeTree(_ path: String) throws(SystemError) {
  let separator = path.hasSuffix("/") ? path.dropLast() : path[...]
  let name = separator.split(separator: "/").last.map(String.init) ?? ""
  let action = "cannot delete \(path)"
  guard !name.isEmpty, name != ".", name != ".." else { throw SystemError(EINVAL, action) }
  let parent = unsafe open(String(separator).parentFolder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard parent >= 0 else {
    if errno == ENOENT || errno == ENOTDIR { return }
    throw SystemError(errno, action)
  }
  defer { close(parent) }
  let number = remove(name, from: parent)
  guard number == 0 else { throw SystemError(number, action) }
}

/// Deletes a name from an open folder. Returns 0 or an error number: that of the first name in a folder that could not be
/// deleted, after all others were.
private func remove(_ name: String, from parent: Int32) -> Int32 {
  if unsafe unlinkat(parent, name, 0) == 0 || errno == ENOENT { return 0 }
  let number = errno
  // Linux says EISDIR for a folder, and POSIX EPERM.
  guard number == EISDIR || number == EPERM else { return number }
  let folder = unsafe openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
  guard folder >= 0 else { return errno == ENOENT ? 0 : errno == ENOTDIR || errno == ELOOP ? number : errno }
  defer { close(folder) }
  var failure: Int32 = 0
  for inner in names(in: folder) {
    let outcome = remove(inner, from: folder)
    if failure == 0 { failure = outcome }
  }
  if unsafe unlinkat(parent, name, Int32(AT_REMOVEDIR)) == 0 || errno == ENOENT { return 0 }
  return failure == 0 ? errno : failure
}

/// Returns the names in an open folder. Without those that cannot be read, after which the folder is not empty.
private func names(in folder: Int32) -> [String] {
  let copy = fcntl(folder, F_DUPFD_CLOEXEC, 0)
  guard copy >= 0 else { return [] }
  guard let stream = unsafe fdopendir(copy) else {
    close(copy)
    return []
  }
  defer { unsafe closedir(stream) }
  var found: [String] = []
  while let entry = unsafe readdir(stream) {
    let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
      unsafe String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    if let name, name != ".", name != ".." { found.append(name) }
  }
  return found
}
