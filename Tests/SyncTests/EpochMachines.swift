import Coffer
import CofferAdministration
import CofferCrypto
import CofferFormat
import CofferStore
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// Two machines whose vault can have several epochs. Each has a version of some items that others have replaced.
struct EpochMachines {
  let two: TwoMachines
  var remote: TemporaryRemote { two.remote }
  var laptop: Machine { two.laptop }
  var desktop: Machine { two.desktop }

  // Made once, and its files are only copied.
  nonisolated(unsafe) private static let template = Result {
    let two = try TwoMachines()
    two.deleteAtExit()
    try two.laptop.set("kept", "1")
    try two.laptop.set("changed", "old")
    try two.laptop.sync()
    try two.desktop.sync()
    return two
  }

  init() throws { two = try unsafe TwoMachines(copying: Self.template.get()) }

  init(_ two: TwoMachines) { self.two = two }

  /// Clones the vault to a further machine.
  func clone(named name: String) throws -> Machine {
    let machine = try Machine()
    try machine.coffer("clone", "--name", name, "--no-passphrase", "--vault-key-file", two.key, remote.path)
    return machine
  }

  /// Syncs machines without any problem.
  func sync(_ machines: Machine...) throws { for machine in machines { try machine.sync() } }

  /// Runs a sync that finds problems, and returns them.
  func problems(_ machine: Machine) throws -> String {
    let outcome = try machine.run("coffer", "sync")
    #expect(outcome.exitCode == 6, "\(outcome)")
    return outcome.errors
  }

  /// Expects that machines have these items without a conflict, stores that match their objects, and nothing to send.
  func expect(
    _ values: [String: String], on machines: Machine..., location: SourceLocation = #_sourceLocation
  ) throws {
    for machine in machines {
      #expect(try machine.storedValues() == values, sourceLocation: location)
      #expect(
        try machine.coffer("check") == "The store matches its signed objects.", sourceLocation: location)
      #expect(try machine.storedStatus().unsyncedChanges == 0, sourceLocation: location)
    }
  }

  // MARK: The repository

  /// The names of the epochs' branches, in ascending order.
  func branches() throws -> [String] {
    try remote.git("for-each-ref", "--format=%(refname:short)", "--sort=version:refname", "refs/heads/vault-*")
      .split(separator: "\n").map(String.init)
  }

  /// The files of a branch.
  func files(of branch: String) throws -> [String] {
    try remote.git("ls-tree", "-r", "--name-only", branch).split(separator: "\n").map(String.init)
  }

  func bytes(of path: String, at commit: String, in remote: TemporaryRemote? = nil) throws -> [UInt8] {
    let file = self.remote.directory.path("file-of-a-branch")
    try Command.run(
      "sh", "-c", "git -C \"$1\" cat-file blob \"$2\" > \"$3\"", "sh", (remote ?? self.remote).path,
      "\(commit):\(path)", file)
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
  }

  /// Commits files onto a branch; a nil content removes the file. A new branch begins with the files of `source`.
  func commit(_ files: [String: [UInt8]?], to branch: String, from source: String? = nil) throws {
    let index = remote.directory.path("index-of-a-branch")
    try? FileManager.default.removeItem(atPath: index)
    func git(_ arguments: [String]) throws -> String {
      try Command.run(
        arguments: [
          "env", "GIT_INDEX_FILE=\(index)", "git", "-C", remote.path, "-c", "user.name=host", "-c",
          "user.email=host@localhost",
        ] + arguments)
    }
    _ = try git(["read-tree", source ?? branch])
    for (path, bytes) in files {
      guard let bytes else {
        _ = try git(["rm", "--cached", "--quiet", path])
        continue
      }
      let file = remote.directory.path("file-to-commit")
      try Data(bytes).write(to: URL(fileURLWithPath: file))
      let id = try git(["hash-object", "-w", file])
      _ = try git(["update-index", "--add", "--cacheinfo", "100644,\(id),\(path)"])
    }
    let tree = try git(["write-tree"])
    let parents = source == nil ? ["-p", branch] : []
    let commit = try git(["commit-tree", "-m", "x"] + parents + [tree])
    _ = try git(["update-ref", "refs/heads/\(branch)", commit])
  }

  // MARK: A dishonest admin

  /// Begins the second epoch as the laptop, with another snapshot than an honest one.
  ///
  /// - Parameters:
  ///   - signer: The machine that signs; the laptop if nil.
  ///   - alterStreams: Changes the streams of the checkpoint.
  ///   - alterEntries: Changes the entries of the snapshot.
  /// - Throws: An error if the laptop cannot compact.
  func beginDishonestEpoch(
    signer: Machine? = nil, alterStreams: ([CoveredStream]) -> [CoveredStream] = { $0 },
    alterEntries: ([SnapshotEntry]) -> [SnapshotEntry] = { $0 }
  ) throws {
    let copy = try TwoMachines(copying: two)
    try copy.laptop.coffer("compact", "--keep")
    let device = try laptop.local.deviceFile()
    let key = try #require(device.transportKeys.last)
    func open(_ path: String, _ branch: String) throws -> [UInt8] {
      try Envelope(bytes: bytes(of: path, at: branch, in: copy.remote)).open(with: key.key)
    }
    func seal(_ bytes: [UInt8], _ content: Envelope.Content) -> [UInt8] {
      Envelope(sealing: bytes, as: content, key: key.key, generation: key.generation).bytes
    }
    let honest = try #require(
      try copy.remote.git("for-each-ref", "--format=%(refname:short)", "refs/heads/vault-2-*").split(separator: "\n")
        .first.map(String.init))
    let chunk = try SnapshotChunk(bytes: open("snapshot/0", honest))
    let checkpoint = try Checkpoint(bytes: open("checkpoints/2", honest))
    let author = try (signer ?? laptop).local.deviceFile().keys
    let id = DeviceID(vault: checkpoint.vault, keys: author.publicKeys)
    let altered = SnapshotChunk(
      vault: chunk.vault, epoch: 2, number: 0, entries: alterEntries(chunk.entries))
    let forged = Checkpoint(
      vault: checkpoint.vault, epoch: 2, after: .beforeFirst, log: checkpoint.log, time: checkpoint.time,
      streams: alterStreams(checkpoint.streams), chunks: [altered.hash], device: id, key: author.signing)
    let branch = try #require(EpochBranch(name: honest))
    let closing = Closing(
      vault: checkpoint.vault, continuedOn: branch, checkpoint: forged.hash, device: id, key: author.signing)
    try remote.git("fetch", "--quiet", copy.remote.path, "\(honest):refs/heads/honest")
    let sealed = seal(closing.bytes, .closing)
    try commit(
      [
        "snapshot/0": seal(altered.bytes, .snapshotChunk), "checkpoints/2": seal(forged.bytes, .checkpoint),
        "opened": sealed,
      ], to: honest, from: "honest")
    try remote.git("update-ref", "-d", "refs/heads/honest")
    try commit(["closed": sealed], to: "vault-1")
  }
}
