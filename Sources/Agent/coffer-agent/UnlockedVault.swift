internal import Coffer
internal import CofferAgent
internal import CofferCrypto
internal import CofferFormat
internal import CofferPlatform
internal import CofferSystem
internal import CofferTrust
internal import CofferVault
internal import Synchronization

/// A vault of which the agent has keys.
struct UnlockedVault: Sendable {
  let local: LocalVault
  /// The file of the store when it was opened: another one may have taken its place.
  private let store: FileIdentity
  /// The end of the log when it was read last. A log without it is older: it may name an author who was removed.
  private let seen: SeenPosition
  var keys: [AuthorID: HeldSecret] = [:]
  var settings: AgentSettings
  private(set) var unlocked = Date.now
  private var begun = ContinuousClock.now
  private(set) var lastUse = ContinuousClock.now

  /// How long keys stay at most, however much they are used: 12 hours.
  static let longest = Duration.seconds(12 * 3600)

  private init(_ local: LocalVault, _ store: FileIdentity, seen: LogPosition, _ settings: AgentSettings) {
    self.local = local
    self.store = store
    self.seen = SeenPosition(seen)
    self.settings = settings
  }

  /// Opens the vault in a folder.
  static func open(_ folder: VaultFolder, _ settings: AgentSettings) throws(VaultError) -> UnlockedVault {
    guard let store = FileIdentity(of: folder.storePath) else { throw systemFailure("find \(folder.storePath)") }
    let local = try LocalVault.open(folder)
    return UnlockedVault(local, store, seen: try local.publishedMembership().head, settings)
  }

  /// When the keys are dropped.
  var deadline: ContinuousClock.Instant { min(lastUse + .seconds(Int(settings.idleSeconds)), begun + Self.longest) }

  /// The same as a date.
  var locks: Date {
    let rest = ContinuousClock.now.duration(to: deadline)
    return Date(timeIntervalSinceNow: Double(rest.components.seconds))
  }

  mutating func noteUse() { lastUse = .now }

  /// Begins the time anew, after the passphrase was typed again.
  mutating func renew() { (unlocked, begun, lastUse) = (.now, .now, .now) }

  /// The same vault before it had keys.
  var withoutKeys: UnlockedVault {
    var vault = self
    vault.keys = [:]
    return vault
  }

  /// Returns the membership by the log as it is now. Throws `integrity` if the store was exchanged for one with an
  /// older log, or if entries were deleted from it that the agent has seen.
  func log() throws(VaultError) -> VaultLog {
    let path = local.folder.storePath
    guard let found = FileIdentity(of: path) else { throw systemFailure("find \(path)") }
    let isSame = found == store
    let current = isSame ? local : try LocalVault.open(local.folder)
    let (published, latest) = try current.memberships()
    try seen.advance(to: published.head) { (position) throws(VaultError) in try current.checkNotRolledBack(to: position)
    }
    return VaultLog(published: published, latest: latest)
  }
}

/// The membership by the log of a vault.
struct VaultLog: Sendable {
  /// Without entries that may still be discarded: what apps use.
  let published: Membership
  let latest: Membership
}

/// How far the agent has read the log of a vault.
private final class SeenPosition: Sendable {
  private let position: Mutex<LogPosition>

  init(_ position: LogPosition) { self.position = Mutex(position) }

  /// Takes a later end of the log, after `check` has accepted the one before.
  func advance(
    to head: LogPosition, _ check: (LogPosition) throws(VaultError) -> Void
  ) throws(VaultError) {
    let last = position.withLock { $0 }
    guard head != last else { return }
    try check(last)
    position.withLock { if $0.sequence < head.sequence { $0 = head } }
  }
}

/// The 64 secret bytes of an author's keys, in memory that no core dump has: that of memfd_secret if the system has it,
/// otherwise guarded memory.
enum HeldSecret: Sendable {
  case kernel(SecretMemory)
  case guarded(SecretBytes)

  private static let byteCount = 64

  init(_ secret: SecretBytes) {
    guard let memory = SecretMemory(count: Self.byteCount) else {
      self = .guarded(secret)
      return
    }
    unsafe secret.withBytes { source in
      unsafe memory.withBytes { unsafe $0.copyMemory(from: source) }
    }
    self = .kernel(memory)
  }

  /// Returns the bytes in guarded memory, for the time of a session.
  var bytes: SecretBytes {
    switch self {
    case .guarded(let secret): secret
    case .kernel(let memory):
      unsafe SecretBytes(count: Self.byteCount) { buffer in
        unsafe memory.withBytes { unsafe buffer.copyMemory(from: UnsafeRawBufferPointer($0)) }
      }
    }
  }
}

/// How the agent keeps the keys of a vault. A file in the vault's folder has it while no agent runs.
struct AgentSettings: Codable, Hashable, Sendable {
  /// After how long without use the keys are dropped: ten minutes by default.
  var idleSeconds: UInt32 = 600
  /// Whether every group demands a lease.
  var confirms = false

  private static let maximumByteCount = 4096

  /// Reads the settings of a vault, or the default ones. From a file that is not understood follows that every group
  /// demands a lease.
  static func read(of folder: VaultFolder) -> AgentSettings {
    guard !isAbsent(folder.agentSettingsPath) else { return AgentSettings() }
    let content = try? RegularFile.open(folder.agentSettingsPath, followsLinks: false).read(upTo: maximumByteCount)
    guard let content, let settings = try? JSONDecoder().decode(Self.self, from: Data(content)),
      (1...86_400).contains(settings.idleSeconds)
    else { return AgentSettings(confirms: true) }
    return settings
  }

  /// Returns the settings that a deposit asks for: without the right to weaken them, only a shorter time and more
  /// leases.
  func changed(by deposit: AgentDeposit, mayWeaken: Bool) -> AgentSettings {
    var settings = self
    if let seconds = deposit.idleSeconds, mayWeaken || seconds < idleSeconds { settings.idleSeconds = seconds }
    if let confirms = deposit.confirms, mayWeaken || confirms { settings.confirms = confirms }
    return settings
  }

  /// Writes the settings. A disk that is full, or cannot be written, keeps those from before.
  func write(to folder: VaultFolder) {
    guard let json = try? JSONEncoder().encode(self) else { return }
    try? json.write(to: URL(fileURLWithPath: folder.agentSettingsPath), options: .atomic)
  }
}
