package import CofferAdministration
internal import CofferFormat
package import CofferPlatform
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// A registered app.
package struct InspectedApp: Hashable, Sendable {
  /// The app on one machine.
  package struct Place: Hashable, Sendable {
    /// The machine's identifier.
    package let machineID: String
    package let machine: String
    package let isThisMachine: Bool
    /// The number of records that the app has written there, with superseded versions.
    package let recordCount: Int
    /// When the app wrote there last, as far as this machine has seen it.
    package let lastWrite: Date?
  }

  /// A machine on which the app was removed from the vault.
  package struct FormerPlace: Hashable, Sendable {
    /// The machine's identifier.
    package let machineID: String
    package let machine: String
    package let revocation: InspectedRevocation
  }

  /// The full application identifier.
  package let id: String
  package let bundleID: String
  package let registered: Date
  /// The number of the log entry that registered the app last.
  package let registrationEntry: UInt64
  /// Who signed this entry.
  package let registeredBy: String
  /// Whether another machine's change could still replace this registration: the remote does not have it yet.
  package let isUnpublished: Bool
  /// The team prefix in the plist that is read as the vault's; nil if there is none.
  package let sourcePrefix: String?
  /// Whether each machine seals the app's credential under its passphrase.
  package let requiresPassphrase: Bool
  /// How the app proves on this machine that it is this app.
  package let evidence: AppEvidence
  package let rights: [GroupRight]
  /// The entitlements plist as registered.
  package let plist: PropertyListText
  /// The machines on which the app has keys.
  package let places: [Place]
  /// The machines on which it had keys until it was removed there, the last one first.
  package let formerPlaces: [FormerPlace]

  init(_ app: App, in facts: AccessFacts) {
    id = app.id.description
    bundleID = app.id.bundleID.description
    registered = app.registered.date
    let entry = facts.log.lastRegistration[app.id.description]
    registrationEntry = entry?.sequence ?? 0
    registeredBy = entry.map { facts.log.signer(of: $0) } ?? "unknown"
    isUnpublished = facts.published.apps[app.id]?.registration != app.registration
    sourcePrefix = app.statement.sourcePrefix
    requiresPassphrase = app.statement.requiresPassphrase
    evidence = facts.evidence(of: app)
    rights = app.entitlements.groups.map { GroupRight($0, of: app, in: facts) }
    plist = PropertyListText(app.statement.entitlements)
    places = facts.sortedMachines.compactMap { machine in
      guard let principals = facts.principals[PrincipalPlace(app: app.id, machine: machine.id)] else { return nil }
      let activity = principals.compactMap { facts.activity[$0.id] }
      return Place(
        machineID: machine.id.description, machine: facts.name(of: machine.id), isThisMachine: machine.id == facts.own,
        recordCount: activity.reduce(0) { $0 + $1.recordCount },
        lastWrite: activity.map(\.last).max()?.date)
    }
    formerPlaces = Self.formerPlaces(of: app.id, in: facts)
  }

  private static func formerPlaces(of app: ApplicationID, in facts: AccessFacts) -> [FormerPlace] {
    var last: [DeviceID: InspectedRevocation] = [:]
    for author in facts.membership.authors.values where author.application == app {
      guard let revocation = (author.cut?.revocation).flatMap({ facts.revocation(at: $0) }),
        facts.principals[PrincipalPlace(app: app, machine: author.device)] == nil,
        last[author.device].map({ $0.entry < revocation.entry }) ?? true
      else { continue }
      last[author.device] = revocation
    }
    return last.map { machine, revocation in
      FormerPlace(machineID: machine.description, machine: facts.name(of: machine), revocation: revocation)
    }.sorted { ($0.revocation.entry, $0.machineID) > ($1.revocation.entry, $1.machineID) }
  }
}

extension AccessFacts {
  /// The registered apps in ascending order of their identifiers.
  package var apps: [InspectedApp] { sortedApps.map { InspectedApp($0, in: self) } }

  /// Returns an app by its full identifier; nil if it is not registered.
  package func app(_ id: String) -> InspectedApp? {
    ApplicationID(id).flatMap { membership.apps[$0] }.map { InspectedApp($0, in: self) }
  }
}

/// An access group of an app, and which key of its plist gives the right.
package struct GroupRight: Hashable, Sendable {
  /// The group's full name.
  package let group: String
  package let isWritable: Bool
  /// Whether the app writes here if it names no group.
  package let isDefault: Bool
  /// The key of the plist: `application-identifier` for the app's own group.
  package let plistKey: String
  /// Why the app has the group, as a sentence.
  package let reason: String
  /// The number of items in the group.
  package let itemCount: Int

  init(_ group: EntitledGroup, of app: App, in facts: AccessFacts) {
    self.group = group.name.description
    isWritable = group.access == .readWrite
    isDefault = app.entitlements.defaultGroup == group.name
    plistKey = group.key.rawValue
    let id = GroupID(vault: facts.membership.vault, name: group.name.description)
    itemCount = facts.itemCount(in: id)
    reason = group.origin().startingSentence + (isDefault ? "; writes that name no group go here." : ".")
  }
}

/// The text of a property list, for people.
package struct PropertyListText: Hashable, Sendable {
  /// XML.
  package let text: String
  /// Whether the property list is binary, and the text shows what it contains.
  package let isConverted: Bool

  /// Creates the text of an XML or binary property list. One that cannot be read becomes a note.
  package init(_ bytes: [UInt8]) {
    if !bytes.starts(with: Array("bplist".utf8)) {
      text = String(decoding: bytes, as: UTF8.self)
      isConverted = false
      return
    }
    isConverted = true
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .xml
    if let list = try? PropertyListDecoder().decode(ParsedPropertyList.self, from: Data(bytes)),
      let xml = try? encoder.encode(list)
    {
      text = String(decoding: xml, as: UTF8.self)
    } else {
      text = "(a binary property list that cannot be read)"
    }
  }
}

/// As Foundation writes it.
extension ParsedPropertyList: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .flag(let flag): try container.encode(flag)
    case .integer(let integer): try container.encode(integer)
    case .largeInteger(let integer): try container.encode(integer)
    case .real(let real): try container.encode(real)
    case .date(let date): try container.encode(date)
    case .data(let data): try container.encode(data)
    case .array(let values): try container.encode(values)
    case .dictionary(let values): try container.encode(values)
    }
  }
}

/// An app that was removed from the vault on every machine.
package struct RemovedApp: Hashable, Sendable {
  /// The full application identifier.
  package let id: String
  package let bundleID: String
  /// The last revocation of the app.
  package let revocation: InspectedRevocation
}

extension AccessFacts {
  /// The apps that were removed and are not registered again, the last one first.
  package var removedApps: [RemovedApp] {
    var seen: Set<String> = []
    return membership.revocations.reversed().flatMap { revocation in
      revocation.apps.filter { membership.apps[$0] == nil && seen.insert($0.description).inserted }.map { id in
        RemovedApp(id: id.description, bundleID: id.bundleID.description, revocation: describe(revocation))
      }
    }
  }
}
