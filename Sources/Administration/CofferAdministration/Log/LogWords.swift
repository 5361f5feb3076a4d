internal import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// The words for entries of one log.
struct LogWords {
  let index: LogIndex
  let team: TeamID

  func line(of entry: LogIndex.Entry, isAfterFork: Bool) -> LogLine {
    let (action, details) = words(for: entry)
    let signed = entry.entry
    return LogLine(
      number: signed.sequence, time: signed.time.date, kind: LogLine.Kind(entry.statement),
      signer: index.signer(of: signed), signerMachine: index.signerMachine(of: signed),
      signerMachineID: index.signingMachine(of: signed)?.description, action: action,
      hash: hexadecimal(signed.hash.raw.bytes), phrase: signed.position.phrase, isPublished: entry.isPublished,
      isAfterFork: isAfterFork, details: details)
  }

  private typealias Words = (action: String, details: [LogLine.Detail])

  private func words(for entry: LogIndex.Entry) -> Words {
    switch entry.statement {
    case .transportKey(let statement): words(for: statement)
    case .device(let statement): words(for: statement, entry.entry)
    case .appointment(let statement): words(for: statement, entry.entry)
    case .app(let statement): words(for: statement, entry.entry)
    case .principal(let statement): words(for: statement, entry.entry)
    case .groupKey(let statement): words(for: statement)
    case .groupKeyRenewal(let statement): words(for: statement)
    case .grant(let statement): words(for: statement)
    case .revocation(let statement): words(for: statement)
    case .succession(let statement): words(for: statement)
    case .resolution(let statement): words(for: statement)
    case .withdrawal(let statement): words(for: statement)
    case .dismissal(let statement): words(for: statement)
    case .deviceName(let statement): words(for: statement, entry.entry)
    case .groupRequirement(let statement): words(for: statement)
    case nil: unknown(entry.entry)
    }
  }

  private func words(for statement: TransportKeyStatement) -> Words {
    (
      statement.generation == 1
        ? "created the transport key, which seals everything that machines send to the remote"
        : "replaced the transport key, which seals everything that machines send to the remote",
      [detail("Generation", "\(statement.generation)")]
    )
  }

  private func words(for statement: DeviceStatement, _ entry: LogEntry) -> Words {
    let name = statement.name.sanitizedForTerminal()
    let machine = detail("Machine", DeviceID(vault: entry.vault, keys: statement.keys).description)
    return switch statement.role {
    case .member: ("enrolled the machine \(name) as a member", [machine, detail("Role", "a member")])
    case .admin: ("enrolled the machine \(name) as an admin", [machine, detail("Role", "an admin")])
    case .invited(let invitation, _):
      (
        "enrolled the machine \(name) as a member, by invitation",
        [machine, detail("Role", "a member"), detail("Invitation", invitation.description)]
      )
    case .readOnly(let expires):
      (
        "created the headless credential \(name), which only reads",
        [machine, detail("Role", "read-only"), detail("Expires", expires.date.localText)]
      )
    }
  }

  private func words(for statement: DeviceNameStatement, _ entry: LogEntry) -> Words {
    let name = statement.name.sanitizedForTerminal()
    let machine = detail("Machine", statement.device.description)
    guard let former = index.formerNames[entry.hash] else {
      let present = index.machines[statement.device].map { "the machine \($0)" } ?? "an unknown machine"
      return (
        "gave \(present) the name \(name), without effect: it was removed before, or another machine had the name",
        [machine]
      )
    }
    return ("renamed the machine \(former) to \(name)", [machine, detail("Former name", former)])
  }

  private func words(for statement: AppointmentStatement, _ entry: LogEntry) -> Words {
    (
      "made the machine \(index.machines[statement.device] ?? "that is unknown") an admin",
      [
        detail("Machine", statement.device.description), detail("Role", "an admin"),
        detail("Admin", AuthorID(vault: entry.vault, keys: statement.adminKeys).description),
      ]
    )
  }

