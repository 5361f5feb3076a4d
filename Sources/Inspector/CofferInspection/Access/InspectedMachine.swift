package import CofferAdministration
internal import CofferFormat
package import CofferPlatform
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// A machine that is enrolled, or that was removed from the vault, with what its keys open and what is known of it.
@dynamicMemberLookup
package struct InspectedMachine: Hashable, Sendable {
  /// The last thing that this machine has seen of a machine.
  package struct SignOfLife: Hashable, Sendable {
    /// By the clock of the machine that did it.
    package let time: Date
    /// What the machine did, as a clause: "the owner signed entry 12 of the membership log".
    package let what: String
  }

  /// An app on the machine.
  package struct InstalledApp: Hashable, Sendable {
    package let id: String
    package let bundleID: String
    /// When the app wrote on the machine last, as far as this machine has seen it.
    package let lastWrite: Date?
  }

  /// What the machine's keys open, and what a revocation of the machine would therefore touch.
  package struct Reach: Hashable, Sendable {
    /// Whether the machine is an admin, whose keys open every group and may change the membership.
    package let isAdmin: Bool
    /// The names of the groups whose keys it can open.
    package let groups: [String]
    /// The identifiers of the apps that have keys on it.
    package let apps: [String]
    /// The number of items in these groups.
    package let itemCount: Int

    /// What the machine can read, and what a revocation would not undo, as sentences.
    package var sentences: [String] {
      let what =
        "Its keys open \(counted(groups.count, "access group")) with \(counted(itemCount, "item")), for \(counted(apps.count, "app"))"
      return [
        isAdmin
          ? "\(what) and for the owner, who reads and writes every group and may change the membership." : "\(what).",
        groups.isEmpty
          ? "Nothing would have to be sealed anew."
          : "After a revocation, \(groups.count == 1 ? "this group needs a new key" : "these groups need new keys"), and whatever the machine has read must be replaced: it may have kept copies.",
      ]
    }
  }

  /// Whether the machine has shown, by what it sent to the remote, that it knows the last removal from the vault.
  package struct Confirmation: Hashable, Sendable {
    /// The last removal.
    package let revocation: InspectedRevocation
    /// If not, what the machine writes may still be sealed under keys that somebody has who was removed.
    package let isGiven: Bool
  }

  package subscript<Value>(dynamicMember member: KeyPath<VaultMachine, Value>) -> Value { machine[keyPath: member] }

  /// What its role allows, as a noun phrase.
  package var role: String {
    if let expires = machine.expires {
      let time = expires.localText
      return "headless credential: it only reads, and "
        + (machine.isExpired ? "expired on \(time)" : "expires on \(time)")
    }
    return machine.isAdmin
      ? "admin: its owner may change the membership" : "member: it has the apps that an admin gives to it"
  }

  /// What commands show of it too.
  package let machine: VaultMachine
  /// The number of the log entry that enrolled it; 0 for a first machine that only the genesis names.
  package let enrolmentEntry: UInt64
  /// Who signed this entry.
  package let enrolledBy: String
  /// Nil if this machine has seen nothing of it since its enrolment.
  package let lastSign: SignOfLife?
  /// The number of records that it has written, with superseded versions.
  package let recordCount: Int
  package let apps: [InstalledApp]
  package let reach: Reach
  /// When and by whom the machine was removed from the vault; nil for a machine that is in it.
  package let revocation: InspectedRevocation?
  /// Nil if nothing was removed, for this machine, and for one that writes nothing or was itself removed.
  package let confirmation: Confirmation?

  init(_ machine: Device, in facts: AccessFacts) {
    revocation = machine.revocation.flatMap { facts.revocation(at: $0) }
    confirmation = facts.confirmation(of: machine)
    let enrolment = facts.log.enrolments[machine.id]
    enrolmentEntry = enrolment?.sequence ?? 0
    enrolledBy = enrolment.map { facts.log.signer(of: $0) } ?? LogIndex.vaultKey
    let authors = facts.membership.authors.values.filter { $0.device == machine.id }
    recordCount = authors.reduce(0) { $0 + (facts.activity[$1.id]?.recordCount ?? 0) }
    let lastSign = Self.lastSign(of: machine, authors, in: facts)
    self.lastSign = lastSign
    self.machine = VaultMachine(
      machine, in: facts.membership, isThisMachine: machine.id == facts.own, lastWrite: lastSign?.time)
    apps = facts.sortedApps.compactMap { app in
      guard let principals = facts.principals[PrincipalPlace(app: app.id, machine: machine.id)] else { return nil }
      return InstalledApp(
        id: app.id.description, bundleID: app.id.bundleID.description,
        lastWrite: principals.compactMap { facts.activity[$0.id]?.last }.max()?.date)
    }
    let groups = facts.sortedGroups.filter { group in authors.contains { facts.hasKey($0.id, of: group) } }
    reach = Reach(
      isAdmin: machine.isAdmin, groups: groups.map(\.name.description), apps: apps.map(\.id),
      itemCount: groups.reduce(0) { $0 + facts.itemCount(in: $1.id) })
  }

  private static func lastSign(of machine: Device, _ authors: [Author], in facts: AccessFacts) -> SignOfLife? {
    var signs: [(time: Timestamp, what: String)] = []
    let records = authors.compactMap { facts.activity[$0.id] }.max { ($0.last, $0.author) < ($1.last, $1.author) }
    if let records {
      let writer =
        switch facts.membership.authors[records.author]?.role {
        case .principal(let app, _, _): app.bundleID.description
        case .admin, nil: "the owner"
        }
      let group = facts.membership.groups[records.group]?.name.description ?? "an access group"
      signs.append((records.last, "\(writer) \(records.isDeletion ? "deleted an item from" : "wrote") \(group)"))
    }
    // Also what it signed as an admin, if it is none any more.
    if let entry = facts.log.entries.last(where: { facts.log.signingMachine(of: $0.entry) == machine.id })?.entry {
      signs.append((entry.time, "the owner signed entry \(entry.sequence) of the membership log"))
    }
    return signs.max { $0.time < $1.time }.map { SignOfLife(time: $0.time.date, what: $0.what) }
  }
}

