import Coffer
import CofferStore
import CofferVault
import Foundation
import Testing

@Suite(.timeLimit(.minutes(120))) struct ChangeTests {
  private let name = GenericPassword(service: "s", account: "a")

  @Test func `Each commit of another connection or process is reported with its groups`() async throws {
    let fixture = try TemporaryVault()
    let vault = try fixture.app("com.example.one", groups: ["~com.example.a", "~com.example.b"])
    let other = try await Vault.open(
      .bytes(TemporaryVault.plist("com.example.one", groups: ["~com.example.a", "~com.example.b"])),
      at: fixture.location)
    var changes = vault.changes().makeAsyncIterator()
    let team = try fixture.team
    for group in ["a", "b", "a"] {
      try await other.set("\(group)", for: name, in: "com.example.\(group)")
      let change = try await changes.next()
      #expect(change?.accessGroups == ["\(team).com.example.\(group)"])
    }
    try await other.transaction {
      try other.set("x", for: GenericPassword(service: "s", account: "a"), in: "com.example.a")
      try other.set("x", for: GenericPassword(service: "s", account: "a"), in: "com.example.b")
    }
    #expect(try await changes.next()?.accessGroups == ["\(team).com.example.a", "\(team).com.example.b"])
  }

  @Test func `Changes of other groups are not reported, and those of the same vault are`() async throws {
    let fixture = try TemporaryVault()
    let vault = try fixture.app("com.example.one", groups: ["~com.example.a", "~com.example.b"])
    var changes = vault.changes(in: "com.example.b").makeAsyncIterator()
    try await vault.set("1", for: name, in: "com.example.a")
    try await vault.set("2", for: name, in: "com.example.b")
    #expect(try await changes.next()?.accessGroups.map { $0.hasSuffix("com.example.b") } == [true])
    withExtendedLifetime(fixture) {}
  }

  @Test func `A vault in memory reports its changes, and a group that is not the app's is an error`() async throws {
    let vault = try Vault.inMemory(entitlements: .bytes(TemporaryVault.plist("com.example.one")))
    var changes = vault.changes().makeAsyncIterator()
    try await vault.set("1", for: name)
    #expect(try await changes.next()?.accessGroups.count == 1)
    var none = vault.changes(in: "com.example.none").makeAsyncIterator()
    do {
      _ = try await none.next()
      Issue.record("a group that is not the app's was observed")
    } catch {
      #expect(error.code == .notEntitled)
    }
  }

  @Test func `A version that is current again, because a revocation ends the one that deleted it, is reported`()
    async throws
  {
    let vault = try Vault.inMemory(entitlements: .bytes(TemporaryVault.plist("com.example.one")))
    try await vault.set("1", for: name)
    #expect(try await vault.delete(name))
    let deletion = try #require(
      try vault.deletedItems(in: nil, limit: 1).first?.history.versions.first { $0.isHead }?.hash)
    var changes = vault.changes().makeAsyncIterator()
    // As an import does after a synced revocation.
    try vault.local.store.write { try $0.suspend(deletion) }
    #expect(try await changes.next()?.accessGroups.count == 1)
    #expect(try await vault.string(for: name) == "1")
  }

  @Test func `An observer ends when its task is cancelled`() async throws {
    let fixture = try TemporaryVault()
    let vault = try fixture.app("com.example.one")
    let observer = Task {
      var count = 0
      for try await _ in vault.changes() { count += 1 }
      return count
    }
    observer.cancel()
    #expect(try await observer.value == 0)
    withExtendedLifetime(fixture) {}
  }
}