  private func words(for statement: AppStatement, _ entry: LogEntry) -> Words {
    let rights = try? statement.entitlements(team: team)
    let earlier = index.registration(of: statement.applicationID, before: entry.sequence)
    let earlierRights = try? earlier?.entitlements(team: team)
    let added = (rights?.groups ?? []).filter { earlierRights?.access(to: $0.name) != $0.access }
    let name = short(statement.applicationID)
    var details = [detail("App", statement.applicationID)]
    details += (rights?.groups ?? []).map {
      detail($0.access == .readWrite ? "Reads and writes" : "Reads", $0.name.description)
    }
    details.append(
      detail("Credential", statement.requiresPassphrase ? "sealed under each machine's passphrase" : "an open file"))
    if let prefix = statement.sourcePrefix { details.append(detail("Prefix read as the vault's", prefix)) }
    guard let earlier else {
      return (
        "registered the app \(name) with \(counted(rights?.groups.count ?? 0, "access group"))", details
      )
    }
    var changes: [String] = []
    if !added.isEmpty { changes.append("it gains " + list(added.map { short($0.name.description) })) }
    if earlier.requiresPassphrase != statement.requiresPassphrase {
      changes.append(
        statement.requiresPassphrase ? "it needs the passphrase now" : "it no longer needs the passphrase")
    }
    let change = changes.isEmpty ? "" : ": " + changes.joined(separator: ", and ")
    return ("changed the registration of the app \(name)\(change)", details)
  }

  private func words(for statement: PrincipalStatement, _ entry: LogEntry) -> Words {
    let app = index.registrations[statement.app]?.applicationID
    let machine = index.machines[statement.device] ?? "an unknown machine"
    let isRenewed = app.map { index.hasKeys($0, on: statement.device, before: entry.sequence) } ?? false
    let keys = isRenewed ? "new keys" : "keys"
    return (
      "gave the app \(app.map(short) ?? "of an unknown registration") \(keys) on \(machine)",
      [
        detail("App", app ?? "unknown"), detail("Machine", machine),
        detail("Principal", AuthorID(vault: entry.vault, keys: statement.keys).description),
        detail(
          "Keys", statement.delivery == nil ? "made on the machine" : "made by the signer and sealed to the machine"),
      ]
    )
  }

  private func words(for statement: GroupKeyStatement) -> Words {
    (
      "created the access group \(short(statement.name)) and sealed its key to \(counted(statement.boxes.count, "recipient"))",
      [detail("Access group", statement.name), detail("Generation of the key", "1")] + recipients(statement.boxes)
    )
  }

  private func words(for statement: GroupKeyRenewalStatement) -> Words {
    let name = index.groups[statement.group]
    return (
      "replaced the key of the access group \(name.map(short) ?? "that is unknown") and sealed it to \(counted(statement.boxes.count, "recipient"))",
      [
        detail("Access group", name ?? statement.group.description),
        detail("Generation of the key", "\(statement.generation)"),
      ] + recipients(statement.boxes)
    )
  }

  private func words(for statement: GroupRequirementStatement) -> Words {
    let name = index.groups[statement.group]
    let group = "the access group \(name.map(short) ?? "that is unknown")"
    let action =
      switch statement.requirement {
      case .none: "lets machines give the keys of \(group) to apps without a requirement"
      case .lease: "demands that a person agrees before a program reads \(group)"
      case .strong:
        "demands that machines give the keys of \(group) only to apps that are installed with a credential of their own"
      }
    return (
      action,
      [
        detail("Access group", name ?? statement.group.description),
        detail("Requirement", statement.requirement.name),
      ]
    )
  }

  private func words(for statement: RevocationStatement) -> Words {
    let machines = statement.machines.map { index.machines[$0.device] ?? "an unknown machine" }
    let apps = statement.apps.map { index.registrations[$0].map { short($0.applicationID) } ?? "an unknown app" }
    var details = machines.map { detail("Machine", $0) } + apps.map { detail("App", $0) }
    for cut in statement.authors {
      let groups = (cut.groups ?? []).map { lost in
        (index.groups[lost.group].map(short) ?? lost.group.description) + (lost.keepsReading ? " (writing)" : "")
      }
      details.append(
        detail(groups.isEmpty ? "Loses everything" : "Loses \(groups.joined(separator: ", "))", name(of: cut.author)))
    }
    details.append(detail("Records that stay valid", "\(statement.recordCount)"))
    let subjects = machines.map { "the machine \($0)" } + apps.map { "the app \($0)" }
    if !subjects.isEmpty { return ("removed \(list(subjects)) from the vault", details) }
    let admins = statement.authors.compactMap { index.admins[$0.author] }
    // Its owner loses everything, and the machine stays.
    if admins.count == statement.authors.count {
      return ("made \(list(admins.map { "the machine \(index.machines[$0] ?? "that is unknown")" })) a member", details)
    }
    let authors = Set(statement.authors.map { name(of: $0.author) }).sorted()
    return ("took rights from \(list(authors))", details)
  }

