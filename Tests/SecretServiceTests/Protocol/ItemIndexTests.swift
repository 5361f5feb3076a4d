import Coffer
import CofferStore
import CofferSystem
import CofferVault
import Testing

@testable import CofferSecretService

@Suite struct ItemIndexTests {
  private static let plist = Array(
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict>
    <key>application-identifier</key><string>$(AppIdentifierPrefix)coffer.desktop</string>
    </dict></plist>
    """.utf8)

  /// A vault whose groups have the names of those in other vaults, as after a second clone.
  private func vault() throws -> Vault {
    try Vault.inMemory(.bytes(Self.plist), passphrase: "x", environment: ["COFFER_MEMORY_TEAM": "ABCDE12345"])
  }

  private func add(_ name: String, to vault: Vault) throws {
    let item = NewItem(label: name, attributes: ["name": name], contentType: "text/plain", value: [1])
    try vault.add(item.value, for: item.password(isUnique: false))
  }

  private func labels(in index: ItemIndex) -> [String] {
    index.collections(names: CollectionNames(own: "coffer.desktop")).flatMap { index.items(in: $0).map(\.label) }
  }

  @Test func `What another program has changed is read once, and told`() throws {
    let vault = try vault()
    var index = ItemIndex()
    try add("first", to: vault)
    #expect(try index.refresh(from: vault).isEmpty)
    #expect(labels(in: index) == ["first"])
    try add("second", to: vault)
    let changes = try index.refresh(from: vault)
    #expect(changes.count == 1 && labels(in: index) == ["first", "second"])
    #expect(try index.refresh(from: vault).isEmpty)
  }

  @Test func `A version that a revocation has made current again is found by the next search`() throws {
    let vault = try vault()
    var index = ItemIndex()
    try add("key", to: vault)
    _ = try vault.delete(ItemQuery<GenericPassword>())
    let deletion = try #require(
      try vault.deletedItems(in: nil, limit: 1).first?.history.versions.first { $0.isHead }?.hash)
    _ = try index.refresh(from: vault)
    #expect(labels(in: index).isEmpty)
    // As an import does after a synced revocation.
    try vault.local.store.write { try $0.suspend(deletion) }
    #expect(try index.refresh(from: vault).count == 1)
    #expect(labels(in: index) == ["key"])
    try add("next", to: vault)
    #expect(try index.refresh(from: vault).count == 1)
    #expect(labels(in: index) == ["key", "next"])
  }

  @Test func `A vault that was opened anew is read from its beginning, whatever was read of the one before`() throws {
    let (old, new) = (try vault(), try vault())
    var index = ItemIndex()
    for number in 0..<5 { try add("old \(number)", to: old) }
    _ = try index.refresh(from: old)
    // Fewer records than the old one has: its position means nothing here.
    try add("new", to: new)
    _ = try index.refresh(from: new)
    #expect(labels(in: index) == ["new"])
  }

  @Test func `A damaged item of a group is known to its searches`() {
    let intact = IndexedGroup(name: "a", isWritable: true, hasDamage: false, containing: [])
    let damaged = IndexedGroup(name: "a", isWritable: true, hasDamage: true, containing: [])
    #expect(!intact.hasDamage && damaged.hasDamage)
  }
}
