internal import Coffer
internal import CofferCrypto
package import CofferFormat
internal import CofferStore
internal import CofferSystem
internal import CofferTrust

/// The entries of a membership log that this machine has followed, and what the statements call their subjects.
package struct LogIndex: Sendable {
  /// An entry with its statement.
  package struct Entry: Sendable {
    package let entry: LogEntry
    /// Nil for a statement of an unknown kind.
    package let statement: Statement?
    /// Whether the remote has the entry.
    package let isPublished: Bool
  }

  /// The entries in ascending order.
  package private(set) var entries: [Entry] = []
  /// The statements of registration by the hash of their entry.
  package private(set) var registrations: [EntryHash: AppStatement] = [:]
  /// The registrations of each application identifier, in ascending order of their entries.
  private var versions: [String: [(entry: UInt64, statement: AppStatement)]] = [:]
  /// The first entry that gave an app keys on a machine.
  private var firstKeys: [String: [DeviceID: UInt64]] = [:]
  /// The entry that registered an application identifier last.
  package private(set) var lastRegistration: [String: LogEntry] = [:]
  /// The entry that enrolled each machine.
  package private(set) var enrolments: [DeviceID: LogEntry] = [:]
  /// The entry that gave each principal its rights.
  package private(set) var principals: [AuthorID: LogEntry] = [:]
  /// The numbers of the entries that revoke something.
  private(set) var revocations: [EntryHash: UInt64] = [:]
  /// The names of access groups.
  package private(set) var groups: [GroupID: String] = [:]
  /// The present names of machines, safe to show.
  package private(set) var machines: [DeviceID: String] = [:]
  /// The names with which machines were enrolled, and their present names, as they were stated.
  private var statedNames: [DeviceID: String] = [:]
  private var revokedMachines: Set<DeviceID> = []
  /// The name before it, by the entry that gave a machine another name, safe to show. Entries without effect are
  /// missing.
  package private(set) var formerNames: [EntryHash: String] = [:]
  /// The machine of each admin.
  package private(set) var admins: [AuthorID: DeviceID] = [:]
  private let vault: VaultID

  init(genesis: Genesis) {
    vault = genesis.vault
    let first = DeviceID(vault: vault, keys: genesis.firstDevice)
    enrol(first, named: "first machine")
    admins[AuthorID(vault: vault, keys: genesis.firstAdmin)] = first
  }

  /// Adds the entry that follows.
  mutating func append(_ entry: LogEntry, isPublished: Bool) {
    let statement = try? Statement.parse(entry)
    entries.append(Entry(entry: entry, statement: statement, isPublished: isPublished))
    switch statement {
    case .device(let statement):
      let id = DeviceID(vault: vault, keys: statement.keys)
      enrol(id, named: statement.name)
      enrolments[id] = entry
      if case .admin(let keys, _) = statement.role { admins[AuthorID(vault: vault, keys: keys)] = id }
    case .appointment(let statement): admins[AuthorID(vault: vault, keys: statement.adminKeys)] = statement.device
    case .app(let statement):
      registrations[entry.hash] = statement
      lastRegistration[statement.applicationID] = entry
      versions[statement.applicationID, default: []].append((entry.sequence, statement))
    case .principal(let statement):
      principals[AuthorID(vault: vault, keys: statement.keys)] = entry
      if let app = registrations[statement.app]?.applicationID, firstKeys[app]?[statement.device] == nil {
        firstKeys[app, default: [:]][statement.device] = entry.sequence
      }
    case .groupKey(let statement): groups[GroupID(vault: vault, name: statement.name)] = statement.name
    case .deviceName(let statement): rename(statement, by: entry.hash)
    case .revocation(let statement):
      revocations[entry.hash] = entry.sequence
      revokedMachines.formUnion(statement.machines.map(\.device))
    case .transportKey, .groupKeyRenewal, .groupRequirement, .grant, .succession, .resolution, .withdrawal, .dismissal,
      nil:
      break
    }
  }

  /// Records the name of an enrolment.
  private mutating func enrol(_ machine: DeviceID, named name: String) {
    statedNames[machine] = name
    machines[machine] = name.sanitizedForTerminal()
  }

  /// Records another name, by the rules of ``Membership``.
  private mutating func rename(_ statement: DeviceNameStatement, by entry: EntryHash) {
    let isInUse = statedNames.contains { machine, name in
      machine != statement.device && !revokedMachines.contains(machine) && name.utf8.elementsEqual(statement.name.utf8)
    }
    guard !isInUse, !revokedMachines.contains(statement.device), let former = machines[statement.device] else { return }
    formerNames[entry] = former
    statedNames[statement.device] = statement.name
    machines[statement.device] = statement.name.sanitizedForTerminal()
  }

  /// Reads the log of a store, up to an entry: if the log has forked, later ones do not count.
  static func read(
    from reader: borrowing StoreReader, genesis: Genesis, through last: UInt64 = .max
  ) throws -> LogIndex {
    var index = LogIndex(genesis: genesis)
    for stored in try reader.logEntries(after: 0) where stored.sequence <= last {
      index.append(try LogEntry(bytes: stored.entry), isPublished: stored.isPublished)
    }
    return index
  }

  /// Returns the registration of an application identifier that an entry replaces; nil if there is none before it.
  func registration(of application: String, before entry: UInt64) -> AppStatement? {
    let all = versions[application] ?? []
    var (lower, upper) = (0, all.count)
    while lower < upper {
      let middle = (lower + upper) / 2
      if all[middle].entry < entry { lower = middle + 1 } else { upper = middle }
    }
    return lower == 0 ? nil : all[lower - 1].statement
  }

  /// Whether an app has keys on a machine before an entry.
  func hasKeys(_ application: String, on machine: DeviceID, before entry: UInt64) -> Bool {
    (firstKeys[application]?[machine]).map { $0 < entry } ?? false
  }

  /// Returns who signed an entry, in words that begin with words of this program: "the vault key", or "the owner on
  /// laptop".
  package func signer(of entry: LogEntry) -> String {
    switch entry.signer {
    case .root: Self.vaultKey
    case .admin(let id): owner(id) ?? "the owner on an unknown machine"
    }
  }

  /// Returns the words for an owner by their keys; nil for keys that are no admin's.
  func owner(_ author: AuthorID) -> String? {
    admins[author].map { "the owner on \(machines[$0] ?? "an unknown machine")" }
  }

  /// Returns the name of the machine whose owner signed an entry; nil for the vault key and for an unknown machine.
  func signerMachine(of entry: LogEntry) -> String? {
    signingMachine(of: entry).flatMap { machines[$0] }
  }

  /// Returns the machine whose owner signed an entry; nil for the vault key and for an unknown machine.
  package func signingMachine(of entry: LogEntry) -> DeviceID? {
    guard case .admin(let id) = entry.signer else { return nil }
    return admins[id]
  }

  /// The words for the vault key.
  package static let vaultKey = "the vault key"
}