  private func words(for statement: GrantStatement) -> Words {
    let name = index.groups[statement.group]
    return (
      "sealed the key of the access group \(name.map(short) ?? "that is unknown") to \(counted(statement.boxes.count, "more recipient"))",
      [
        detail("Access group", name ?? statement.group.description),
        detail("Generation of the key", "\(statement.generation)"),
      ] + recipients(statement.boxes)
    )
  }

  private func words(for statement: SuccessionStatement) -> Words {
    (
      "was replaced by another vault key",
      [
        detail("Number of the vault key", "\(statement.generation)"),
        detail("Keys that are replaced", "\(statement.keys.count)"),
        detail("Following entries that belong to it", "\(statement.followingEntries)"),
      ]
    )
  }

  private func words(for statement: ResolutionStatement) -> Words {
    (
      "ended a fork of the log on this branch",
      statement.rejected.map { detail("Entry of a branch that was given up", hexadecimal($0.raw.bytes)) }
    )
  }

  private func words(for statement: WithdrawalStatement) -> Words {
    (
      "withdrew \(counted(statement.entries.count, "entry", "entries")), which the remote had refused or had others in place of",
      statement.entries.map { detail("Entry", hexadecimal($0.raw.bytes)) }
    )
  }

  private func words(for statement: DismissalStatement) -> Words {
    let items = counted(statement.items.count, "item")
    let revocation = index.revocations[statement.revocation].map { "entry \($0)" } ?? "an unknown entry"
    var details = [detail("Revocation", revocation)]
    if !statement.reason.isEmpty { details.append(detail("Reason", statement.reason)) }
    for (group, items) in Dictionary(grouping: statement.items, by: \.group).sorted(by: { $0.key < $1.key }) {
      let name = index.groups[group] ?? group.description
      details.append(detail("Access group", "\(name): \(counted(items.count, "item"))"))
    }
    return (
      statement.reason.isEmpty
        ? "put \(items) back on the list of what to replace after \(revocation)"
        : "dismissed \(items) from the list of what to replace after \(revocation): “\(statement.reason.sanitizedForTerminal(limit: .max))”",
      details
    )
  }

  private func unknown(_ entry: LogEntry) -> Words {
    (
      Statement.Kind(rawValue: entry.kind) != nil
        ? "made a statement of kind \(entry.kind) that is malformed and has no effect"
        : "made a statement of kind \(entry.kind), which this version of Coffer does not know"
          + (entry.isCritical ? " and must not ignore; it only reads until it is upgraded" : " and may ignore"),
      [detail("Kind", "\(entry.kind)"), detail("Size", counted(entry.body.count, "byte"))]
    )
  }

  private func detail(_ label: String, _ value: String) -> LogLine.Detail { .init(label: label, value: value) }

  private func recipients(_ boxes: [AddressedBox]) -> [LogLine.Detail] {
    boxes.map { detail("Recipient", name(of: $0.recipient)) }
  }

  private func name(of author: AuthorID) -> String {
    if author == .root { return LogIndex.vaultKey }
    if let owner = index.owner(author) { return owner }
    guard let entry = index.principals[author], case .principal(let statement)? = try? Statement.parse(entry) else {
      return author.description
    }
    let app = index.registrations[statement.app].map { short($0.applicationID) } ?? "an unknown app"
    return "\(app) on \(index.machines[statement.device] ?? "an unknown machine")"
  }

  /// Returns a name without the vault's team, which all of them share, safe to show.
  private func short(_ name: String) -> String { team.removed(from: name).sanitizedForTerminal() }
}
