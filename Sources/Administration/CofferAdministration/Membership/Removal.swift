package import Coffer
internal import CofferCrypto
package import CofferFormat
internal import CofferStore
internal import CofferSystem
package import CofferTrust
package import CofferVault

/// Removes machines and apps from a vault, and admins' rights from machines.
package struct Removal: Sendable {
  /// What is removed.
  package enum Subject: Hashable, Sendable {
    /// Machines with everything on them.
    case machines([DeviceID])
    /// The admin of a machine, which stays in the vault as a member, with its apps.
    case admin(DeviceID)
    /// An app on every machine, or on one machine only.
    case app(ApplicationID, on: DeviceID?)
  }

  /// The right to remove something.
  package enum Authority: Sendable {
    /// The owner of this machine, who signs with its admin keys.
    case admin(PassphraseSource)
    /// The holder of the vault key. Only root removes an admin.
    case root(VaultKey)
  }

  private let local: LocalVault
  private let subject: Subject
  private let allowsLogFork: Bool
  private let authorsPerEntry: Int

  /// With `allowingLogFork`, removes although another machine has seen entries of the log that this one lacks. One
  /// entry of the log cuts off `authorsPerEntry` authors.
  package init(
    of subject: Subject, from local: LocalVault, allowingLogFork: Bool = false,
    authorsPerEntry: Int = Limits.authorsPerRevocation
  ) {
    self.subject = subject
    self.local = local
    allowsLogFork = allowingLogFork
    self.authorsPerEntry = authorsPerEntry
  }

  /// Returns what the removal does, by the log as it is here. Throws `invalidArgument` if there is nothing to remove,
  /// or if it may not be.
  package func preview() throws(VaultError) -> RemovalPreview { try preview(in: membership()) }

  private func membership() throws(VaultError) -> Membership {
    try translatingErrors { try local.store.read { try local.branches(in: $0).continued } }
  }

  private func preview(in membership: Membership) throws(VaultError) -> RemovalPreview {
    let authors = try authors(in: membership)
    let delivered = delivered(in: membership)
    let groups = membership.groupsToRenew(afterCutting: authors.map { .init(author: $0.id, groups: nil) })
    // Items that were not synced could be read by what is removed on this machine, and by nobody else.
    let own = local.machine(in: membership)?.id
    let isHere = authors.contains { $0.device == own }
    let (items, records, claims) = try translatingErrors {
      try local.store.read { reader in
        (
          try groups.reduce(0) {
            try $0 + (isHere ? reader.itemCount(in: $1.id) : reader.syncedItemCount(in: $1.id))
          },
          try authors.reduce(0) { try $0 + reader.validRecords(by: $1.id).count },
          try LogClaims.load(from: reader).open.filter { !machines.contains($0.device) }
        )
      }
    }
    return RemovalPreview(
      machines: machines.compactMap { membership.devices[$0] }
        .map(RemovalPreview.Machine.init).sorted(),
      formerAdmin: formerAdmin(in: membership),
      apps: Set(authors.filter { !delivered.contains($0.id) }.compactMap(\.application?.description)).sorted(),
      deliveredApps: deliveredApps(of: delivered, in: membership),
      enrolledMachines: enrolledMachines(in: membership).map(RemovalPreview.Machine.init).sorted(),
      groups: groups.map(\.name.description).sorted(), itemCount: items, recordCount: records,
      scope: scope(of: authors, in: membership), needsVaultKey: authors.contains(where: \.isAdmin),
      claims: claims.map { $0.words(in: membership) })
  }

  /// Throws `invalidArgument` if the removal does more than what was confirmed.
  private func check(_ accepted: RemovalPreview?, in membership: Membership) throws(VaultError) {
    guard let accepted else { return }
    let more = try preview(in: membership).words(beyond: accepted)
    guard more.isEmpty else {
      throw VaultError(
        .invalidArgument,
        "other machines changed the vault since this was shown: it would also \(more.joined(separator: ", and "))",
        recoverySuggestion: "run the command again to see everything that it does, or add --yes; nothing was changed")
    }
  }

  /// Appends the revocation and the new keys to the log, all or nothing. Call it again if it was not published, because
  /// another machine's entries or further records came first.
  ///
  /// `accepted` is what somebody has confirmed at once, nil for anything: more throws `invalidArgument`. `scope` is the
  /// ``RemovalPreview/scope`` that somebody has confirmed in another request, nil for any: another one by now throws
  /// `itemChanged`. With `despiteNewRecords`, records that arrive before the push are refused instead of preventing it:
  /// whoever is removed could otherwise write until it is given up. Throws `notEntitled` if only root may do it.
  package func run(
    as authority: Authority, accepting accepted: RemovalPreview? = nil, confirming scope: String? = nil,
    despiteNewRecords: Bool = false
  ) throws(VaultError) -> LogPosition? {
    // Before a passphrase is asked for.
    try check(accepted, in: membership())
    let session = try session(for: authority)
    let device = try local.deviceFile()
    return try translatingErrors {
      try session.change(
        allowingLogFork: allowsLogFork, removing: Set(machines), despiteNewRecords: despiteNewRecords
      ) { draft in
        let membership = draft.membership
        try check(accepted, in: membership)
        let authors = try authors(in: membership)
        guard scope.map({ $0 == self.scope(of: authors, in: membership) }) ?? true else {
          throw RemovalPreview.changed
        }
        if session.id != .root, authors.contains(where: \.isAdmin) {
          throw VaultError(
            .notEntitled, "only the vault key removes an admin's machine from the vault",
            recoverySuggestion:
              "give the vault key: a machine that was stolen must not be able to do this to the others")
        }
        let cut = Set(authors.map(\.id))
        let (records, ends) = try local.store.read { reader in
          let records = try reader.countedRecords(of: cut)
          let kept = Set(records.map(\.hash))
          let ends = try reader.lastSegments(
            of: machines, keeping: { !cut.contains($0.header.author) || kept.contains($0.hash) }, openedBy: device)
          return (Dictionary(grouping: records, by: \.author), ends)
        }
        // A machine's admin can give it any number of authors, and an entry has space for some: several revocations,
        // all or none of which reach the remote, end with the one that names the machines.
        var remaining = authors[...]
        repeat {
          let part = remaining.prefix(authorsPerEntry)
          remaining = remaining.dropFirst(authorsPerEntry)
          var rights = RevokedRights(authors: part.map { RevocationStatement.CutAuthor(author: $0.id, groups: nil) })
          if remaining.isEmpty {
            rights.machines = ends
            if case .app(let id, nil) = subject, let app = membership.apps[id] { rights.apps = [app.registration] }
          }
          try draft.revoke(
            rights, keeping: part.flatMap { records[$0.id] ?? [] }.map(\.hash), by: session.signer, keys: session.keys)
        } while !remaining.isEmpty
      }
    }.position
  }

  /// Returns what identifies the machines, authors and groups of the removal. Numbers of items and records are left
  /// out: a machine that goes on writing could otherwise keep its owner from removing it.
  private func scope(of authors: [Author], in membership: Membership) -> String {
    let groups = membership.groupsToRenew(afterCutting: authors.map { .init(author: $0.id, groups: nil) })
    // An app that is on one machine only stays registered if it is removed there.
    let registered: [String] = if case .app(let id, nil) = subject { [id.description] } else { [] }
    let parts = [
      machines.sorted().map(\.description), registered, authors.map(\.id.description), groups.map(\.name.description),
      enrolledMachines(in: membership).map(\.id.description).sorted(),
    ]
    let text = parts.map { $0.joined(separator: " ") }.joined(separator: "\n")
    return Hash.digest(Array(text.utf8), domain: .removalScope).hex
  }

  private func session(for authority: Authority) throws(VaultError) -> AdminSession {
    switch authority {
    case .admin(let passphrase):
      try AdminSession.open(
        local, allowingLogFork: allowsLogFork, removing: Set(machines), passphrase: passphrase)
    case .root(let vaultKey): try AdminSession.openRoot(local, vaultKey: vaultKey)
    }
  }

  private var machines: [DeviceID] { if case .machines(let machines) = subject { machines } else { [] } }

  /// The machines whose admins, present and former ones, lose what they have made on other machines.
  private var makers: [DeviceID] { if case .admin(let machine) = subject { [machine] } else { machines } }

  private func admins(in membership: Membership) -> Set<AuthorID> {
    makers.reduce(into: []) { $0.formUnion(membership.allAdmins(on: $1)) }
  }

  /// The authors on machines that stay whose keys an admin knows who is removed: it could go on with them.
  private func delivered(in membership: Membership) -> Set<AuthorID> {
    membership.holders(madeBy: admins(in: membership)).filter { author in
      membership.authors[author].map { !machines.contains($0.device) } ?? false
    }
  }

  private func deliveredApps(
    of authors: Set<AuthorID>, in membership: Membership
  ) -> [RemovalPreview.DeliveredApp] {
    let apps = authors.compactMap { membership.authors[$0] }.compactMap { author -> RemovalPreview.DeliveredApp? in
      guard let app = author.application, let device = membership.devices[author.device] else { return nil }
      return RemovalPreview.DeliveredApp(
        app: app.description, machine: RemovalPreview.Machine(device),
        isReadOnly: device.isReadOnly)
    }
    return Set(apps).sorted { ($0.app, $0.machine) < ($1.app, $1.machine) }
  }

  /// The machines that an admin enrolled who is removed, and that stay.
  private func enrolledMachines(in membership: Membership) -> [Device] {
    membership.members(enrolledBy: admins(in: membership)).filter { !machines.contains($0.id) }
  }

  /// The machine that is an admin no more, and the apps that it keeps; nil unless an admin is removed.
  private func formerAdmin(in membership: Membership) -> RemovalPreview.FormerAdmin? {
    guard case .admin(let machine) = subject, let device = membership.devices[machine] else { return nil }
    let apps = membership.holders(on: machine).compactMap { membership.authors[$0]?.application?.description }
    return RemovalPreview.FormerAdmin(machine: RemovalPreview.Machine(device), apps: Set(apps).sorted())
  }

  /// Throws `invalidArgument` if no admin would be left.
  private func checkLeavesAdmin(_ machines: [DeviceID], in membership: Membership) throws(VaultError) {
    let admins = Set(membership.adminMachines.map(\.id))
    guard admins.isSubset(of: machines), let last = admins.first else { return }
    throw VaultError(
      .invalidArgument,
      admins.count == 1
        ? "\(membership.name(of: last)) is the vault's only admin" : "these machines are all admins of the vault",
      recoverySuggestion:
        "make another machine an admin first, with the vault key: coffer admin add NAME, or coffer clone URL on a new one"
    )
  }

  /// Throws `notEntitled` if one of the machines has begun the present epoch, and this machine is not an admin's, or is
  /// itself removed. It could not sign the beginning again, and machines that were away, or are new, could not follow.
  private func checkEpochContinues(without machines: [DeviceID], in membership: Membership) throws(VaultError) {
    guard let own = local.machine(in: membership), !own.isAdmin || machines.contains(own.id) else { return }
    let device = try local.deviceFile()
    let file = try translatingErrors { try local.store.read { try $0.setting(.epochOpening) } }
    guard let envelope = file.flatMap({ try? Envelope(bytes: $0) }), let key = device.transportKey(envelope.generation),
      let opening = try? Closing(bytes: envelope.open(with: key.key)), machines.contains(opening.device)
    else { return }
    let advice =
      own.isAdmin
      ? ""
      : ", or make this one an admin's first, with the vault key: coffer admin add \(own.name.shellWord) && coffer sync"
    throw VaultError(
      .notEntitled,
      "\(membership.name(of: opening.device)) has begun this epoch of the vault, and only an admin's machine can sign its beginning again",
      recoverySuggestion: "do this on \(own.isAdmin ? "another" : "an") admin's machine" + advice)
  }

  /// Returns the authors who lose everything.
  private func authors(in membership: Membership) throws(VaultError) -> [Author] {
    var holders: Set<AuthorID> = []
    switch subject {
    case .machines(let machines):
      let own = local.machine(in: membership)?.id
      for machine in machines {
        guard try membership.memberMachine(machine).id != own else {
          throw VaultError(
            .invalidArgument, "\(membership.name(of: machine)) is this machine, and cannot remove itself",
            recoverySuggestion: membership.devices.count > 1
              ? "do this on another machine"
              : "it is the only one: to give up the vault, delete the folder \(local.folder.path) and the repository at the git host, if it has one"
          )
        }
        holders.formUnion(membership.holders(on: machine))
      }
      try checkLeavesAdmin(machines, in: membership)
      try checkEpochContinues(without: machines, in: membership)
    case .admin(let machine):
      guard let admin = try membership.memberMachine(machine).admin else {
        throw VaultError(
          .invalidArgument, "\(membership.name(of: machine)) is not an admin",
          recoverySuggestion: "nothing was changed; see: coffer admin list")
      }
      try checkLeavesAdmin([machine], in: membership)
      try checkEpochContinues(without: [machine], in: membership)
      holders = [admin]
    case .app(let application, let machine):
      guard membership.apps[application] != nil else {
        throw membership.removalError(ofAppNamed: application.description)
          ?? VaultError(
            .invalidArgument, "\(application) is not registered in this vault",
            recoverySuggestion: "see the registered apps with: coffer app list")
      }
      holders = membership.holders(of: application)
      if let machine {
        holders = holders.filter { membership.authors[$0]?.device == machine }
        guard !holders.isEmpty else {
          throw VaultError(
            .invalidArgument, "\(application) has no credential on \(membership.name(of: machine))",
            recoverySuggestion: "see where it has one with: coffer app show \(application)")
        }
      }
    }
    holders.formUnion(delivered(in: membership))
    return holders.sorted().compactMap { membership.authors[$0] }
  }
}

