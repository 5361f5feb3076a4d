import CofferCrypto
import CofferFormat
import CofferFormatSamples
import CofferFuzzing
import CofferKeys
import CofferTrust

/// The folds of the log in the store. Other programs of the same user can write them, and their proof is checked before
/// they are read: this shows that a faulty check would still end no program.
enum FoldTarget {
  private static let program = "1"

  /// What follows the genesis' hash.
  static let fold = FuzzTarget(
    "fold", maximumByteCount: 4096,
    seeds: {
      let samples = try SampleObjects()
      return try [Membership(genesis: samples.genesis), membership(samples)].compactMap { membership in
        FoldCoder.encode(membership, by: program).map { Array($0.dropFirst(headerByteCount)) }
      }
    },
    check: { input in
      let genesis = try SampleObjects().genesis
      guard let header = FoldCoder.encode(Membership(genesis: genesis), by: program)?.prefix(headerByteCount),
        let read = try? FoldCoder.decode(header + input, by: program, of: genesis)
      else { return }
      for group in read.groups.values { _ = read.recipients(of: group.name, at: genesis.created) }
      let written = FoldCoder.encode(read, by: program)
      try require(written != nil, "a fold that was read cannot be written")
      let again = try FoldCoder.decode(written ?? [], by: program, of: genesis)
      try require(FoldCoder.encode(again, by: program) == written, "a fold is read as another one")
    })

  /// Kind and version, the program, the kinds of statements, and the hash of the genesis.
  private static let headerByteCount = 5 + 4 + program.utf8.count + 4 + 2 * Statement.Kind.allCases.count + 32

  /// A fold with an app on the first machine, a member, a group, a revocation, a dismissal and a withdrawal.
  private static func membership(_ samples: SampleObjects) throws -> Membership {
    var membership = Membership(genesis: samples.genesis)
    let team = membership.team.description
    @discardableResult func apply(_ statement: Statement, byRoot: Bool = false) throws -> LogEntry {
      let entry = LogEntry(
        vault: samples.vault, after: membership.head, time: samples.time,
        signer: byRoot ? .root : .admin(samples.adminID),
        key: byRoot ? samples.root.signing : samples.admin.signing, statement: statement)
      try membership.apply(entry)
      return entry
    }
    try apply(
      .transportKey(
        TransportKeyStatement(generation: 1, commitment: samples.transport.commitment, wrappedPrevious: [], boxes: [])),
      byRoot: true)
    try apply(
      .device(
        DeviceStatement(
          keys: samples.principal.publicKeys, adminKeys: nil, deliveryKey: samples.delivery.publicKey, name: "member")))
    let groups = [
      StatedGroup(name: "\(team).com.example.one", source: .keychainAccessGroups),
      StatedGroup(name: "\(team).com.example.photo", source: .applicationIdentifier),
    ]
    let app = try apply(
      .app(
        AppStatement(
          applicationID: "\(team).com.example.photo", bundleID: "com.example.photo", sourcePrefix: nil,
          requiresPassphrase: false, groups: groups, entitlements: [])))
    try apply(
      .principal(PrincipalStatement(app: app.hash, device: samples.deviceID, keys: samples.principal.publicKeys)))
    let name = "\(team).com.example.one"
    let boxes = [(AuthorID.root, samples.root), (samples.author, samples.principal)].map { recipient, keys in
      AddressedBox(recipient: recipient, box: keys.publicKeys.box.sealOrDecoy(samples.groupKeys.secret))
    }
    try apply(
      .groupKey(
        GroupKeyStatement(
          name: name, generation: 1, commitment: samples.groupKeys.commitment, wrappedPrevious: [], boxes: boxes)))
    let lost = RevocationStatement.LostGroup(
      group: GroupID(vault: samples.vault, name: name), keepsReading: true)
    let revocation = try apply(
      .revocation(
        RevocationStatement(
          machines: [], apps: [], authors: [.init(author: samples.author, groups: [lost])], recordCount: 0,
          recordLists: [], followingEntries: 0, keys: [])))
    let item = ItemAddress(group: lost.group, item: ItemID(.zero))
    try apply(.dismissal(DismissalStatement(of: [item], after: revocation.hash, reason: "closed")))
    try apply(.withdrawal(WithdrawalStatement(entries: [revocation.hash])))
    return membership
  }
}
