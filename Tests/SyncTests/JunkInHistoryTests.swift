import CofferCrypto
import CofferFormat
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// What somebody without any key of the vault has pushed once stays in the history for ever, also after the machines
/// have removed it. It must cost nobody the vault.
@Suite struct JunkInHistoryTests {
  private let machines: HeadlessMachine

  init() throws { machines = try .copy(withCredential: true) }

  /// Pushes what `change` does to the files of the branch, and lets a machine remove it.
  private func push(_ change: (_ tree: URL) throws -> Void) throws {
    let before = try Set(machines.remote.files())
    try machines.remote.tamper(change)
    let sync = try machines.laptop.run("coffer", "sync")
    #expect(sync.exitCode == 6, "\(sync.errors.prefix(500))")
    #expect(try Set(machines.remote.files()) == before)
    try machines.laptop.sync()
  }

  /// Expects that new machines, machines without a store, and read-only machines can use the vault.
  private func expectUsable() throws {
    let new = try Machine()
    try new.coffer(
      "clone", "--name", "new", "--no-passphrase", "--vault-key-file", machines.key, machines.remote.path)
    #expect(try new.get("own") == "of the paid app")
    let check = try machines.laptop.run(
      "coffer", "vault-key", "check", "--remote", "--vault-key-file", machines.key)
    #expect(check.exitCode == 0, "\(check)")
    let read = try machines.run("get", "service", "token")
    #expect(read.exitCode == 0 && read.text.hasPrefix("of the free app"), "\(read)")
    try FileManager.default.removeItem(at: machines.desktop.vault.appending(path: "store.sqlite"))
    let rejoin = try machines.desktop.run("coffer", "clone", "--rejoin", machines.remote.path)
    #expect(rejoin.exitCode == 0, "\(rejoin)")
    #expect(try machines.desktop.get("own") == "of the paid app")
  }

  @Test func `1,100 files at the places of root slots, pushed once, keep nobody from the vault`() throws {
    try push { tree in
      try FileManager.default.createDirectory(at: tree.appending(path: "roots"), withIntermediateDirectories: true)
      for number in 0..<1_100 {
        let name = Bytes32(Array(repeating: 0, count: 30) + [UInt8(number >> 8), UInt8(number & 255)])
        try Data("\(number)".utf8).write(to: tree.appending(path: "roots/\(try #require(name).hex)"))
      }
    }
    try expectUsable()
  }

  @Test(.inFullRun)
  func `70 files that begin like the largest log entry, pushed once, keep nobody from the vault`() throws {
    var file = Envelope(
      sealing: [UInt8](repeating: 0, count: Limits.logEnvelopeByteCount - 1_024), as: .logEntry, key: .random(),
      generation: 1
    ).bytes
    #expect(file.count == Limits.logEnvelopeByteCount)
    for index in 32..<file.count { file[index] = 0 }
    try push { tree in
      for number in 64..<134 {
        let folder = tree.appending(path: "log/\(number / 64)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        file[file.count - 1] = UInt8(number)
        try Data(file).write(to: folder.appending(path: "\(number)"))
      }
    }
    try expectUsable()
  }

  @Test func `Hundreds of changes of files that no machine has made hide nothing that was removed before them`() throws
  {
    let segment = try #require(machines.remote.files().filter { $0.hasPrefix("segments/") }.sorted().first)
    var stream = """
      commit refs/heads/vault-1
      committer x <x@localhost> 0 +0000
      data 0
      from refs/heads/vault-1^0
      D \(segment)

      """
    for number in 0..<300 {
      for path in ["log/7/500", "junk"] {
        stream += """
          commit refs/heads/vault-1
          committer x <x@localhost> 0 +0000
          data 0
          M 100644 inline \(path)
          data 8
          \(10_000_000 + number)

          """
      }
    }
    let file = try machines.remote.directory.write("stream", stream)
    try machines.remote.git("symbolic-ref", "HEAD", "refs/heads/vault-1")
    try Command.run("sh", "-c", "git -C \"$1\" fast-import --quiet --force < \"$2\"", "sh", machines.remote.path, file)
    let new = try Machine()
    _ = try new.run(
      "coffer", "clone", "--name", "new", "--no-passphrase", "--vault-key-file", machines.key, machines.remote.path)
    // Only the new machine has synced since.
    #expect(try machines.remote.files().contains(segment))
  }
}
