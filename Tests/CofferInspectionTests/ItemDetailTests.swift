import Coffer
import CofferCrypto
import CofferFormat
import CofferInspection
import CofferSystem
import CofferVault
import Foundation
import Testing

@Suite struct ItemDetailTests {
  private func details(_ vault: InspectedVault) throws -> ItemDetails {
    let row = try #require(try vault.items().rows.first)
    return try vault.details(of: row.reference, in: row.group)
  }

  @Test func `Every attribute has its words and its place`() throws {
    let session = try MemoryInspection()
    var item = InternetPassword(
      server: "example.com", account: "jane", protocol: .ssh, port: 22, path: "/home", label: "Label",
      accessibility: .whenUnlockedThisDeviceOnly)
    item.securityDomain = "realm"
    item.authenticationType = .htmlForm
    item.comment = "C"
    item.itemDescription = "D"
    item.isNegative = true
    item.creator = 7
    item.isSynchronizable = true
    try session.app.add("value-of-item", for: item)
    let seen = try details(session.vault)
    let rows = seen.attributes.map { "\($0.name): \($0.text)" }
    let dates = [seen.row.created, seen.row.modified].map { $0.localText }
    let reference = seen.row.reference.path
    #expect(
      rows == [
        "Server: example.com", "Account: jane", "Label: Label", "Protocol: SSH", "Port: 22", "Path: /home",
        "Security domain: realm", "Authentication: HTML form", "Description: D", "Comment: C", "Creator: 7",
        "Never store a password: yes", "Readable: when unlocked; stays on this machine", "Synchronizable: yes",
        "Created: \(dates[0])", "Modified: \(dates[1])", "Persistent reference: \(reference)",
      ])
    #expect(seen.attributes.first { $0.code == "cdat" }?.date == seen.row.created)
    let facts = seen.facts().map { "\($0.name): \($0.text)" }
    #expect(facts.prefix(2) == ["Class: Internet password", "Group: \(seen.row.group)"])
    #expect(Array(facts.dropFirst(2).prefix(rows.count)) == rows)
    #expect(
      facts.contains("Written by: \(seen.row.writer.application ?? "") on memory") && facts.contains("Versions: 1"))
    #expect(!facts.joined().contains("value-of"))
  }

  @Test func `A port and codes that mean none are left out`() throws {
    let session = try MemoryInspection()
    try session.app.add("value-of-item", for: InternetPassword(server: "example.com", account: "jane"))
    let codes = try details(session.vault).attributes.map(\.code)
    #expect(codes.contains("srvr") && Set(["port", "ptcl", "path", "sdmn", "atyp"]).isDisjoint(with: codes))
  }

  @Test(arguments: ItemClass.allCases)
  func `Every attribute that a class may have has a name in words`(of itemClass: ItemClass) throws {
    let session = try MemoryInspection()
    var attributes = ItemAttributes()
    for code in itemClass.attributes {
      attributes[code] =
        switch code.kind {
        case .blob: .data([0, 1, 2])
        case .number: .number(1)
        case .date: .date(.now)
        }
    }
    attributes[.accessControl] = nil
    _ = try session.app.add(ItemDraft(itemClass: itemClass, attributes: attributes, value: []), in: nil)
    let rows = try details(session.vault).attributes
    #expect(rows.count == itemClass.attributes.count - 1)
    for row in rows { #expect(row.name != row.code && !row.name.isEmpty && !row.text.isEmpty, "\(row.code)") }
  }

  @Test func `A value is text or binary, and comes only by its own call`() throws {
    let session = try MemoryInspection()
    let values: [([UInt8], Bool)] = [
      (Array("pässword 🔐\n".utf8), true), ([], true), ([0xFF, 0xFE], false), ([0x61, 0, 0x62], false), ([0xC3], false),
    ]
    for (bytes, isText) in values {
      try session.app.set(bytes, for: GenericPassword(service: "s", account: "a"))
      let seen = try details(session.vault)
      #expect(seen.valueGuard.isOpen)
      let value = try session.vault.value(of: seen.revision)
      #expect(value.isText == isText && value.bytes == SecretText(copying: bytes), "\(bytes)")
    }
  }

  @Test func `A value that requires the presence of the user is shown for the passphrase only`() throws {
    let session = try MemoryInspection(passphrase: "correct")
    let control = AccessControl(protection: "ak", flags: 1)
    let attributes = ItemAttributes([
      .service: .string("s"), .account: .string("a"), .accessible: .string("ak"), .accessControl: .data(control.bytes),
    ])
    _ = try session.app.add(ItemDraft(itemClass: .genericPassword, attributes: attributes, value: [1]), in: nil)
    let seen = try details(session.vault)
    #expect(seen.valueGuard.requiresPassphrase && !seen.valueGuard.requiresApplicationPassword)
    #expect(seen.attributes.first { $0.code == "accc" }?.text == "requires this machine's passphrase")
    #expect(seen.facts().contains { $0.name == "Value" && $0.text == "requires this machine's passphrase" })
    // The accessibility is part of the access control.
    #expect(!seen.fields.contains { $0.code == "pdmn" })
    #expect(code { _ = try session.vault.value(of: seen.revision) } == .locked)
    let wrong = SecretText("wrong")
    #expect(code { _ = try session.vault.value(of: seen.revision, passphrase: wrong) } == .authenticationFailed)
    #expect(try session.vault.value(of: seen.revision, passphrase: SecretText("correct")).bytes.count == 1)
    #expect(code { try session.vault.edit(seen.revision, ["labl": "x"]) } == .locked)
    #expect(try session.vault.edit(seen.revision, [:]) == seen.revision)
    let other = try MemoryInspection()
    _ = try other.app.add(ItemDraft(itemClass: .genericPassword, attributes: attributes, value: [1]), in: nil)
    let error = #expect(throws: VaultError.self) { _ = try other.vault.value(of: details(other.vault).revision) }
    #expect(error?.code == .locked && error?.recoverySuggestion?.contains("coffer passphrase set") == true)
  }

  @Test func `An earlier version without conditions needs what the item needs now, and is not restored here`() throws {
    let session = try MemoryInspection(passphrase: "correct")
    let control = AccessControl(protection: "ak", flags: 1)
    var attributes = ItemAttributes([.service: .string("s"), .account: .string("a"), .accessible: .string("ak")])
    _ = try session.app.add(ItemDraft(itemClass: .genericPassword, attributes: attributes, value: [1]), in: nil)
    let open = try details(session.vault)
    #expect(try session.vault.value(of: open.revision).bytes.count == 1)
    attributes[.accessControl] = .data(control.bytes)
    _ = try session.vault.vault.replace(open.revision, movingTo: nil) { _, draft in
      draft.attributes[.accessControl] = attributes[.accessControl]
    }
    let seen = try details(session.vault)
    #expect(seen.valueGuard.requiresPassphrase)
    let earlier = try #require(try session.vault.history(of: seen.revision).versions.last)
    #expect(!earlier.attributes.contains { $0.code == "accc" })
    for revision in [seen.revision, open.revision] {
      #expect(code { _ = try session.vault.value(of: revision, version: earlier) } == .locked)
      #expect(code { _ = try session.vault.value(of: revision) } == .locked)
      let passphrase = SecretText("correct")
      #expect(try session.vault.value(of: revision, version: earlier, passphrase: passphrase).bytes.count == 1)
    }
    #expect(code { try session.vault.restore(earlier, over: seen.revision) } == .locked)
    #expect(code { try session.vault.move(seen.revision, to: "com.example.shared") } == .locked)
    #expect(try details(session.vault).revision == seen.revision)
  }

  @Test func `A wrong passphrase is counted where one is tried, and a missing one is not`() throws {
    let session = try MemoryInspection(passphrase: "correct")
    let control = AccessControl(protection: "ak", flags: 1)
    let attributes = ItemAttributes([
      .service: .string("s"), .account: .string("a"), .accessible: .string("ak"), .accessControl: .data(control.bytes),
    ])
    _ = try session.app.add(ItemDraft(itemClass: .genericPassword, attributes: attributes, value: [1]), in: nil)
    let revision = try details(session.vault).revision
    var attempts: [VaultError.Code?] = []
    for text in [nil, "wrong", "correct"] {
      _ = try? session.vault.value(of: revision, passphrase: text.map { SecretText($0) }) { (body) throws(VaultError) in
        do throws(VaultError) {
          try body()
          attempts.append(nil)
        } catch {
          attempts.append(error.code)
          throw error
        }
      }
    }
    #expect(attempts == [.authenticationFailed, nil])
  }

  @Test func `A value under an application password opens with it, and cannot be replaced here`() throws {
    let session = try MemoryInspection()
    let control = AccessControl(protection: "ak", flags: 1 << 31)
    var attributes = ItemAttributes([
      .service: .string("s"), .account: .string("a"), .accessible: .string("ak"), .accessControl: .data(control.bytes),
    ])
    attributes.addPersistentReference()
    let item = try #require(ProtectedItem(vault: session.app.id, itemClass: .genericPassword, attributes: attributes))
    let sealed = try ValueProtection(password: SecretText("own")).seal(Array("secret".utf8), for: item)
    _ = try session.app.add(
      ItemDraft(itemClass: .genericPassword, attributes: attributes, value: sealed.bytes), in: nil)
    var seen = try details(session.vault)
    #expect(seen.valueGuard.conditions == ["its application password"])
    #expect(code { _ = try session.vault.value(of: seen.revision) } == .locked)
    let wrong = SecretText("wrong")
    #expect(code { _ = try session.vault.value(of: seen.revision, password: wrong) } == .authenticationFailed)
    #expect(try session.vault.value(of: seen.revision, password: SecretText("own")).text == "secret")
    let new = SecretText("new")
    #expect(code { try session.vault.edit(seen.revision, [:], value: new) } == .locked)
    // Other attributes can be changed: the value stays sealed for the item.
    try session.vault.edit(seen.revision, ["labl": "Label"])
    seen = try details(session.vault)
    #expect(try session.vault.value(of: seen.revision, password: SecretText("own")).text == "secret")
  }

  @Test func `Unreadable conditions keep a value hidden`() throws {
    let session = try MemoryInspection()
    let attributes = ItemAttributes([
      .service: .string("s"), .account: .string("a"), .accessControl: .data([9, 9]),
    ])
    _ = try session.app.add(ItemDraft(itemClass: .genericPassword, attributes: attributes, value: [1]), in: nil)
    let seen = try details(session.vault)
    #expect(!seen.valueGuard.isOpen && seen.valueGuard.isUnknown)
    #expect(code { _ = try session.vault.value(of: seen.revision, passphrase: SecretText("x")) } == .locked)
  }
}