extension AccessFacts {
  /// The machines in the order in which they were enrolled.
  package var machines: [InspectedMachine] { sortedMachines.map { InspectedMachine($0, in: self) } }

  /// The machines that were removed from the vault, the last one first.
  package var removedMachines: [InspectedMachine] {
    membership.devices.values.filter { $0.revocation != nil }.map { InspectedMachine($0, in: self) }
      .sorted { ($0.revocation?.entry ?? 0, $0.id) > ($1.revocation?.entry ?? 0, $1.id) }
  }

  /// Returns a machine by its identifier, also one that was removed; nil if the log does not contain it.
  package func machine(_ id: String) -> InspectedMachine? {
    membership.devices.values.first { $0.id.description == id }.map { InspectedMachine($0, in: self) }
  }
}

/// When and by whom something was removed from the vault.
package struct InspectedRevocation: Hashable, Sendable {
  /// The number of the log entry.
  package let entry: UInt64
  /// By the signer's clock.
  package let time: Date
  /// Who signed it: "the owner on laptop", or "the vault key".
  package let signer: String
}

extension AccessFacts {
  /// Describes a revocation of the log.
  func describe(_ revocation: Revocation) -> InspectedRevocation {
    let entry = revocation.position.sequence
    let signed = log.entries.last { $0.entry.sequence == entry }
    return InspectedRevocation(
      entry: entry, time: revocation.time.date,
      signer: signed.map { log.signer(of: $0.entry) } ?? membership.name(of: revocation.signer))
  }

  /// Returns whether a machine knows the last revocation; nil for one of which nobody waits for it.
  func confirmation(of machine: Device) -> InspectedMachine.Confirmation? {
    guard let lastRevocation, machine.id != own, machine.revocation == nil, !machine.isReadOnly else { return nil }
    return InspectedMachine.Confirmation(
      revocation: describe(lastRevocation.revocation), isGiven: !lastRevocation.unconfirmed.contains(machine.id))
  }

  /// Describes the revocation at a position of the log; nil if there is none.
  func revocation(at position: LogPosition) -> InspectedRevocation? {
    membership.revocations.first { $0.position == position }.map(describe)
  }
}

extension VaultMachine {
  /// Returns for how many days the machine has given no sign of life, from 30 on: it may be lost, or its syncs may
  /// fail. Returns nil for this machine, and for a headless credential, which gives none. The last sign is by the
  /// machine's own clock.
  package func silentDays(asOf now: Date) -> Int? {
    guard !isThisMachine, expires == nil, revoked == nil else { return nil }
    let seconds = now.timeIntervalSince(max(lastWrite ?? enrolled, enrolled))
    // The clock of the other machine may be far ahead.
    guard seconds >= 30 * 86_400, seconds < 1e12 else { return nil }
    return Int(seconds / 86_400)
  }
}
