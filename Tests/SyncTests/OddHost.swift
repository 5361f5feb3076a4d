import CofferTestSupport
import Foundation
import Testing

/// A git host below git's own checks: it serves every object of a repository that exists, whatever misses or is odd.
struct OddHost {
  private let remote: TemporaryRemote
  private let directory: TemporaryDirectory
  /// The environment of a machine that talks to this host.
  let environment: [String: String]

  init(_ remote: TemporaryRemote) throws {
    self.remote = remote
    directory = try TemporaryDirectory()
    let git = try Command.run("sh", "-c", "command -v git")
    let pack = try directory.writeScript(
      "pack",
      """
      cat > /dev/null
      \(git) cat-file --batch-all-objects --batch-check='%(objectname)' | \(git) pack-objects --stdout -q
      """)
    try FileManager.default.createDirectory(atPath: directory.path("bin"), withIntermediateDirectories: false)
    // The memory limit of the machine's program does not apply to the host.
    try directory.writeScript(
      "bin/git",
      """
      ulimit -S -v unlimited
      if [ "$1" = upload-pack ]; then exec \(git) -c uploadpack.packObjectsHook=\(pack) "$@"; fi
      exec \(git) "$@"
      """)
    environment = [
      "PATH": directory.path("bin") + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
    ]
  }

  /// An object that the host has lost.
  struct LostObject {
    fileprivate let file: String
    fileprivate let bytes: Data
  }

  /// Deletes the object of a path.
  func lose(_ path: String) throws -> LostObject {
    let id = try remote.git("rev-parse", "vault-1:\(path)")
    let file = "\(remote.path)/objects/\(id.prefix(2))/\(id.dropFirst(2))"
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    try FileManager.default.removeItem(atPath: file)
    return LostObject(file: file, bytes: bytes)
  }

  /// Restores an object.
  func restore(_ object: LostObject) throws { try object.bytes.write(to: URL(fileURLWithPath: object.file)) }

  /// Writes an object of any content, and returns its identifier.
  func write(_ type: String, _ bytes: (FileHandle) throws -> Void) throws -> String {
    let path = directory.path("object")
    guard FileManager.default.createFile(atPath: path, contents: nil) else { throw CocoaError(.fileWriteUnknown) }
    let file = try #require(FileHandle(forWritingAtPath: path))
    try bytes(file)
    try file.close()
    let id = try remote.git("-c", "core.compression=1", "hash-object", "-t", type, "-w", "--literally", path)
    // In a pack, from which the host sends it as it is.
    try Command.run(
      "sh", "-c", "echo \"$2\" | git -C \"$1\" -c pack.compression=1 pack-objects -q objects/pack/pack", "sh",
      remote.path, id)
    try FileManager.default.removeItem(atPath: "\(remote.path)/objects/\(id.prefix(2))/\(id.dropFirst(2))")
    try FileManager.default.removeItem(atPath: path)
    return id
  }

  /// Commits an object in the root folder.
  func plant(_ name: String, _ entry: String) throws {
    let script = "{ git ls-tree vault-1; printf '%s\\t%s\\n' \"$1\" \"$2\"; } | git mktree --missing"
    let tree = try Command.run("sh", "-c", script, "sh", entry, name, in: URL(fileURLWithPath: remote.path))
    try commit(tree, parents: [remote.tip])
  }

  /// Commits a file at any path, whose names git need not accept.
  func plantFile(_ path: String, _ content: String = "junk") throws {
    let blob = try write("blob") { try $0.write(contentsOf: Data(content.utf8)) }
    let script = """
      export GIT_INDEX_FILE="$1/planted-index"
      git read-tree vault-1 && git update-index --add --cacheinfo "100644,$2,$3" && git write-tree
      rm -f "$GIT_INDEX_FILE"
      """
    let tree = try Command.run("sh", "-c", script, "sh", remote.path, blob, path, in: URL(fileURLWithPath: remote.path))
    try commit(tree, parents: [remote.tip])
  }

  /// Commits the root folder with its entries in reverse order.
  func reverseRoot() throws {
    let list = try remote.git("ls-tree", "vault-1").split(separator: "\n").reversed()
    let tree = try write("tree") { file in
      for line in list {
        let parts = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
        let mode = parts[0].hasPrefix("0") ? parts[0].dropFirst() : parts[0]
        try file.write(contentsOf: Data("\(mode) \(parts[3])\0".utf8))
        let digits = Array(parts[2])
        try file.write(
          contentsOf: Data(stride(from: 0, to: 40, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }))
      }
    }
    try commit(tree, parents: [remote.tip])
  }

  /// Commits a tree on the vault's branch.
  func commit(_ tree: String, parents: [String]) throws {
    let script = """
      git -c user.name=host -c user.email=host@localhost commit-tree -m odd "$@"
      """
    let arguments = ["sh", "-c", script, "sh"] + parents.flatMap { ["-p", $0] } + [tree]
    let commit = try Command.run(arguments: arguments, in: URL(fileURLWithPath: remote.path))
    try remote.serve(commit)
  }
}
