package import CofferGit
internal import CofferPlatform
package import CofferVault
internal import Logging

/// The remote of a sync, the cache that has its objects, and what the transfers may cost.
struct RemoteConnection {
  let url: RemoteURL
  /// The cache.
  let repository: Repository
  let limits: TransferLimits
  let cancellation: Cancellation
  /// What carries the objects in a simulation; nil for a transfer by git's protocol.
  var link: (any RemoteLink)?

  /// Fetches what `selecting` chooses, as ``Repository/fetch(from:limits:cancellation:progress:selecting:)``. With
  /// `byteCount`, the transfer has at most so many bytes.
  func fetch(
    atMost byteCount: Int? = nil, progress: ((TransferProgress) -> Void)? = nil,
    selecting: ([String: ObjectID]) -> [String: String]
  ) throws(GitError) -> [String: ObjectID] {
    if let link { return try link.fetch(selecting: selecting) }
    return try repository.fetch(
      from: url, limits: byteCount.map { limits.receiving(atMost: $0) } ?? limits, cancellation: cancellation,
      progress: progress, selecting: selecting)
  }

  /// Pushes a commit of the cache. The reference is the full name of the branch, which the remote may lack if
  /// `mayCreate`.
  func push(
    _ commit: ObjectID, to reference: String, mayCreate: Bool = true
  ) throws(GitError) -> PushOutcome {
    if let link { return try link.push(commit, to: reference, mayCreate: mayCreate) }
    return try repository.push(
      commit, to: reference, mayCreate: mayCreate, at: url, limits: limits, cancellation: cancellation)
  }

  /// Deletes the branches that still name the commits given for them.
  func removeReferences(_ expected: [String: ObjectID]) throws(GitError) {
    if let link { return try link.removeReferences(expected) }
    try repository.removeReferences(expected, at: url, limits: limits, cancellation: cancellation)
  }

  /// Waits before the attempt after `attempt`: full jitter, a random time up to a bound that doubles with each attempt.
  func wait(after attempt: Int) {
    if let link { return link.wait() }
    let bound = min(5_000, 50 << attempt)
    usleep(UInt32(Int.random(in: 0...bound)) * 1_000)
  }
}

/// How a command reaches a remote: what its user gave, over what this machine has stored.
package struct RemoteAccess: Sendable {
  /// The options of the command. Each wins over that of the vault.
  package var options: RemoteOptions
  /// The time for connecting, for which both sides may be silent, and for which to wait for another sync; nil for the
  /// defaults.
  package let timeout: Duration?
  /// What a transfer may cost.
  package var limits = TransferLimits()
  /// A user name and a password that came with the URL, separated by a zero byte, or nil.
  package var credential: [UInt8]?
  /// What carries the objects in a simulation; nil for transfers by git's protocol.
  package var link: (any RemoteLink)?

  package init(_ options: RemoteOptions = RemoteOptions(), timeout: Duration? = nil, credential: [UInt8]? = nil) {
    self.options = options
    self.timeout = timeout
    self.credential = credential
    if let timeout { (limits.connectTimeout, limits.idleTimeout) = (timeout, timeout) }
  }

  /// Connects with a remote over the cache of a folder. `stored` are the options that the vault has for the remote.
  func connect(
    to url: RemoteURL, cachedIn folder: VaultFolder, _ stored: RemoteOptions = RemoteOptions(),
    replacingDamaged isDamaged: Bool = false, cancellation: Cancellation
  ) throws -> RemoteConnection {
    let cache =
      try link?.cache(replacingDamaged: isDamaged)
      ?? RemoteCache.open(folder, replacingDamaged: isDamaged, programs: programs(stored))
    return RemoteConnection(url: url, repository: cache, limits: limits, cancellation: cancellation, link: link)
  }

  /// Connects with a remote, calls `body`, and calls it again with an empty cache if it finds that the cache is
  /// damaged.
  func withConnection<Result>(
    to url: RemoteURL, cachedIn folder: VaultFolder, _ stored: RemoteOptions = RemoteOptions(),
    cancellation: Cancellation, logger: Logger? = nil, _ body: (RemoteConnection) throws -> Result
  ) throws -> Result {
    do {
      return try body(connect(to: url, cachedIn: folder, stored, cancellation: cancellation))
    } catch let error as GitError where error.code == .corrupt {
      logger?.notice("the cache is damaged and is fetched anew")
      return try body(
        connect(to: url, cachedIn: folder, stored, replacingDamaged: true, cancellation: cancellation))
    }
  }

  /// The programs that carry a transfer, with the options of the command over those of the vault, if there is one.
  package func programs(_ stored: RemoteOptions = RemoteOptions()) -> TransportPrograms {
    var programs = TransportPrograms.fromEnvironment
    programs.http.certificateAuthorityFile = options.certificateAuthorityFile ?? stored.certificateAuthorityFile
    programs.http.allowsInsecureHTTP = options.allowsInsecureHTTP || stored.allowsInsecureHTTP
    programs.http.credential = credential
    return programs
  }
}

/// The bare repository that caches a remote's objects. It can be deleted at any time.
enum RemoteCache {
  private static let maximumLooseObjectCount = 2_000
  private static let maximumPackCount = 50

  /// Opens the cache. A cache that is damaged, or has so many files that it is slow, is replaced by an empty one.
  static func open(
    _ folder: VaultFolder, replacingDamaged isDamaged: Bool, programs: TransportPrograms
  ) throws -> Repository {
    if !isDamaged, let repository = try openUsable(folder, programs) { return repository }
    // Not with Foundation, which deletes by paths: a program of the user for whom root runs this could exchange a
    // folder in the cache for a link, and have root delete any file.
    try deleteTree(folder.cachePath)
    return try open(folder, programs)
  }

  /// Opens the existing cache. Returns nil if it has to be replaced.
  private static func openUsable(_ folder: VaultFolder, _ programs: TransportPrograms) throws(GitError) -> Repository? {
    do throws(GitError) {
      let repository = try open(folder, programs)
      let statistics = repository.statistics
      let isLean = statistics.looseObjectCount <= maximumLooseObjectCount && statistics.packCount <= maximumPackCount
      return isLean ? repository : nil
    } catch {
      if error.code == .corrupt { return nil }
      throw error
    }
  }

  private static func open(_ folder: VaultFolder, _ programs: TransportPrograms) throws(GitError) -> Repository {
    try Repository.open(at: folder.cachePath, creatingIfNeeded: true, programs: programs)
  }
}

/// Carries objects between the cache and a host that is in this process, in place of a transfer: a simulation decides
/// with it what a host does, and when.
package protocol RemoteLink: AnyObject, Sendable {
  /// Returns the cache of the machine; an empty one if the former is damaged.
  func cache(replacingDamaged: Bool) throws(GitError) -> Repository

  /// Brings branches into references of the cache, as `Repository.fetch` does.
  func fetch(selecting: ([String: ObjectID]) -> [String: String]) throws(GitError) -> [String: ObjectID]

  /// Sets a reference of the host to a commit of the cache, as `Repository.push` does.
  func push(_ commit: ObjectID, to reference: String, mayCreate: Bool) throws(GitError) -> PushOutcome

  /// Deletes references of the host, as `Repository.removeReferences` does.
  func removeReferences(_ expected: [String: ObjectID]) throws(GitError)

  /// Lets time pass before the next attempt to push.
  func wait()
}
