import Coffer
import CofferAdministration
import CofferCrypto
import CofferInspection
import CofferVault
import Foundation
import Testing

/// What a person sees before and after something is removed from the vault.
@Suite struct RemovalTests {
  private let fixture: TemporaryVault
  private let prefix: String
  private let app: Vault
  private let vault: InspectedVault

  init() throws {
    fixture = try TemporaryVault(passphrase: "secret")
    prefix = try fixture.prefix
    app = try fixture.app("com.example.one", groups: ["~com.example.one", "~com.example.shared"])
    try app.set("v", for: GenericPassword(service: "service", account: "account"))
    vault = try fixture.inspected()
  }

  private func removal(of name: String, onMachine machine: String? = nil) throws -> InspectedRemoval {
    try vault.removal(of: .app(prefix + name, onMachine: machine))
  }

  private func machine(_ name: String) throws -> InspectedMachine {
    try #require(try vault.access().machines.first { $0.name == name })
  }

  private func check(_ removal: InspectedRemoval, scope: String? = nil, _ passphrase: String? = "secret") throws {
    try vault.check(
      removal, confirming: scope ?? removal.preview.scope, passphrase: passphrase.map { SecretText($0) }
    ) { (body) throws(VaultError) in try body() }
  }

  private func remove(_ removal: InspectedRemoval, scope: String? = nil) throws {
    _ = try vault.remove(
      removal, confirming: scope ?? removal.preview.scope, passphrase: SecretText("secret"))
  }

  @Test func `A removal names its apps, groups, items and records, and who removed it is known afterwards`() throws {
    let removal = try removal(of: "com.example.one")
    #expect(removal.app == "com.example.one" && removal.machine == nil && removal.requiresPassphrase)
    #expect(removal.preview.apps == [prefix + "com.example.one"] && !removal.preview.needsVaultKey)
    #expect(removal.preview.groups == ["one", "shared"].map { "\(prefix)com.example.\($0)" })
    #expect(removal.preview.recordCount == 1)
    try check(removal)
    try remove(removal)
    let access = try vault.access()
    #expect(access.apps.isEmpty && access.removedApps.map(\.bundleID) == ["com.example.one"])
    let revocation = try #require(access.removedApps.first).revocation
    let line = try #require(try vault.logPage().lines.first { $0.number == revocation.entry })
    #expect(revocation.signer == "the owner on laptop" && line.time == revocation.time)
    #expect(line.sentence == "The owner on laptop removed the app com.example.one from the vault.")
    #expect(code { _ = try self.removal(of: "com.example.one") } == .itemNotFound)
    try fixture.register("com.example.one")
    #expect(try vault.access().removedApps.isEmpty)
  }

  @Test func `The confirmation of another removal, or of one that has changed, removes nothing`() throws {
    let laptop = try machine("laptop").id
    let shown = try removal(of: "com.example.one")
    let here = try removal(of: "com.example.one", onMachine: laptop)
    #expect(shown.preview.scope != here.preview.scope && here.machine == "laptop")
    #expect(code { try check(here, scope: shown.preview.scope) } == .itemChanged)
    #expect(code { try remove(here, scope: shown.preview.scope) } == .itemChanged)
    // More items change nothing: a machine that goes on writing could keep its owner from removing it.
    try app.set("v", for: GenericPassword(service: "service", account: "other"))
    #expect(try removal(of: "com.example.one").preview.scope == shown.preview.scope)
    try fixture.register("com.example.one", groups: ["~com.example.one", "~com.example.shared", "~com.example.more"])
    let now = try removal(of: "com.example.one")
    #expect(now.preview.scope != shown.preview.scope)
    #expect(code { try check(now, scope: shown.preview.scope) } == .itemChanged)
    #expect(code { try remove(shown) } == .itemChanged)
    #expect(try vault.access().apps.count == 1)
    try remove(now)
    #expect(try vault.access().apps.isEmpty)
  }

  @Test func `A removal needs this machine's passphrase`() throws {
    let removal = try removal(of: "com.example.one")
    for passphrase in [nil, "wrong"] {
      #expect(code { try check(removal, passphrase) } == .authenticationFailed)
    }
    #expect(code { _ = try vault.remove(removal, confirming: removal.preview.scope, passphrase: nil) } == .locked)
    #expect(try vault.access().apps.count == 1)
  }

  @Test func `An admin's machine needs the vault key, which a command asks for, and this machine stays`() throws {
    try fixture.enrol("lost\u{200B}one")
    try fixture.enrol("desktop")
    let desktop = try vault.removal(of: .machine(machine("desktop").id))
    #expect(desktop.preview.needsVaultKey && desktop.command == "coffer device revoke desktop")
    #expect(code { try check(desktop) } == .notEntitled)
    #expect(code { try remove(desktop) } == .notEntitled)
    let odd = try #require(try vault.access().machines.first { $0.name.hasPrefix("lost") })
    #expect(try vault.removal(of: .machine(odd.id)).command == "coffer device revoke \(odd.id)")
    #expect(code { _ = try vault.removal(of: .machine(machine("laptop").id)) } == .invalidArgument)
    #expect(code { _ = try vault.removal(of: .machine("none")) } == .itemNotFound)
  }

