import CofferTestSupport
import Foundation

/// A git host that shows each machine what it wants, and knows every file that a machine ever pushed.
///
/// Each machine has a repository of its own, and all of them share their objects.
final class HostileHost {
  /// An entry of a commit.
  struct File: Hashable {
    var mode = "100644"
    let id: String
  }

  /// The files of a commit by path. A folder without an entry of its own exists because of its files.
  typealias Files = [String: File]

  /// What one machine sees.
  struct View {
    let folder: String
    var tip: String
    /// Whether the host hides from this machine what the others push.
    var isIsolated = false
    /// The objects that the host does not send to this machine.
    var lost: Set<String> = []
  }

  private let folder: String
  var views: [View]
  /// Every file that a machine pushed. The host of a forked log has several files of one path.
  private(set) var genuine: [String: [String]] = [:]
  /// The files that an honest machine would be shown, with the commit that has them.
  private(set) var truth: String
  /// Genuine paths that the host claims to have lost.
  var hidden: Set<String> = []
  /// The files of each commit.
  private var contents: [String: Files] = [:]
  /// All commits of the branch, the oldest first.
  private(set) var commits: [String] = []
  private var number = 0

  /// Reads the state of a prepared host.
  ///
  /// - Parameters:
  ///   - folder: The folder with the folders of the views and the repository with the objects, `vault.git`.
  ///   - names: The names of the views.
  /// - Throws: An error if the host was not prepared.
  init(_ folder: String, views names: [String]) throws {
    self.folder = folder
    truth = try Self.reference(folder + "/vault.git")
    views = []
    for name in names { views.append(View(folder: "\(folder)/\(name)", tip: truth)) }
    let files = try files(of: truth)
    for (path, file) in files { genuine[path] = [file.id] }
    for index in views.indices { try show(truth, to: index) }
  }

  /// Prepares the folders of the views, beside a repository `vault.git` that has all objects.
  static func prepare(_ folder: String, views names: [String]) throws {
    for name in names {
      try Command.run(
        "sh", "-ec",
        """
        mkdir "$1" && cd "$1" && git init --quiet --bare vault.git && rm -r vault.git/objects
        ln -s ../../vault.git/objects vault.git/objects
        for setting in gc.auto=0 receive.autogc=false receive.unpackLimit=100000 core.fsync=none; do
          git -C vault.git config "${setting%=*}" "${setting#*=}"
        done
        """, "sh", "\(folder)/\(name)")
    }
  }

