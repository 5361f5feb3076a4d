import Coffer
import CofferCrypto
import CofferFormat
import CofferStore
import CofferTrust
import Foundation
import Testing

/// Records that an app with read-only access can forge with its own keys and access to the file.
@Suite struct ForgedRecordTests {
  private let fixture: TemporaryVault
  private let pro: Vault
  private let free: Vault
  private let name = GenericPassword(service: "service", account: "account", label: "marker")
  private let group = "com.example.purchases"

  init() throws {
    fixture = try TemporaryVault()
    pro = try fixture.app("com.example.pro", groups: ["~com.example.purchases"])
    free = try fixture.app("com.example.free", groups: ["~com.example.free"], readOnly: ["~com.example.purchases"])
  }

  /// Returns every version in the store of the group's items.
  private func hashes() throws -> [RecordHash] {
    let membership = try fixture.local.membership()
    let id = GroupID(vault: membership.vault, name: "\(membership.team).\(group)")
    return try fixture.local.store.read { reader in
      try reader.page(of: id, after: nil, limit: 10, withValues: true).flatMap { item, _ in
        try reader.versions(of: item, in: id).map { try $0.record().hash }
      }
    }
  }

  @Test func `A forged record with the true one as base hides nothing, and the next write supersedes it`() throws {
    try pro.set("bought", for: name)
    try fixture.plant(
      try fixture.forge(
        "forged", service: "service", account: "account", in: group, by: "com.example.free", bases: try hashes()))
    for vault in [pro, free, try fixture.owner()] {
      #expect(try vault.string(for: name, in: group) == "bought")
      #expect(try vault.storedItem(for: name, in: group)?.hasConflict == false)
      let list = try vault.list(GenericPassword.self)
      #expect(list.items.map(\.item.label) == ["marker"] && list.damaged.isEmpty)
    }
    try pro.set("bought again", for: name)
    #expect(try free.string(for: name) == "bought again")
    #expect(try pro.storedItem(for: name)?.hasConflict == false)
  }

  @Test(arguments: [1, 2])
  func `A forged record beside the true one is ignored, whatever standing its row states`(validity: Int64) throws {
    try pro.set("bought", for: name)
    let forged = try fixture.forge(
      "forged", service: "service", account: "account", in: group, by: "com.example.free")
    _ = try fixture.local.store.write {
      try $0.insert(forged, validity: try #require(StoredValidity(rawValue: validity)), intoOutbox: true)
    }
    for vault in [pro, free, try fixture.owner()] {
      #expect(try vault.string(for: name, in: group) == "bought")
      #expect(try vault.storedItem(for: name, in: group)?.hasConflict == false)
    }
    #expect(try pro.delete(name))
    #expect(try free.string(for: name) == nil)
    #expect(try free.contains(name) == false)
  }

  @Test func `A forged record for a deleted item does not restore it`() throws {
    try pro.set("bought", for: name)
    try pro.delete(name)
    try fixture.plant(
      try fixture.forge(
        "forged", service: "service", account: "account", in: group, by: "com.example.free", bases: try hashes()))
    for vault in [pro, free, try fixture.owner()] {
      #expect(try vault.string(for: name, in: group) == nil)
      #expect(try vault.list(GenericPassword.self, in: group).items.isEmpty)
    }
  }
}
