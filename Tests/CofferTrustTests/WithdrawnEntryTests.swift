import CofferCrypto
import CofferFormat
import CofferTrust
import Testing

/// Entries that were offered to a host, given up, and shown later.
@Suite struct WithdrawnEntryTests {
  /// A log with two admins; its last entry is where the branches begin.
  private var sample = SampleMembership()
  private let second = PartyKeys.random()
  private var shared: [LogEntry] = []

  init() throws {
    shared.append(
      try sample.append(
        .device(
          DeviceStatement(
            keys: PartyKeys.random().publicKeys,
            role: .admin(second.publicKeys, delivery: AgreementKey.random().publicKey), name: "second")),
        by: .root))
  }

  private var secondSigner: LogEntry.Signer { .admin(AuthorID(vault: sample.vault, keys: second.publicKeys)) }

  /// Returns the branch that grows from the shared log by these steps.
  private func branch(_ steps: (inout SampleMembership) throws -> LogEntry...) throws -> (
    entries: [LogEntry], membership: Membership
  ) {
    var copy = sample
    let entries = try steps.map { try $0(&copy) }
    return (entries, copy.membership)
  }

  private func withdraw(_ entries: [LogEntry]) -> Statement {
    .withdrawal(WithdrawalStatement(entries: entries.map(\.hash)))
  }

  /// Returns the branches that a machine sees that has followed `own` and is shown `other`.
  private func branches(
    _ own: (entries: [LogEntry], membership: Membership), _ other: [LogEntry], discarded: Set<EntryHash> = []
  ) -> LogBranches {
    LogBranches(chain: own.membership, entries: shared + own.entries, competingEntries: other, discarded: discarded)
  }

  @Test func `An entry that its signer withdrew is no branch, and the whole log counts`() throws {
    let given = try branch({ try $0.append($0.app("com.example.up")) }).entries
    let without = try branch({ try $0.append($0.app("com.example.kept")) })
    #expect(branches(without, given).fork?.parent == shared.last?.position)
    let kept = try branch(
      { try $0.append($0.app("com.example.kept"), by: secondSigner, key: second.signing) },
      { try $0.append(withdraw(given)) })
    let seen = branches(kept, given)
    #expect(seen.fork == nil && seen.effective.head == kept.membership.head)
    #expect(
      Set(seen.competingEntries.keys) == Set(given.map(\.hash))
        && seen.competingEntries(where: { !$0.counts }) == Set(seen.competingEntries.keys))
  }

  @Test func `Nobody withdraws the entry of another signer`() throws {
    let given = try branch({ try $0.append($0.app("com.example.up")) }).entries
    let kept = try branch({ try $0.append(withdraw(given), by: secondSigner, key: second.signing) })
    #expect(branches(kept, given).fork != nil)
    let byRoot = try branch({ try $0.append(withdraw(given), by: .root) })
    #expect(branches(byRoot, given).fork != nil)
  }

  @Test func `A branch that another admin continued stays a branch, also if its first entry was withdrawn`() throws {
    let other = try branch(
      { try $0.append($0.app("com.example.up")) },
      { try $0.append($0.app("com.example.followed"), by: secondSigner, key: second.signing) }
    ).entries
    let kept = try branch({ try $0.append(withdraw([other[0]])) })
    let seen = branches(kept, other)
    #expect(seen.fork?.heads.last == other[1].position && seen.effective.head == shared.last?.position)
    #expect(seen.competingEntries(where: { !$0.counts }) == [other[0].hash])
  }

  @Test func `What an admin signed whom only a withdrawn entry enrolled is withdrawn with it`() throws {
    let third = PartyKeys.random()
    let signer = LogEntry.Signer.admin(AuthorID(vault: sample.vault, keys: third.publicKeys))
    let enrolment = DeviceStatement(
      keys: PartyKeys.random().publicKeys, role: .admin(third.publicKeys, delivery: AgreementKey.random().publicKey),
      name: "third")
    let other = try branch(
      { try $0.append(.device(enrolment), by: .root) },
      { try $0.append($0.app("com.example.third"), by: signer, key: third.signing) }
    ).entries
    let kept = try branch({ try $0.append(withdraw([other[0]]), by: .root) })
    #expect(branches(kept, other).fork == nil)
    // Without the withdrawal it is a branch like any other.
    let silent = try branch({ try $0.append($0.app("com.example.kept")) })
    #expect(branches(silent, other).fork != nil)
  }

  @Test func `A withdrawn branch hides no second one`() throws {
    let given = try branch({ try $0.append($0.app("com.example.up")) }).entries
    let competing = try branch({ try $0.append($0.app("com.example.rival"), by: secondSigner, key: second.signing) })
      .entries
    let kept = try branch({ try $0.append(withdraw(given)) })
    let seen = branches(kept, given + competing)
    #expect(seen.fork?.heads == [kept.membership.head] + competing.map(\.position))
  }

  @Test func `The machine that gave an entry up takes it for no branch before the log says so`() throws {
    let given = try branch({ try $0.append($0.app("com.example.up")) }).entries
    let kept = try branch({ try $0.append($0.app("com.example.kept")) })
    #expect(branches(kept, given, discarded: Set(given.map(\.hash))).fork == nil)
  }

  @Test func `A machine that followed a withdrawn entry sees the fork, and that its own branch was withdrawn`() throws {
    let given = try branch({ try $0.append($0.app("com.example.up")) })
    let other = try branch({ try $0.append(withdraw(given.entries)) })
    #expect(branches(given, other.entries).fork?.own == .withdrawn)
    let silent = try branch({ try $0.append($0.app("com.example.kept")) })
    #expect(branches(given, silent.entries).fork?.own.counts == true)
    // An entry that this machine's branch has after the withdrawn one was not withdrawn.
    let continued = try branch(
      { try $0.append($0.app("com.example.up")) },
      { try $0.append($0.app("com.example.followed"), by: secondSigner, key: second.signing) })
    let partly = try branch({ try $0.append(withdraw([continued.entries[0]])) })
    #expect(branches(continued, partly.entries).fork?.own.counts == true)
  }

  @Test func `A withdrawal changes nothing in the log that contains it, and any body of it is valid`() throws {
    var log = sample
    let app = try log.append(log.app("com.example.kept"))
    let before = log.membership
    let withdrawal = try log.append(withdraw([app]))
    #expect(!withdrawal.isCritical)
    #expect(log.membership.apps.keys == before.apps.keys)
    var odd = log.membership
    try odd.apply(log.unknownEntry(kind: 14, isCritical: false))
    #expect(odd.apps.keys == before.apps.keys && odd.firstUnknownCritical == nil)
  }
}
