internal import Coffer
internal import CofferAgent
internal import CofferCrypto
internal import CofferFormat
internal import CofferPlatform
internal import CofferTrust
internal import CofferVault

/// A vault of which the agent has keys.
struct UnlockedVault: Sendable {
  let local: LocalVault
  /// The file of the store when it was opened: another one may have taken its place.
  private let store: FileIdentity
  /// The end of the log when the vault was opened. A log without it is older: it may name an author who was removed.
  private let seen: LogPosition
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
    self.seen = seen
    self.settings = settings
  }

  /// Opens the vault in a folder.
  static func open(_ folder: VaultFolder, _ settings: AgentSettings) throws(VaultError) -> UnlockedVault {
    let store = try FileIdentity(of: folder.storePath)
    let local = try LocalVault.open(folder)
    return UnlockedVault(local, store, seen: try local.membership().head, settings)
  }

  /// When the keys are dropped.
  var deadline: ContinuousClock.Instant { min(lastUse + settings.idle, begun + Self.longest) }

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

  /// Returns the membership by the log as it is now. Throws `integrity` if the store was exchanged for an older one.
  func membership() throws(VaultError) -> Membership {
    guard try FileIdentity(of: local.folder.storePath) == store else {
      let current = try LocalVault.open(local.folder)
      try current.checkNotRolledBack(to: seen)
      return try current.settledMembership()
    }
    return try local.settledMembership()
  }
}

/// How the agent keeps the keys of a vault.
struct AgentSettings: Hashable, Sendable {
  /// How long the keys stay without use: ten minutes by default.
  var idle = Duration.seconds(600)
  /// Whether every group demands a lease.
  var confirms = false
}

/// Which file a path leads to.
struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let number: UInt64

  init(of path: String) throws(VaultError) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { throw systemFailure("find \(path)") }
    device = UInt64(status.st_dev)
    number = UInt64(status.st_ino)
  }
}