  @Test func `An app that was removed on a machine is named there, until it has new keys`() throws {
    let laptop = try machine("laptop").id
    try remove(removal(of: "com.example.one", onMachine: laptop))
    let after = try #require(try vault.access().app(prefix + "com.example.one"))
    #expect(after.places.isEmpty && after.formerPlaces.map(\.machine) == ["laptop"])
    #expect(
      after.formerPlaces[0].revocation.signer == "the owner on laptop" && after.formerPlaces[0].machineID == laptop)
    #expect(try vault.access().removedApps.isEmpty)
    #expect(code { _ = try removal(of: "com.example.one", onMachine: laptop) } == .invalidArgument)
  }

  @Test func `Items to replace are counted anew after each change, and only the owner sees them`() throws {
    #expect(try vault.itemsToReplaceCount() == 0 && !(try vault.menu().hasRevocations))
    let item = GenericPassword(service: "service", account: "account")
    let inspectedApp = InspectedVault(vault: app, local: app.local)
    try fixture.app("com.example.two", groups: ["~com.example.two", "~com.example.shared"])
    try app.set("shared", for: GenericPassword(service: "shared", account: "account"), in: "com.example.shared")
    try remove(removal(of: "com.example.two"))
    #expect(try vault.itemsToReplaceCount() == 1 && vault.menu().hasRevocations)
    let listed = try #require(try vault.itemsToReplace().items.first)
    #expect(listed.title == "shared" && listed.subtitle == "account" && listed.group == prefix + "com.example.shared")
    #expect(listed.isEditable && listed.exposure.readers.map(\.application) == [prefix + "com.example.two"])
    #expect(listed.writer.application == prefix + "com.example.one" && listed.reference != nil)
    #expect(try vault.logPage().lines.first { $0.number == listed.revocationEntry }?.kind == .revocation)
    #expect(try vault.overview().attention.contains(.toReplace(items: 1)))
    let own = try inspectedApp.overview(of: prefix + "com.example.one").attention
    #expect(!own.contains { $0.kind.name == "to-replace" })
    try app.set("new", for: GenericPassword(service: "shared", account: "account"), in: "com.example.shared")
    #expect(try vault.itemsToReplaceCount() == 0)
    try app.set("v2", for: item)
    #expect(try vault.itemsToReplace().items.isEmpty)
  }

  @Test func `A dismissed item is listed apart with who dismissed it, when and why, until it is put back`() throws {
    try fixture.app("com.example.two", groups: ["~com.example.two", "~com.example.shared"])
    for account in ["closed", "open"] {
      try app.set("v", for: GenericPassword(service: "shared", account: account), in: "com.example.shared")
    }
    try remove(removal(of: "com.example.two"))
    let before = try vault.itemsToReplace()
    #expect(before.items.map(\.subtitle) == ["closed", "open"] && before.dismissed.isEmpty)
    func dismiss(_ reason: String?) throws {
      let item = try #require(try vault.vault.exposedItems { _ in }.first)
      _ = try MembershipChange(in: fixture.local).dismiss(
        [item], reason: reason, passphrase: PassphraseSource { (_) throws(VaultError) in SecretText("secret") })
    }
    try dismiss("the account is closed")
    let after = try vault.itemsToReplace()
    #expect(after.items.map(\.subtitle) == ["open"] && after.dismissed.map(\.subtitle) == ["closed"])
    let dismissal = try #require(after.dismissed.first?.dismissal)
    let line = try #require(try vault.logPage().lines.first)
    #expect(dismissal.entry == line.number && dismissal.time == line.time && line.kind == .dismissal)
    #expect(dismissal.signer == "the owner on laptop" && dismissal.reason == "the account is closed")
    #expect(try vault.itemsToReplaceCount() == 1)
    try dismiss(nil)
    let again = try vault.itemsToReplace()
    #expect(again.items.count == 2 && again.dismissed.isEmpty && again.items.allSatisfy { $0.dismissal == nil })
  }

  @Test func `Another machine that may write has not confirmed a removal before it synced, and this one need not`()
    throws
  {
    try fixture.enrol("desktop")
    #expect(try vault.access().machines.allSatisfy { $0.confirmation == nil })
    try remove(removal(of: "com.example.one"))
    let revocation = try #require(try vault.access().removedApps.first).revocation
    #expect(try machine("laptop").confirmation == nil)
    let confirmation = try #require(try machine("desktop").confirmation)
    #expect(!confirmation.isGiven && confirmation.revocation == revocation)
    #expect(
      try vault.overview().attention.contains { $0.kind.name == "unconfirmed" && $0.sentence.contains("desktop") })
  }
}
