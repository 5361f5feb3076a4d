import Coffer
import CofferAdministration
import CofferStore
import CofferTestSupport
import CofferVault
import Foundation
import Testing

@Suite struct TransactionTests {
  private struct Refusal: Error {}
  private func item(_ account: String) -> GenericPassword { GenericPassword(service: "s", account: account) }

  @Test func `The changes of a transaction are present when it returns, and absent when it throws`() throws {
    let fixture = try TemporaryVault()
    let vault = try fixture.app("com.example.one")
    try vault.set("0", for: item("kept"))
    try vault.transaction {
      try vault.set("1", for: item("a"))
      #expect(try vault.string(for: item("a")) == "1")
      try vault.delete(item("kept"))
      #expect(try vault.count(GenericPassword.self) == 1)
    }
    #expect(throws: Refusal.self) {
      try vault.transaction {
        try vault.set("2", for: item("a"))
        try vault.set("2", for: item("b"))
        throw Refusal()
      }
    }
    #expect(try vault.string(for: item("a")) == "1")
    #expect(try vault.string(for: item("b")) == nil)
    // Another program sees the same.
    let other = try Vault.open(.bytes(TemporaryVault.plist("com.example.one")), at: fixture.location)
    #expect(try other.list(GenericPassword.self).items.map(\.item.account) == ["a"])
    #expect(try VaultStatus.read(from: fixture.local).unsyncedChanges > 0)
  }

  @Test func `A failed call in a continuing transaction is undone alone, and transactions nest`() throws {
    let vault = try TemporaryVault().app("com.example.one")
    try vault.transaction {
      try vault.add("1", for: item("a"))
      #expect(code { try vault.add("2", for: item("a")) } == .duplicateItem)
      #expect(throws: Refusal.self) {
        try vault.transaction {
          try vault.add("3", for: item("b"))
          throw Refusal()
        }
      }
      try vault.transaction { try vault.add("4", for: item("c")) }
    }
    #expect(Set(try vault.list(GenericPassword.self).items.map(\.item.account)) == ["a", "c"])
    #expect(try vault.string(for: item("a")) == "1")
  }

  @Test func `On a full disk, a transaction throws and changes nothing, even if its body catches the error`() throws {
    let fixture = try TemporaryVault()
    let vault = try fixture.app("com.example.one")
    try vault.set("0", for: item("kept"))
    try vault.local.store.limitGrowth(toPages: 64)
    var caught: [VaultError.Code?] = []
    let thrown = code {
      try vault.transaction {
        try vault.set("1", for: item("kept"))
        caught.append(code { try vault.set([UInt8](repeating: 1, count: 1 << 20), for: item("large")) })
        caught.append(code { try vault.set("2", for: item("next")) })
      }
    }
    #expect(thrown == .diskFull && caught == [.diskFull, .diskFull])
    #expect(try vault.string(for: item("kept")) == "0")
    #expect(try vault.count(GenericPassword.self) == 1)
    #expect(try VaultCheck.open(fixture.local.folder).run().isEmpty)
    try vault.set("3", for: item("next"))
    #expect(try vault.count(GenericPassword.self) == 2)
  }

  @Test func `A store that could not be replaced has its write-ahead log again, and no other name`() throws {
    let fixture = try TemporaryVault()
    let vault = try fixture.app("com.example.one")
    try vault.set("1", for: item("a"))
    let folder = fixture.local.folder
    func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    let before = try files()
    #expect(before.contains("store.sqlite-wal"))
    let missing = VaultFolder(fixture.directory.url.appending(path: "missing"))
    #expect(throws: VaultError.self) { _ = try folder.replaceStore(by: missing) }
    #expect(try files() == before)
    let other = try Vault.open(.bytes(TemporaryVault.plist("com.example.one")), at: fixture.location)
    #expect(try other.string(for: item("a")) == "1")
  }

  @Test func `Transactions of concurrent threads are separate`() async throws {
    let vault = try TemporaryVault().app("com.example.one")
    let names = (0..<8).map { item("counter\($0 % 2)") }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for name in names {
        group.addTask {
          for _ in 0..<25 {
            try await vault.transaction {
              let value = try vault.string(for: name).flatMap { Int($0) } ?? 0
              try vault.set("\(value + 1)", for: name)
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await vault.string(for: names[0]) == "100")
    #expect(try await vault.string(for: names[1]) == "100")
  }

  @Test func `Waiting calls do not block the program's tasks`() async throws {
    let fixture = try TemporaryVault()
    let vault = try fixture.app("com.example.one")
    let other = try await Vault.open(.bytes(TemporaryVault.plist("com.example.one")), at: fixture.location)
    // More writers than the task pool has threads, all waiting for the one transaction that holds the vault.
    let (started, start) = AsyncStream<Void>.makeStream()
    let release = DispatchSemaphore(value: 0)
    async let holder: Void = other.transaction {
      try other.set("held", for: GenericPassword(service: "s", account: "holder"))
      start.finish()
      release.wait()
    }
    for await _ in started {}
    let writers = (0..<32).map { number in
      Task { try await vault.set("v", for: GenericPassword(service: "s", account: "\(number)")) }
    }
    // If the pool were blocked, this would never run.
    await Task { await Task.yield() }.value
    release.signal()
    try await holder
    for writer in writers { _ = try await writer.value }
    #expect(try await vault.count(GenericPassword.self) == 33)
  }
}
