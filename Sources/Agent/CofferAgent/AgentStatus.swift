package import CofferPlatform
package import CofferSystem
package import CofferVault
internal import Synchronization

/// The state of the agent, also of none. It has no secrets.
package struct AgentStatus: Codable, Hashable, Sendable {
  /// A vault of which the agent has keys.
  package struct UnlockedVault: Codable, Hashable, Sendable {
    package let vault: String
    /// How many authors' keys: the owner's and those of locked apps.
    package let keyCount: Int
    package let unlocked: Date
    /// When the keys are dropped unless they are used before.
    package let locks: Date
    /// Whether every group demands a lease.
    package let confirms: Bool

    package init(vault: String, keyCount: Int, unlocked: Date, locks: Date, confirms: Bool) {
      self.vault = vault
      self.keyCount = keyCount
      self.unlocked = unlocked
      self.locks = locks
      self.confirms = confirms
    }
  }

  /// An answer of a person that still holds.
  package struct Lease: Codable, Hashable, Sendable {
    package let vault: String
    package let group: String
    /// The process at the top of the tree, and its name.
    package let process: Int32
    package let program: String
    package let ends: Date

    package init(vault: String, group: String, process: Int32, program: String, ends: Date) {
      self.vault = vault
      self.group = group
      self.process = process
      self.program = program
      self.ends = ends
    }
  }

  /// The agent's process; nil if none runs.
  package let process: Int32?
  package let version: String?
  /// Whether sleep and the screen's lock lock the agent.
  package let locksWithScreen: Bool
  package let vaults: [UnlockedVault]
  package let leases: [Lease]

  package init(
    process: Int32? = nil, version: String? = nil, locksWithScreen: Bool = false, vaults: [UnlockedVault] = [],
    leases: [Lease] = []
  ) {
    self.process = process
    self.version = version
    self.locksWithScreen = locksWithScreen
    self.vaults = vaults
    self.leases = leases
  }
}

/// What the agent has done with the keys of a vault: a file of JSON lines in the vault's folder, without secrets. Any
/// program of the user can change it.
package struct AgentLog: Sendable {
  /// What happened.
  package enum Event: String, Codable, Sendable {
    case unlocked, locked, leaseGranted, leaseDenied, refused
  }

  package struct Entry: Codable, Hashable, Sendable {
    package let time: Date
    package let event: Event
    /// Why the agent was locked, or why it refused.
    package let cause: String?
    /// The groups that were asked for.
    package let groups: [String]?
    /// "use" or "show", as the program has said.
    package let purpose: String?
    /// The program that asked, and its process.
    package let program: String?
    package let process: Int32?
    /// The processes that have started it, each as "name (number)".
    package let startedBy: [String]?
    package let terminal: String?
    /// What the user of the program has said.
    package let reason: String?
    /// For how long a lease was given, in seconds.
    package let seconds: Int?

    package init(
      _ event: Event, cause: String? = nil, groups: [String]? = nil, for purpose: KeyPurpose? = nil,
      of lineage: ProcessLineage? = nil, reason: String? = nil, seconds: Int? = nil
    ) {
      time = .now
      self.event = event
      self.cause = cause
      self.groups = groups
      self.purpose = purpose.map { "\($0)" }
      program = lineage?.members[0].name
      process = lineage?.members[0].identifier
      startedBy = lineage.map { $0.members.dropFirst().prefix(8).map { "\($0.name) (\($0.identifier))" } }
      terminal = lineage?.terminal
      self.reason = reason.flatMap { $0.isEmpty ? nil : $0 }
      self.seconds = seconds
    }
  }

  private let path: String
  private static let byteCountLimit = 1 << 20
  /// One thread writes at a time: what is appended to a file that another one replaces would be lost.
  private static let turn = Mutex(())

  package init(of folder: VaultFolder) { path = folder.agentLogPath }

  /// Adds an entry. If the file is full, its older half goes. A disk that is full, or cannot be written, keeps no log.
  package func append(_ entry: Entry) {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let line = try? encoder.encode(entry) else { return }
    Self.turn.withLock { _ in append(Array(line) + [UInt8(ascii: "\n")]) }
  }

  private func append(_ line: [UInt8]) {
    Self.shorten(path)
    var status = stat()
    let file = unsafe open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard file >= 0 else { return }
    let descriptor = Descriptor(owning: file)
    guard unsafe fstat(descriptor.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
    _ = unsafe write(descriptor.rawValue, line, line.count)
  }

  /// Keeps the newer half of a file that is full. Another program can exchange the file at any time, so what is read
  /// is what was examined.
  private static func shorten(_ path: String) {
    guard let file = try? RegularFile.open(path, followsLinks: false), file.byteCount > byteCountLimit,
      let rest = try? file.read(from: file.byteCount - byteCountLimit / 2, upTo: byteCountLimit / 2)
    else { return }
    let start = rest.firstIndex(of: UInt8(ascii: "\n")).map { rest.index(after: $0) } ?? rest.endIndex
    try? Data(rest[start...]).write(to: URL(fileURLWithPath: path), options: .atomic)
  }

  /// Returns the entries, the oldest first. What is no entry is left out.
  package func entries() throws(VaultError) -> [Entry] {
    let content: [UInt8]
    do throws(RegularFile.Refusal) {
      content = try RegularFile.open(path, followsLinks: false).read(upTo: 2 * Self.byteCountLimit)
    } catch {
      guard case .system(ENOENT) = error else {
        throw VaultError(
          .io, "cannot read the agent's log at \(path)", recoverySuggestion: "check the owner and the mode of the file")
      }
      return []
    }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return content.split(separator: UInt8(ascii: "\n")).compactMap { try? decoder.decode(Entry.self, from: Data($0)) }
  }
}
