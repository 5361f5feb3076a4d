import Coffer
import CofferStore
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// A machine whose store is missing or damaged beside its keys rebuilds it from the remote, as the same machine.
@Suite struct RejoinTests {
  private let suite: TwoMachines
  private let expected = ["one": "1", "two": "2", "desk": "3"]

  init() throws {
    suite = try TwoMachines()
    try suite.laptop.set("one", "1")
    try suite.laptop.set("two", "2")
    try suite.laptop.sync()
    try suite.desktop.sync()
    try suite.desktop.set("desk", "3")
    for machine in [suite.desktop, suite.laptop] { try machine.sync() }
  }

  private var store: URL { suite.laptop.vault.appending(path: "store.sqlite") }

  private func removeStore() throws {
    for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: store.path + suffix) {
      try FileManager.default.removeItem(atPath: store.path + suffix)
    }
  }

  /// The contents of the files that hold keys, by path.
  private func keys() throws -> [String: Data] {
    var keys: [String: Data] = [:]
    for file in suite.laptop.files() where ["device", "admin", "credential"].contains(file.lastPathComponent) {
      keys[file.path] = try Data(contentsOf: file)
    }
    return keys
  }

  private func expectWhole(_ wanted: [String: String]) throws {
    #expect(try suite.laptop.values() == wanted)
    #expect(try suite.laptop.coffer("check") == "The store matches its signed objects.")
    #expect(try suite.laptop.coffer("sync").hasPrefix("Up to date"))
    try suite.laptop.set("after", "4")
    try suite.laptop.sync()
    try suite.desktop.sync()
    #expect(try suite.desktop.values() == wanted.merging(["after": "4"]) { $1 }.filter { $0.key != "local" })
    let phrases = try [suite.laptop, suite.desktop].map { try $0.status("headPhrase") }
    #expect(phrases[0] == phrases[1])
    let left = try FileManager.default.contentsOfDirectory(
      atPath: suite.laptop.vault.deletingLastPathComponent().path)
    #expect(left == ["default"])
  }

  @Test func `Without a store beside the keys, every command names the one command that rebuilds it`() throws {
    try removeStore()
    for arguments in [["sync"], ["status"], ["get", "service", "one", "--app", app], ["check"]] {
      let outcome = try suite.laptop.start("coffer", arguments).wait()
      let command = "coffer clone --rejoin \(suite.remote.path)"
      #expect(outcome.exitCode == 1 && outcome.errors.contains(command), "\(outcome)")
    }
    let clone = try suite.laptop.run(
      "coffer", "clone", "--no-passphrase", "--vault-key-file", suite.key, suite.remote.path)
    let rejoin = "coffer clone --rejoin \(suite.remote.path)"
    #expect(clone.exitCode == 1 && clone.errors.contains(rejoin), "\(clone)")
    let before = try keys()
    try suite.laptop.coffer("clone", "--rejoin", suite.remote.path)
    #expect(try keys().keys == before.keys)
    #expect(try keys().filter { !$0.key.hasSuffix("credential") } == before.filter { !$0.key.hasSuffix("credential") })
    try expectWhole(expected)
  }

  @Test func `A store that is no database any more is kept under another name and rebuilt`() throws {
    try suite.laptop.set("unsent", "lost with the file")
    let garbage = Data("no database".utf8)
    try removeStore()
    try garbage.write(to: store)
    let broken = try suite.laptop.run("coffer", "status")
    #expect(broken.exitCode == 6 && broken.errors.contains("coffer clone --rejoin \(suite.remote.path)"), "\(broken)")
    // A file beside the store has the URL. Without that, it has to be given.
    let health = suite.laptop.vault.appending(path: "sync-health")
    try FileManager.default.moveItem(at: health, to: health.appendingPathExtension("away"))
    let unnamed = try suite.laptop.run("coffer", "clone", "--rejoin")
    #expect(unnamed.exitCode == 2 && unnamed.errors.contains("clone --rejoin URL"), "\(unnamed)")
    try FileManager.default.moveItem(at: health.appendingPathExtension("away"), to: health)
    let rejoin = try suite.laptop.coffer("clone", "--rejoin")
    #expect(rejoin.contains("cannot be read"))
    let kept = try FileManager.default.contentsOfDirectory(atPath: suite.laptop.vault.path)
      .filter { $0.hasPrefix("store.sqlite.damaged-") }
    #expect(kept.count == 1)
    #expect(try Data(contentsOf: suite.laptop.vault.appending(path: try #require(kept.first))) == garbage)
    try expectWhole(expected)
  }

  @Test func `What only a readable old store has is taken over, without a URL`() throws {
    var local = GenericPassword(service: "service", account: "local")
    local.accessibility = .whenUnlockedThisDeviceOnly
    let plist = URL(fileURLWithPath: Machine.entitlements(of: "PhotoPro"))
    try Vault.open(.file(plist), at: VaultLocation(folder: suite.laptop.vault)).set("stays", for: local)
    try suite.laptop.set("unsent", "5")
    let rejoin = try suite.laptop.coffer("clone", "--rejoin")
    #expect(rejoin.contains("records were taken over"))
    try expectWhole(expected.merging(["local": "stays", "unsent": "5"]) { $1 })
  }

  @Test func `In a later epoch, an unsent deletion of an item that became local is taken over and sent`() throws {
    try suite.laptop.coffer("compact")
    try suite.desktop.sync()
    let local = GenericPassword(service: "service", account: "one", accessibility: .whenUnlockedThisDeviceOnly)
    try suite.laptop.exampleVault().set("stays", for: local)
    try suite.laptop.coffer("clone", "--rejoin")
    for machine in [suite.laptop, suite.desktop] { try machine.sync() }
    #expect(try suite.laptop.values() == expected.merging(["one": "stays"]) { $1 })
    #expect(try suite.desktop.values() == expected.filter { $0.key != "one" })
  }

  @Test func `A rejoin while another program holds the old store is refused, and nothing changes`() throws {
    try suite.laptop.set("unsent", "5")
    let before = try keys()
    let laptop = suite.laptop
    let refused = try Store.open(at: store.path).write { _ in try laptop.run("coffer", "clone", "--rejoin") }
    #expect(refused.exitCode == 1 && refused.errors.contains("end the program that uses it"), "\(refused)")
    #expect(!refused.text.contains("cannot be read"), "\(refused)")
    #expect(try keys() == before)
    let files = try FileManager.default.contentsOfDirectory(atPath: laptop.vault.path)
    #expect(!files.contains { $0.hasPrefix("store.sqlite.damaged-") }, "\(files)")
    #expect(try laptop.coffer("clone", "--rejoin").contains("records were taken over"))
    try expectWhole(expected.merging(["unsent": "5"]) { $1 })
  }

  @Test func `A repository that lacks what this machine's apps have seen of the log is refused, and nothing changes`()
    throws
  {
    let tip = suite.remote.tip
    let plist = try suite.laptop.directory.write(
      "new.entitlements", entitlementsPlist("com.example.new"))
    try suite.laptop.coffer("app", "add", plist)
    #expect(try suite.laptop.get("one") == "1")
    try Command.run("git", "-C", suite.remote.path, "update-ref", "refs/heads/vault-1", tip)
    try removeStore()
    let before = try keys()
    let rejoin = try suite.laptop.run("coffer", "clone", "--rejoin", suite.remote.path)
    #expect(rejoin.exitCode == 6 && rejoin.errors.contains("has seen entry"), "\(rejoin)")
    #expect(try keys() == before && !FileManager.default.fileExists(atPath: store.path))
  }

  #if os(Linux)
    @Test func `A rejoin that is killed at any step can be repeated, and loses nothing`() throws {
      try suite.laptop.set("unsent", "5")
      let before = try keys().filter { !$0.key.hasSuffix("credential") }
      var kills = 0
      for number in 1...100 {
        let outcome = try suite.laptop.run(
          "coffer", "clone", "--rejoin",
          wrapper: [
            "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=link,linkat,rename,renameat,renameat2,mkdir,fsync",
            "-e", "inject=link,linkat,rename,renameat,renameat2,mkdir,fsync:signal=SIGKILL:when=\(number)",
          ])
        if outcome.exitCode == 0 { break }
        kills += 1
        #expect(try keys().filter { !$0.key.hasSuffix("credential") } == before, "\(number): \(outcome)")
        guard number.isMultiple(of: 4) else { continue }
        _ = try suite.laptop.run("coffer", "sync")
        #expect(try suite.laptop.values() == expected.merging(["unsent": "5"]) { $1 }, "\(number): \(outcome)")
      }
      #expect(kills > 3)
      try suite.laptop.coffer("clone", "--rejoin")
      try expectWhole(expected.merging(["unsent": "5"]) { $1 })
    }
  #endif

  @Test func `Another vault, an unreachable remote and a machine without keys are refused, and nothing changes`() throws
  {
    let other = try TwoMachines.ofNewVault()
    try removeStore()
    let before = try keys()
    let foreign = try suite.laptop.run("coffer", "clone", "--rejoin", other.remote.path)
    #expect(foreign.exitCode == 6 && foreign.errors.contains("another vault"), "\(foreign)")
    let unreachable = try suite.laptop.run("coffer", "clone", "--rejoin", "/does/not/exist.git")
    #expect(unreachable.exitCode == 7, "\(unreachable)")
    #expect(try keys() == before && !FileManager.default.fileExists(atPath: store.path))
    let empty = try Machine().run("coffer", "clone", "--rejoin", suite.remote.path)
    #expect(empty.exitCode == 1 && empty.errors.contains("no keys of this machine"), "\(empty)")
    try suite.laptop.coffer("clone", "--rejoin", suite.remote.path)
    try expectWhole(expected)
  }
}
