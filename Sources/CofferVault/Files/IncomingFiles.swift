package import CofferPlatform

/// The files of a clone that were downloaded and are not verified yet: what each branch of the vault has, and what it has had
/// before. `coffer-sync`, which has no key, writes them, and `coffer`, which has no git, verifies them.
///
///     branches/NAME     a line for each file of the branch: its path, the name of its content, and `former` for one that
///                       the branch does not have any more
///     contents/NAME     the content of a file, once
package struct IncomingFiles: Sendable {
  /// The files of one branch.
  package struct Branch: Sendable {
    /// The branch's name.
    package let name: String
    fileprivate let folder: URL
    /// The names of the contents at each path, that of the latest commit first.
    fileprivate let names: [String: [String]]
    /// Those that the branch does not have any more at the path, as lines of its file.
    fileprivate let former: Set<String>

    /// The paths in a directory and in those below it.
    package func paths(in directory: String) -> [String] { names.keys.filter { $0.hasPrefix("\(directory)/") } }

    /// Reads what is or was at a path: the content of the latest commit first, if it has one.
    package func contents(at path: String) -> [[UInt8]] { (names[path] ?? []).compactMap(content(named:)) }

    /// The names of the contents at a path, each of which stands for the same bytes in all branches.
    package func contentNames(at path: String) -> [String] { names[path] ?? [] }

    /// Whether a branch has had a content at a path, and does not have it any more.
    package func isFormer(_ name: String, at path: String) -> Bool { former.contains("\(path) \(name)") }

    /// Reads a content; nil if it is missing.
    package func content(named name: String) -> [UInt8]? {
      let path = folder.appending(path: "contents/\(name)").path(percentEncoded: false)
      guard let file = try? RegularFile.open(path, followsLinks: false) else { return nil }
      return try? file.read(upTo: file.byteCount)
    }
  }

  private let folder: URL

  /// Takes the folder that ``VaultFolder/incoming`` names.
  package init(_ folder: URL) { self.folder = folder }

  /// Writes a content, unless it is there. The name, without a slash, stands for these bytes only.
  package func write(_ bytes: [UInt8], named name: String) throws {
    let file = folder.appending(path: "contents/\(name)")
    guard !FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else { return }
    try write(Data(bytes), to: file)
  }

  /// Writes which files a branch has: their paths and the names of their contents, those of the latest commit first. A
  /// former file is one that the branch does not have any more. The branch's name has no slash.
  package func write(branch: String, files: [(path: String, name: String, isFormer: Bool)]) throws {
    let lines = files.map { "\($0.path) \($0.name)\($0.isFormer ? " former" : "")\n" }.joined()
    try write(Data(lines.utf8), to: folder.appending(path: "branches/\(branch)"))
  }

  private func write(_ data: Data, to file: URL) throws {
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try data.write(to: file)
  }

  /// The branches, in ascending order of their names.
  package func branches() -> [Branch] {
    let list = folder.appending(path: "branches")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: list.path(percentEncoded: false))) ?? []
    return names.sorted().compactMap { name in
      guard let data = try? Data(contentsOf: list.appending(path: name)) else { return nil }
      var contents: [String: [String]] = [:]
      var former: Set<String> = []
      for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
        let parts = line.split(separator: " ")
        guard (2...3).contains(parts.count) else { continue }
        contents[String(parts[0]), default: []].append(String(parts[1]))
        if parts.count == 3 { former.insert("\(parts[0]) \(parts[1])") }
      }
      return Branch(name: name, folder: folder, names: contents, former: former)
    }
  }
}