extension RemovalPreview.Machine {
  fileprivate init(_ device: Device) { self.init(id: device.id.description, name: device.name) }
}

extension Domain {
  fileprivate static let removalScope = Domain("coffer.removal.1")
}

/// What removing machines or an app from a vault does.
package struct RemovalPreview: Hashable, Sendable {
  /// A machine that is removed, or whose admin is removed.
  package struct Machine: Hashable, Comparable, Sendable {
    /// The machine's identifier, in hexadecimal.
    package let id: String
    package let name: String

    package static func < (left: Machine, right: Machine) -> Bool {
      (left.name, left.id) < (right.name, right.id)
    }
  }

  /// An app on a machine that stays, whose keys an admin has made who is removed.
  package struct DeliveredApp: Hashable, Sendable {
    /// The app's identifier.
    package let app: String
    package let machine: Machine
    /// Whether the machine only reads: its keys are in a headless credential.
    let isReadOnly: Bool
  }

  /// A machine that stays in the vault as a member.
  package struct FormerAdmin: Hashable, Sendable {
    package let machine: Machine
    /// The identifiers of the apps that it keeps.
    package let apps: [String]
  }

  /// The machines that are removed, in ascending order of name.
  package let machines: [Machine]
  /// The machine whose admin is removed; nil if none is.
  package let formerAdmin: FormerAdmin?
  /// The identifiers of the apps that lose their rights there.
  package let apps: [String]
  /// The apps on machines that stay whose keys an admin has made who is removed. They lose their rights there: it could
  /// go on reading and writing as them.
  package let deliveredApps: [DeliveredApp]
  /// The machines that such an admin has enrolled, and that stay.
  package let enrolledMachines: [Machine]
  /// The full names of the access groups that get new keys.
  package let groups: [String]
  /// The number of items in these groups, whose values may be known.
  package let itemCount: Int
  /// The number of records by these machines and apps, which stay valid.
  package let recordCount: Int
  /// What identifies the machines, authors and groups, for ``Removal/run(as:confirming:)``.
  package let scope: String
  /// Whether the vault key is needed, because an admin is removed.
  package let needsVaultKey: Bool
  /// What other machines have seen of the log and this one has not, as clauses whose subject is the remote.
  package let claims: [String]

  /// What this removal does and another one does not, as verb phrases. The numbers of items and records, which change
  /// all the time, are not compared.
  func words(beyond other: RemovalPreview) -> [String] {
    var words: [String] = []
    func compare<Part: Hashable>(
      _ own: [Part], _ others: [Part], _ name: (Part) -> String, _ phrase: (String) -> String
    ) {
      let more = Set(own).subtracting(others)
      if !more.isEmpty { words.append(phrase(own.filter(more.contains).map(name).joined(separator: ", "))) }
    }
    compare(apps, other.apps, \.self) { "end the rights of \($0)" }
    compare(deliveredApps, other.deliveredApps, \.words) { "end the rights of \($0)" }
    compare(groups, other.groups, \.self) { "replace the keys of \($0)" }
    compare(enrolledMachines, other.enrolledMachines, \.words) { "leave \($0), which the removed admin enrolled" }
    if needsVaultKey && !other.needsVaultKey { words.append("remove an admin") }
    return words
  }

  /// The error for a removal whose preview has another scope by now than the one that was confirmed.
  package static let changed = VaultError(
    .itemChanged, "the vault has changed since this was shown; nothing was removed",
    recoverySuggestion: "look at what is removed, and confirm it again")
}

extension RemovalPreview.Machine {
  /// The name, safe to show.
  package var words: String { name.sanitizedForTerminal() }
}

extension RemovalPreview.DeliveredApp {
  /// The app and the machine, safe to show.
  package var words: String { "\(app) on \(machine.words)" }

  /// How to give the app to the machine again, as an instruction.
  package var advice: String {
    guard !isReadOnly else { return "make another credential on an admin: coffer device create" }
    let command = "coffer app install \(app)"
    return "run on an admin: \(command) --on \(machine.name.shellWord); then on \(machine.words): \(command)"
  }
}
