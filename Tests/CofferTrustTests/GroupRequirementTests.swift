import CofferCrypto
import CofferFormat
import CofferTrust
import Testing

/// What a group demands of the machines that give apps its keys.
@Suite struct GroupRequirementTests {
  private var vault: RevocableVault

  init() throws { vault = try RevocableVault() }

  private func statement(_ group: GroupID, _ requirement: GroupRequirement) -> Statement {
    .groupRequirement(GroupRequirementStatement(group: group, requirement: requirement))
  }

  @Test mutating func `An admin and root state what a group requires, and the last statement applies`() throws {
    let before = vault.membership
    #expect(before.groups.values.allSatisfy { $0.requirement == .none })
    let entry = try vault.log.append(statement(vault.shared, .strong))
    #expect(entry.kind == 20 && entry.isCritical, "a program that does not know it would give the keys away")
    #expect(vault.membership.groups[vault.shared]?.requirement == .strong)
    #expect(vault.membership.groups[vault.drafts]?.requirement == GroupRequirement.none)
    try vault.log.append(statement(vault.shared, .lease), by: .root)
    #expect(vault.membership.groups[vault.shared]?.requirement == .lease)
    try vault.log.append(statement(vault.shared, .none))
    // Nothing else has changed.
    #expect(vault.membership.groups == before.groups && vault.membership.authors == before.authors)
  }

  @Test mutating func `A new key of the group keeps what it requires`() throws {
    try vault.log.append(statement(vault.shared, .strong))
    let batch = try vault.batch(machines: [vault.memberID])
    try vault.apply(batch, by: vault.log.adminSigner)
    let group = try #require(vault.membership.groups[vault.shared])
    #expect(group.generations.count > 1 && group.requirement == .strong)
  }

  @Test mutating func `An app has the strictest requirement of its groups`() throws {
    let app = try #require(vault.membership.apps.values.first { $0.statement.bundleID == RevocableVault.writer })
    #expect(vault.membership.requirement(of: app.entitlements) == nil)
    try vault.log.append(statement(vault.drafts, .lease))
    #expect(vault.membership.requirement(of: app.entitlements)?.requirement == .lease)
    try vault.log.append(statement(vault.shared, .strong))
    let strictest = try #require(vault.membership.requirement(of: app.entitlements))
    #expect(strictest.requirement == .strong && strictest.group == vault.membership.groups[vault.shared]?.name)
  }

  @Test mutating func `Nobody else states it, and not of a group that does not exist`() throws {
    let member = AuthorID(vault: vault.log.vault, keys: vault.memberDevice.publicKeys)
    for (id, key) in [
      (vault.writers[2].id, vault.writers[2].keys.signing), (member, vault.memberDevice.signing),
    ] {
      let entry = vault.log.entry(statement(vault.shared, .none), by: .admin(id), key: key)
      #expect(refusal(of: entry, by: vault.membership) == .notAuthorised)
    }
    let unknown = GroupID(vault: vault.log.vault, name: "nothing")
    let entry = vault.log.entry(statement(unknown, .strong), by: vault.log.adminSigner, key: vault.log.admin.signing)
    #expect(refusal(of: entry, by: vault.membership) == .contradiction)
  }
}
