import CofferCrypto
import CofferFormat
import CofferKeys
import CofferTrust
import Testing

/// Registrations that take access away from an app.
@Suite struct NarrowedAppTests {
  private let vault: RevocableVault

  init() throws { vault = try RevocableVault() }

  private func refusal(_ statement: Statement, in vault: RevocableVault) -> TrustError.Code? {
    CofferTrustTests.refusal(of: vault.log.entry(statement), by: vault.membership)
  }

  /// The writer's registration without, or with another access to, some of its groups.
  private func narrowed(
    _ vault: RevocableVault, without: [String] = [], readOnly: [String] = []
  ) -> Statement {
    func isIn(_ names: [String], _ group: StatedGroup) -> Bool {
      names.contains { group.name == "\(vault.membership.team).\($0)" }
    }
    let kept = vault.writerGroups.filter { !isIn(without, $0) }
    return vault.log.app(
      RevocableVault.writer,
      stating: kept.filter { !isIn(readOnly, $0) }
        + kept.filter { isIn(readOnly, $0) }.map { StatedGroup(name: $0.name, source: .readOnlyAccessGroups) })
  }

  /// Takes the shared group away from some of the writers.
  private func cut(_ writers: some Sequence<RevocableVault.Principal>, keepsReading: Bool = false) throws
    -> RevocableVault
  {
    var copy = vault
    let lost = RevocationStatement.LostGroup(group: vault.shared, keepsReading: keepsReading)
    let authors = writers.map { RevocationStatement.CutAuthor(author: $0.id, groups: [lost]) }
    if !authors.isEmpty { try copy.apply(try copy.batch(authors: authors)) }
    return copy
  }

  @Test func `An app loses a group only after a revocation has taken it from all its authors`() throws {
    let shared = RevocableVault.groupNames[0]
    #expect(refusal(narrowed(vault, without: [shared]), in: vault) == .contradiction)
    #expect(refusal(narrowed(vault, readOnly: [shared]), in: vault) == .contradiction)
    for count in 0...3 {
      let after = try cut(vault.writers.prefix(count))
      let expected: TrustError.Code? = count == 3 ? nil : .contradiction
      #expect(refusal(narrowed(after, without: [shared]), in: after) == expected, "\(count) of 3")
      // The other groups are not taken.
      #expect(refusal(narrowed(after, without: [shared, RevocableVault.groupNames[1]]), in: after) == .contradiction)
    }
  }

  @Test func `Who goes on reading a group narrows its app to reading, and no further`() throws {
    let shared = RevocableVault.groupNames[0]
    let after = try cut(vault.writers, keepsReading: true)
    #expect(refusal(narrowed(after, without: [shared]), in: after) == .contradiction)
    #expect(refusal(narrowed(after, readOnly: [shared]), in: after) == nil)
    // One author that still writes is enough.
    let partly = try cut(vault.writers.dropLast(), keepsReading: true)
    #expect(refusal(narrowed(partly, readOnly: [shared]), in: partly) == .contradiction)
  }

  @Test func `An author has lost the right to a group only if it may no longer do what it needs there`() throws {
    for keepsReading in [false, true] {
      let after = try cut(vault.writers, keepsReading: keepsReading)
      let author = try #require(after.membership.authors[vault.writers[0].id])
      let reading = after.membership.lostRight(of: author, to: vault.shared, needing: .readOnly)
      let writing = after.membership.lostRight(of: author, to: vault.shared, needing: .readWrite)
      #expect((reading == nil) == keepsReading)
      #expect(writing != nil && writing?.remaining == (keepsReading ? .readOnly : nil))
    }
    let author = try #require(vault.membership.authors[vault.writers[0].id])
    #expect(vault.membership.lostRight(of: author, to: vault.shared, needing: .readWrite) == nil)
  }

  @Test func `An author that was removed completely hinders no narrower registration`() throws {
    var after = vault
    try after.apply(
      try after.batch(
        authors: after.writers.map { RevocationStatement.CutAuthor(author: $0.id, groups: nil) }))
    #expect(refusal(narrowed(after, without: RevocableVault.groupNames.dropLast()), in: after) == nil)
  }