/// Which entries of the membership log a reader wants.
package struct LogFilter: Hashable, Sendable {
  /// The wanted kinds; all if it is empty.
  package var kinds: Set<LogLine.Kind>
  /// Whose entries are wanted: a machine's name, or the words for a signer, such as "the vault key"; nil for
  /// everybody's.
  package var signer: String?

  package init(kinds: Set<LogLine.Kind> = [], signer: String? = nil) {
    self.kinds = kinds
    self.signer = signer
  }

  /// Whether an entry is wanted.
  func includes(_ entry: LogIndex.Entry, in index: LogIndex) -> Bool {
    (kinds.isEmpty || kinds.contains(LogLine.Kind(entry.statement)))
      && (signer == nil || signer == index.signer(of: entry.entry) || signer == index.signerMachine(of: entry.entry))
  }
}

extension LogLine.Kind {
  /// Creates the kind of a statement; nil is one that this program does not know.
  init(_ statement: Statement?) {
    self =
      switch statement {
      case .transportKey: .transportKey
      case .device, .appointment, .deviceName: .machine
      case .app: .app
      case .principal: .principal
      case .groupKey, .groupKeyRenewal: .groupKey
      case .groupRequirement: .requirement
      case .revocation: .revocation
      case .grant: .grant
      case .succession: .succession
      case .withdrawal: .withdrawal
      case .resolution: .resolution
      case .dismissal: .dismissal
      case nil: .unknown
      }
  }
}
