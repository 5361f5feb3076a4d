package import CofferPlatform

/// The files of a clone that were downloaded and are not verified yet: what the branches of the vault have, and what
/// they have had before. `coffer-sync`, which has no key, writes them, and `coffer`, which has no git, verifies them.
///
///     repository        the path of the repository that has the contents
///     branches          a line for each branch: its name
///     files             a line for each content of a path, the latest first: the path, the name of the content, its
///                       size, and `former` if no branch has the file any more
///     contents/NAME     the content of a file, once
///     wanted            the names of contents that are missing there, a line each
///
/// Anybody who may push can have added any number of files. So not all contents are there at once: the files `wanted`
/// name those that come next.
package struct IncomingFiles: Sendable {
  /// A content that a path has, or has had.
  package struct File: Sendable, Hashable {
    package let path: String
    /// The name of the content. It stands for these bytes only.
    package let name: String
    package let byteCount: Int
    /// Whether no branch has the file any more.
    package let isFormer: Bool

    package init(path: String, name: String, byteCount: Int, isFormer: Bool) {
      self.path = path
      self.name = name
      self.byteCount = byteCount
      self.isFormer = isFormer
    }
  }

  /// The size of the contents that are there at once, beside small files: those of the log.
  package static let roundByteCount = 64 << 20

  private let folder: URL

  /// Takes the folder that ``VaultFolder/incoming`` names.
  package init(_ folder: URL) { self.folder = folder }

  private func url(_ name: String) -> URL { folder.appending(path: name) }

  /// Whether a content is there.
  package func has(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: url("contents/\(name)").path(percentEncoded: false))
  }

  /// Writes a content, unless it is there. The name, without a slash, stands for these bytes only.
  package func write(_ bytes: [UInt8], named name: String) throws {
    if has(name) { return }
    try write(Data(bytes), to: url("contents/\(name)"))
  }

  /// Removes a content. It can be asked for again.
  package func remove(_ name: String) { try? FileManager.default.removeItem(at: url("contents/\(name)")) }

  /// Reads a content; nil if it is missing.
  package func content(named name: String) -> [UInt8]? {
    let path = url("contents/\(name)").path(percentEncoded: false)
    guard let file = try? RegularFile.open(path, followsLinks: false) else { return nil }
    return try? file.read(upTo: file.byteCount)
  }

  /// Writes the lists: the path of the repository, the names of the branches, which have no slash, and their files.
  package func write(repository: String, branches: [String], files: [File]) throws {
    try write(Data(repository.utf8), to: url("repository"))
    try write(Data(branches.map { "\($0)\n" }.joined().utf8), to: url("branches"))
    let lines = files.map { "\($0.path) \($0.name) \($0.byteCount)\($0.isFormer ? " former" : "")\n" }
    try write(Data(lines.joined().utf8), to: url("files"))
  }

  private func write(_ data: Data, to file: URL) throws {
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try data.write(to: file)
  }

  private func lines(of name: String) -> [Substring] {
    guard let data = try? Data(contentsOf: url(name)) else { return [] }
    return String(decoding: data, as: UTF8.self).split(separator: "\n")
  }

  /// The path of the repository that has the contents; nil if it is not known.
  package var repository: String? {
    (try? Data(contentsOf: url("repository"))).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The names of the branches.
  package func branches() -> [String] { lines(of: "branches").map(String.init) }

  /// The files of all branches, the latest first.
  package func files() -> [File] {
    lines(of: "files").compactMap { line in
      let parts = line.split(separator: " ")
      guard (3...4).contains(parts.count), let byteCount = Int(parts[2]) else { return nil }
      return File(
        path: String(parts[0]), name: String(parts[1]), byteCount: byteCount, isFormer: parts.count == 4)
    }
  }

  /// Asks for contents, in this order.
  package func want(_ names: [String]) throws {
    try write(Data(names.map { "\($0)\n" }.joined().utf8), to: url("wanted"))
  }

  /// The names of the contents that are asked for.
  package func wanted() -> [String] { lines(of: "wanted").map(String.init) }
}
