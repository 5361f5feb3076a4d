import Coffer
import CofferCrypto
import CofferFormat
import CofferKeys
import CofferStore
import CofferTrust
import Foundation
import Testing

@Suite struct NewerLogTests {
  private let name = GenericPassword(service: "service", account: "account")

  /// Appends an entry of a kind that this program does not know.
  private func appendUnknown(to fixture: TemporaryVault, isCritical: Bool) throws {
    let keys = try fixture.local.folder.adminFile.read { try AdminFile(secretBytes: $0).open(passphrase: nil) }
    let membership = try fixture.local.membership()
    let known = LogEntry(
      vault: membership.vault, after: membership.head, time: .now,
      signer: .admin(AuthorID(vault: membership.vault, keys: keys.publicKeys)), key: keys.signing,
      statement: .grant(GrantStatement(group: GroupID(Bytes16.zero), generation: 1, boxes: [])))
    var bytes = Array(known.bytes.dropLast(Signature.count))
    // Kind and flag precede the body and its 32-bit length.
    let place = bytes.count - known.body.count - 4 - 3
    bytes.replaceSubrange(place..<(place + 3), with: [0x7F, 0x7F, isCritical ? 1 : 0])
    bytes += keys.signing.sign(Hash.digest(bytes, domain: .logEntry), domain: .logEntry).bytes
    let entry = try LogEntry(bytes: bytes)
    #expect(entry.kind == 0x7F7F && entry.isCritical == isCritical)
    try fixture.local.store.write {
      try $0.appendLogEntry(sequence: entry.sequence, entry: entry.bytes, envelope: [], published: nil)
    }
  }

  @Test func `A critical entry of an unknown kind makes the vault read-only, and the error says to upgrade`() throws {
    let fixture = try TemporaryVault()
    let vault = try fixture.app("com.example.one")
    try vault.set("v", for: name)
    try appendUnknown(to: fixture, isCritical: true)
    #expect(try vault.string(for: name) == "v")
    #expect(try vault.list(GenericPassword.self).items.count == 1)
    let writes: [() throws -> Void] = [
      { try vault.set("w", for: name) }, { try vault.add(Data(), for: name) }, { try vault.delete(name) },
      { try vault.delete(name, in: "com.example.one") }, { try fixture.app("com.example.two") },
    ]
    for write in writes {
      let error = failure(write)
      #expect(error?.code == .upgradeNeeded && error?.recoverySuggestion == "upgrade Coffer")
    }
    #expect(try vault.string(for: name) == "v")
  }

  @Test func `An uncritical entry of an unknown kind changes nothing`() throws {
    let fixture = try TemporaryVault()
    let vault = try fixture.app("com.example.one")
    try appendUnknown(to: fixture, isCritical: false)
    try vault.set("v", for: name)
    #expect(try vault.delete(name))
    try fixture.app("com.example.two")
  }
}