  private static func reference(_ repository: String) throws -> String {
    let file = URL(fileURLWithPath: repository + "/refs/heads/vault-1")
    return try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .newlines)
  }

  // MARK: Objects

  @discardableResult
  private func git(_ arguments: String...) throws -> String {
    try Command.run(arguments: ["git", "-C", folder + "/vault.git"] + arguments)
  }

  /// Returns the bytes of a file.
  func bytes(of id: String) throws -> [UInt8] {
    number += 1
    let file = "\(folder)/bytes-\(number)"
    try Command.run("sh", "-c", "git -C \"$1\" cat-file blob \"$2\" > \"$3\"", "sh", folder + "/vault.git", id, file)
    defer { try? FileManager.default.removeItem(atPath: file) }
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
  }

  /// Writes a file and returns its identifier.
  func write(_ bytes: [UInt8]) throws -> String {
    number += 1
    let file = "\(folder)/written-\(number)"
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    defer { try? FileManager.default.removeItem(atPath: file) }
    return try git("hash-object", "-w", "--no-filters", file)
  }

  /// Writes a folder that is larger than any vault's, and returns its identifier.
  func writeHugeFolder() throws -> String {
    try Command.run(
      "sh", "-ec",
      """
      cd "$1" && id=$(git hash-object -w /dev/null)
      seq -f "100644 blob $id\tfile-%.0f" 300000 | git mktree
      """, "sh", folder + "/vault.git")
  }

  /// Returns the files of a commit, which the host has written or recorded.
  func files(of commit: String) throws -> Files {
    if let known = contents[commit] { return known }
    let files = try vaultFiles(of: commit)
    record(commit, files)
    return files
  }

  /// Reads the files of a commit at the paths of a vault.
  private func vaultFiles(of commit: String) throws -> Files {
    var files: Files = [:]
    for line in try git("ls-tree", "-r", "--full-tree", commit, "genesis", "root", "log", "segments").split(
      separator: "\n")
    {
      let parts = line.split(separator: "\t", maxSplits: 1)
      let words = parts[0].split(separator: " ")
      files[String(parts[1])] = File(mode: String(words[0]), id: String(words[2]))
    }
    return files
  }

  private func record(_ commit: String, _ files: Files) {
    guard contents.updateValue(files, forKey: commit) == nil else { return }
    commits.append(commit)
  }

  /// Commits files.
  ///
  /// - Parameters:
  ///   - files: All files.
  ///   - parents: The parent commits.
  /// - Returns: The commit.
  /// - Throws: An error of git.
  func commit(_ files: Files, parents: [String]) throws -> String {
    number += 1
    let name = "refs/host/\(number)"
    var lines = ["commit \(name)", "committer host <host@localhost> \(number) +0000", "data 4", "host"]
    for (index, parent) in parents.enumerated() { lines.append("\(index == 0 ? "from" : "merge") \(parent)") }
    lines.append("deleteall")
    // A file below a folder that is an object of its own would be in the folder's way.
    for (path, file) in files.sorted(by: { $0.key < $1.key }) { lines.append("M \(file.mode) \(file.id) \(path)") }
    let input = "\(folder)/import-\(number)"
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: input))
    defer { try? FileManager.default.removeItem(atPath: input) }
    try Command.run(
      "sh", "-ec", "git -C \"$1\" -c fastimport.unpackLimit=100000 fast-import --quiet < \"$2\"", "sh",
      folder + "/vault.git", input)
    let file = URL(fileURLWithPath: "\(folder)/vault.git/\(name)")
    let commit = try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .newlines)
    record(commit, files)
    return commit
  }

  private static func isVaultPath(_ path: String) -> Bool {
    ["genesis", "root", "log", "segments"].contains(path.prefixUpToSlash)
  }

  // MARK: Views

  /// Sets the tip that a machine sees.
  func show(_ commit: String, to index: Int) throws {
    views[index].tip = commit
    let file = URL(fileURLWithPath: "\(views[index].folder)/vault.git/refs/heads/vault-1")
    try Data((commit + "\n").utf8).write(to: file)
  }

  /// The files that a machine sees.
  func files(shownTo index: Int) throws -> Files { try files(of: views[index].tip) }

  /// Hides objects from a machine, or none.
  func lose(_ objects: Set<String>, for index: Int) throws {
    views[index].lost = objects
    let file = "\(views[index].folder)/lost"
    if objects.isEmpty {
      try? FileManager.default.removeItem(atPath: file)
    } else {
      try Data((objects.sorted().joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: file))
    }
  }

  /// Records what a machine has pushed since it was shown its view. Returns the files that it added.
  func recordPush(from index: Int) throws -> Files {
    let tip = try Self.reference(views[index].folder + "/vault.git")
    let old = views[index].tip
    guard tip != old else { return [:] }
    let before = try files(of: old)
    var after = try vaultFiles(of: tip)
    // Files that no vault has are planted ones, which the machine may have removed.
    let names = Set(try git("ls-tree", "--name-only", tip).split(separator: "\n").map(String.init))
    for (path, file) in before where names.contains(path.prefixUpToSlash) && !Self.isVaultPath(path) {
      after[path] = file
    }
    record(tip, after)
    views[index].tip = tip
    let added = after.filter { before[$0.key] != $0.value }
    for (path, file) in added where genuine[path]?.contains(file.id) != true {
      genuine[path, default: []].append(file.id)
    }
    if try !views[index].isIsolated && old == truth && files(of: tip) == honestFiles() { truth = tip }
    return added
  }

  /// The files that the host does not hide. Of several files of one path, the first.
  func honestFiles() -> Files {
    var files: Files = [:]
    for (path, ids) in genuine where !hidden.contains(path) { files[path] = File(id: ids[0]) }
    return files
  }

  /// Brings the commit of the truth up to date.
  func updateTruth(_ files: Files? = nil) throws {
    let files = files ?? honestFiles()
    guard try self.files(of: truth) != files else { return }
    var parents = [truth]
    for view in views where !parents.contains(view.tip) { parents.append(view.tip) }
    truth = try commit(files, parents: parents)
  }
}

extension String {
  /// The first part of a path.
  var prefixUpToSlash: String { String(prefix { $0 != "/" }) }
}