  @Test func `A wider registration gives no right back to who lost it, and a new principal has it`() throws {
    for keepsReading in [false, true] {
      var after = try cut(vault.writers, keepsReading: keepsReading)
      let shared = RevocableVault.groupNames[0]
      try after.log.append(
        keepsReading ? narrowed(after, readOnly: [shared]) : narrowed(after, without: [shared]))
      // An older registration, signed again.
      let wider = try after.log.append(narrowed(after))
      let principal = try after.addPrincipal(of: wider.hash, on: after.log.deviceID)
      let name = try #require(after.membership.groups[after.shared]).name
      for writer in after.writers {
        let author = try #require(after.membership.authors[writer.id])
        #expect(after.membership.access(of: author, to: after.shared) == (keepsReading ? .readOnly : nil))
        #expect(
          after.membership.recipients(of: name, at: Timestamp(microseconds: 2)).contains(writer.id) == keepsReading)
        #expect(
          after.membership.validity(of: try after.record(by: writer.id, in: after.shared)) == .notEntitled)
        #expect(after.membership.validity(of: try after.record(by: writer.id, in: after.drafts)) == .valid)
      }
      let keys = try #require(after.groupKeys[after.shared])
      let record = after.log.record(keys: keys, author: principal.id, signer: principal.keys.signing)
      #expect(after.membership.validity(of: record) == .valid)
    }
  }

  @Test func `What an author wrote before it lost a group depends on the list, not on later registrations`() throws {
    let author = vault.writers[0].id
    let listed = try vault.record(by: author, in: vault.shared, item: 1)
    let other = try vault.record(by: author, in: vault.shared, item: 2)
    let lost = RevocationStatement.LostGroup(group: vault.shared, keepsReading: false)
    var after = vault
    try after.apply(
      try after.batch(
        authors: after.writers.map { RevocationStatement.CutAuthor(author: $0.id, groups: [lost]) },
        records: [listed.hash]))
    let shared = RevocableVault.groupNames[0]
    for statement in [narrowed(after, without: [shared]), narrowed(after, readOnly: [shared]), narrowed(after)] {
      try after.log.append(statement)
      #expect(after.membership.validity(of: listed) == .valid)
      #expect(after.membership.validity(of: other) == .notEntitled)
    }
  }

  @Test func `An author keeps what its app lost and regained before its own rights ended`() throws {
    // The app reads the drafts only while its second author is removed.
    let drafts = RevocableVault.groupNames[1]
    var after = vault
    let lost = RevocationStatement.LostGroup(group: vault.drafts, keepsReading: true)
    try after.apply(
      try after.batch(authors: after.writers.map { RevocationStatement.CutAuthor(author: $0.id, groups: [lost]) }))
    let reading = try after.log.append(narrowed(after, readOnly: [drafts]))
    let principal = try after.addPrincipal(of: reading.hash, on: after.log.deviceID)
    let keys = try #require(after.groupKeys[after.drafts])
    let record = after.log.record(keys: keys, author: principal.id, signer: principal.keys.signing)
    #expect(after.membership.validity(of: record) == .notEntitled)
    try after.apply(
      try after.batch(
        authors: [RevocationStatement.CutAuthor(author: principal.id, groups: nil)], records: [record.hash]))
    try after.log.append(narrowed(after))
    #expect(after.membership.validity(of: record) == .notEntitled)
  }

  // MARK: Stated groups

  private static let team = "TEAM"
  private static let own = StatedGroup(name: "TEAM.com.example.new", source: .applicationIdentifier)

  private static func group(_ name: String, _ source: StatedGroup.Source) -> StatedGroup {
    StatedGroup(name: name, source: source)
  }

  @Test(arguments: [
    [own],
    [group("TEAM.com.example.new", .keychainAccessGroups)],
    [group("TEAM.com.example.a", .keychainAccessGroups), group("TEAM.com.example.new", .keychainAccessGroups)],
    [group("TEAM.com.example.a", .keychainAccessGroups), own, group("TEAM.com.example.b", .applicationGroups)],
    [own, group("group.com.example.a", .applicationGroups), group("TEAM.com.example.c", .readOnlyAccessGroups)],
    (1...63).map { group("TEAM.com.example.a\($0)", .keychainAccessGroups) } + [own],
  ])
  func `Groups that a plist expands to are a registration`(groups: [StatedGroup]) throws {
    #expect(refusal(vault.log.app("com.example.new", stating: inTeam(groups)), in: vault) == nil)
    var after = vault
    try after.log.append(vault.log.app("com.example.new", stating: inTeam(groups)))
    let app = try #require(after.membership.apps.values.first { $0.statement.bundleID == "com.example.new" })
    #expect(app.entitlements.stated == inTeam(groups))
    #expect(app.entitlements.defaultGroup.description == inTeam(groups)[0].name)
    for group in app.entitlements.groups {
      #expect(app.entitlements.access(to: group.name) == (group.key == .readOnlyAccessGroups ? .readOnly : .readWrite))
    }
  }

  @Test(arguments: [
    ("no group", []),
    ("not its own", [group("TEAM.com.example.a", .keychainAccessGroups)]),
    ("its own for reading", [group("TEAM.com.example.new", .readOnlyAccessGroups)]),
    ("its own as an application group", [group("TEAM.com.example.new", .applicationGroups)]),
    ("its own twice", [group("TEAM.com.example.new", .keychainAccessGroups), own]),
    ("one twice", [own, own]),
    (
      "one under two sources",
      [group("TEAM.com.example.a", .keychainAccessGroups), own, group("TEAM.com.example.a", .readOnlyAccessGroups)]
    ),
    ("another app's as its own", [group("TEAM.com.example.other", .applicationIdentifier)]),
    ("its own before the others", [own, group("TEAM.com.example.a", .keychainAccessGroups)]),
    (
      "read-only before application groups",
      [own, group("TEAM.com.example.c", .readOnlyAccessGroups), group("TEAM.com.example.b", .applicationGroups)]
    ),
    ("another team's", [group("ABCDE12345.com.example.a", .keychainAccessGroups), own]),
    ("another team's for reading", [own, group("ABCDE12345.com.example.a", .readOnlyAccessGroups)]),
    ("another team's application group", [own, group("ABCDE12345.com.example.a", .applicationGroups)]),
    ("an application group as a keychain group", [group("group.com.example.a", .keychainAccessGroups), own]),
    ("an application group for reading", [own, group("group.com.example.a", .readOnlyAccessGroups)]),
    ("a name that is none", [group("TEAM.com.example.*", .keychainAccessGroups), own]),
    ("65 groups", (1...64).map { group("TEAM.com.example.a\($0)", .keychainAccessGroups) } + [own]),
  ])
  func `Groups that no plist expands to are no registration`(name: String, groups: [StatedGroup]) throws {
    #expect(refusal(vault.log.app("com.example.new", stating: inTeam(groups)), in: vault) == .malformed, "\(name)")
  }

  @Test func `A registration states an application identifier of this team, whatever its plist says`() throws {
    let groups = inTeam([Self.own])
    for identifier in ["ABCDE12345.com.example.new", "com.example.new", "\(vault.membership.team).com.example.other"] {
      let statement = AppStatement(
        applicationID: identifier, bundleID: "com.example.new", sourcePrefix: nil, requiresPassphrase: false,
        groups: groups, entitlements: [])
      #expect(refusal(.app(statement), in: vault) == .malformed)
    }
    let nonsense = vault.log.app("com.example.new", stating: groups, plist: "nonsense")
    #expect(refusal(nonsense, in: vault) == nil)
  }

  /// Returns groups with this vault's team in place of "TEAM".
  private func inTeam(_ groups: [StatedGroup]) -> [StatedGroup] {
    groups.map { group in
      StatedGroup(
        name: group.name.hasPrefix("TEAM.") ? "\(vault.membership.team).\(group.name.dropFirst(5))" : group.name,
        source: group.source)
    }
  }
}
