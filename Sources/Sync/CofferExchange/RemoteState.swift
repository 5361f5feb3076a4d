internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferSystem
internal import CofferVault

/// The branches and tags of a remote.
struct RemoteState {
  let branch: EpochBranch
  /// The tip of that branch; nil if the remote has no such branch yet.
  let tip: ObjectID?
  /// The tips of the branches of all epochs. An attacker with push access could have created some of them.
  let epochs: [EpochBranch: ObjectID]
  /// Whether the remote has neither a branch nor a tag.
  let isEmpty: Bool
  /// The branches with requests for invitations.
  let invitations: [RemoteLayout.InvitationBranch: ObjectID]
  /// The lanes that are to be imported, if a fetch has brought them.
  private(set) var lanes: [Lane: ObjectID] = [:]
  /// The commits of all lanes.
  let laneTips: Set<ObjectID>
  /// Why the lanes could not be fetched; nil if they could.
  private(set) var laneFault: GitError?
  /// The branches and tags that are no part of a vault, in ascending order.
  private let foreign: [String]
  /// The commits and tags of all branches and tags.
  private let references: [String: ObjectID]

  /// The number of lanes that one sync fetches. An attacker with push access could create any number.
  private static let laneCount = 32

  /// The branches that a host may create with a repository, for its README.
  private static let hostBranches = [RemoteLayout.readmeBranch, "refs/heads/master"]

  private init(_ references: [String: ObjectID], _ branch: EpochBranch, readme: ObjectID?) {
    self.branch = branch
    epochs = Self.epochs(in: references)
    let references = references.filter { $0.key.hasPrefix("refs/heads/") || $0.key.hasPrefix("refs/tags/") }
    let names = references.keys
    self.references = references
    tip = references[RemoteLayout.reference(of: branch)]
    isEmpty = names.isEmpty
    foreign = names.filter { name in
      Self.epoch(named: name) == nil && (name != RemoteLayout.readmeBranch || references[name] != readme)
        && !name.hasPrefix(RemoteLayout.invitationPrefix) && !name.hasPrefix(Lane.prefix)
    }.sorted()
    laneTips = Set(names.filter { Lane($0) != nil }.compactMap { references[$0] })
    invitations = names.reduce(into: [:]) { invitations, name in
      if let branch = RemoteLayout.InvitationBranch(name) { invitations[branch] = references[name] }
    }
  }

  private static func epochs(in references: [String: ObjectID]) -> [EpochBranch: ObjectID] {
    references.reduce(into: [:]) { epochs, reference in
      if let branch = epoch(named: reference.key) { epochs[branch] = reference.value }
    }
  }

  private static func epoch(named reference: String) -> EpochBranch? {
    reference.hasPrefix("refs/heads/") ? EpochBranch(name: String(reference.dropFirst("refs/heads/".count))) : nil
  }

  /// Whether a branch is before another one in the order in which branches are looked at.
  static func isLater(_ first: EpochBranch, than second: EpochBranch) -> Bool {
    (second.epoch, second.tag) < (first.epoch, first.tag)
  }

  /// Fetches the branch of an epoch, and with it the lanes whose commits are wanted, into the cache; nil for no lanes.
  /// Lanes that cannot be fetched do not count. The caller must call ``forgetLanes(in:)`` after it has read the lanes.
  /// `progress` is called while objects arrive.
  static func fetch(
    _ branch: EpochBranch, from connection: RemoteConnection, lanes isWanted: ((ObjectID) -> Bool)? = nil,
    progress: ((TransferProgress) -> Void)? = nil
  ) throws -> RemoteState {
    let repository = connection.repository
    var lanes: [Lane: ObjectID] = [:]
    func fetch(choosing choose: ([String: ObjectID]) -> [Lane: ObjectID]) throws(GitError) -> [String: ObjectID] {
      try connection.fetch(progress: progress) { references in
        lanes = choose(references)
        return lanes.reduce(into: [RemoteLayout.reference(of: branch): RemoteLayout.cached]) {
          $0[$1.key.name] = $1.key.cached
        }
      }
    }
    var fault: GitError?
    let references: [String: ObjectID]
    do throws(GitError) {
      references = try fetch { references in isWanted.map { choose(from: references, where: $0) } ?? [:] }
    } catch {
      // An attacker with push access can create a lane that nobody can fetch. The vault's branch must not suffer from
      // it. And over HTTP, a host does not know a branch any more that others have deleted after it was listed.
      guard error.isFaultOfReference, !lanes.isEmpty || error.code == .protocolError else { throw error }
      let chosen = lanes.keys
      for lane in chosen { try repository.setReference(lane.cached, to: nil) }
      references = try fetch { _ in [:] }
      if !chosen.isEmpty, chosen.allSatisfy({ references[$0.name] != nil }) { fault = error }
    }
    var state = try make(references, branch, repository)
    state.lanes = lanes
    state.laneFault = fault
    return state
  }

  /// Whether a branch has, or has had, the files with which that of a later epoch begins. Nothing is verified.
  static func isOpened(_ tip: ObjectID, in repository: Repository) throws -> Bool {
    let isBegun = try has(RemoteLayout.opened, in: tip, of: repository) {
      (try? Envelope(bytes: $0))?.content == .closing
    }
    guard isBegun else { return false }
    return try has(RemoteLayout.Place.genesis.path, in: tip, of: repository) { (try? Genesis(bytes: $0)) != nil }
  }

  /// Whether a branch is, or has been, one of a vault.
  static func isBranch(_ tip: ObjectID, ofVault genesis: EntryHash, in repository: Repository) throws -> Bool {
    try has(RemoteLayout.Place.genesis.path, in: tip, of: repository) { (try? Genesis(bytes: $0))?.hash == genesis }
  }

  /// Whether a branch has, or has had, such a file at a path.
  private static func has(
    _ path: String, in tip: ObjectID, of repository: Repository, where isWanted: ([UInt8]) -> Bool
  ) throws -> Bool {
    try repository.firstVersion(of: path, in: tip) { isWanted($0) ? true : nil } ?? false
  }

  /// Chooses lanes. Those that are left out have the same chance at the next sync.
  private static func choose(
    from references: [String: ObjectID], where isWanted: (ObjectID) -> Bool
  ) -> [Lane: ObjectID] {
    var lanes: [Lane: ObjectID] = [:]
    for (name, tip) in references where isWanted(tip) {
      if let lane = Lane(name) { lanes[lane] = tip }
    }
    guard lanes.count > laneCount else { return lanes }
    return Dictionary(uniqueKeysWithValues: Random.shuffled(lanes).prefix(laneCount).map { ($0.key, $0.value) })
  }

  /// Returns all branches and tags, after the vault's branch has moved to a commit. Returns nil if there are some that
  /// a later sync may treat otherwise: lanes, branches of other epochs, and requests for invitations.
  func references(at tip: ObjectID?) -> [String: ObjectID]? {
    guard let tip, Array(epochs.keys) == [branch], laneTips.isEmpty, invitations.isEmpty else { return nil }
    var references = references
    references[RemoteLayout.reference(of: branch)] = tip
    return references
  }

  /// Removes the fetched lanes from the cache: the negotiation of a fetch becomes slow with many references.
  func forgetLanes(in repository: Repository) {
    // One that stays is removed or set anew at a later sync.
    for lane in lanes.keys { try? repository.setReference(lane.cached, to: nil) }
  }

  /// Lists the branches and tags of a remote, and fetches nothing.
  static func list(_ branch: EpochBranch, at connection: RemoteConnection) throws -> RemoteState {
    try make(connection.fetch { _ in [:] }, branch, connection.repository)
  }

  /// Reads the branches and tags of a repository on this machine, and changes nothing in it. In a clone with a working
  /// tree, the branch as it was fetched last counts.
  static func read(_ branch: EpochBranch, of repository: Repository) throws -> RemoteState {
    var references = try repository.references(below: "refs/heads/")
    if !repository.isBare {
      references.merge(try repository.references(below: RemoteLayout.clonedPrefix)) { _, cloned in cloned }
    }
    return RemoteState(references, branch, readme: nil)
  }

  private static func make(
    _ references: [String: ObjectID], _ branch: EpochBranch, _ repository: Repository
  ) throws -> RemoteState {
    // The README is pushed first, so it is alone if a machine was interrupted. Its commit is the same in every vault.
    let mayBeReadme = epochs(in: references).isEmpty && references[RemoteLayout.readmeBranch] != nil
    return RemoteState(references, branch, readme: mayBeReadme ? try repository.commitReadme() : nil)
  }

  /// Returns all branches of epochs, the latest first: to leave some out could be to leave out the one that removes a
  /// machine. Throws `integrity` if there is none.
  func everyBranch(at url: RemoteURL) throws(VaultError) -> [EpochBranch] {
    guard !epochs.isEmpty else {
      throw VaultError(
        .integrity, "\(url) contains no vault\(Self.words(for: foreign).map { " but \($0)" } ?? "")",
        recoverySuggestion:
          "check the URL or path, and that the other machine has synced (coffer sync); a copy that git makes needs the vault's branches: git clone --bare URL"
      )
    }
    return epochs.keys.sorted(by: Self.isLater)
  }

  /// Checks that a remote without a vault is free for one. Throws `integrity` for a repository that has branches or
  /// tags of something else, and for one with later epochs only. `isKnown` is whether this machine has synced with this
  /// remote before, which then has lost the vault.
  func checkIsFree(at url: RemoteURL, isKnown: Bool) throws(VaultError) {
    guard epochs.isEmpty else {
      // To begin the first epoch again beside them would divide the vault.
      guard !isKnown, tip == nil,
        let latest = epochs.keys.filter({ $0.epoch > branch.epoch }).min(by: Self.isLater)
      else { return }
      throw VaultError(
        .integrity,
        "\(url) has the branch \(latest.name) and no \(branch.name), and none of its branches can be followed",
        recoverySuggestion:
          "let another machine of the vault sync, and try again; if it stays, delete the branches that no machine made")
    }
    let foreign = isKnown ? foreign.filter { !Self.hostBranches.contains($0) } : foreign
    if let words = Self.words(for: foreign) { throw .foreignRepository(url, words) }
  }

  private static func words(for references: [String]) -> String? {
    guard let first = references.first else { return nil }
    guard references.count == 1 else { return "\(references.count) branches and tags of something else" }
    let isBranch = first.hasPrefix("refs/heads/")
    let name = first.dropFirst(isBranch ? 11 : 10)
    return "the \(isBranch ? "branch" : "tag") \(String(name).sanitizedForTerminal(limit: 60)) of something else"
  }

  /// Checks that the branch carries the vault that `genesis` begins. `isKnown` is whether this machine has synced with
  /// this remote before: if so, a missing genesis was lost. `continues` is whether the branch continues what this
  /// machine has seen: another genesis was pushed to it then. Returns false if the genesis is missing at a known
  /// remote, or if somebody has replaced it. Throws `integrity` for a branch of something else or of another vault.
  static func check(
    _ tip: ObjectID, is genesis: Genesis, in repository: Repository, url: RemoteURL, isKnown: Bool, continues: Bool
  ) throws -> Bool {
    let bytes = try repository.soundBlob(at: RemoteLayout.Place.genesis.path, in: tip)
    if bytes != genesis.bytes, try continues || isBranch(tip, ofVault: genesis.hash, in: repository) { return false }
    guard let bytes else {
      if isKnown { return false }
      throw VaultError(
        .integrity, "\(url) is not a vault: its branch has no readable genesis",
        recoverySuggestion: "set another remote, or restore the repository on the host")
    }
    guard bytes != genesis.bytes else { return true }
    let other: Genesis
    do throws(FormatError) {
      other = try Genesis(bytes: bytes)
    } catch {
      throw VaultError(
        .integrity, "\(url) is a damaged vault: \(error)",
        recoverySuggestion: "restore the repository on the host, or set another remote")
    }
    throw VaultError(
      .integrity, "\(url) holds \(other.vault == genesis.vault ? "a forged genesis of this vault" : "another vault")",
      recoverySuggestion:
        "set the right repository with `coffer remote set URL`; or let a vault that was never synced join the other one with `coffer remote remove`, then `coffer clone URL`"
    )
  }
}

extension VaultError {
  /// The error for a repository that has no vault and is used for something else, which `words` names.
  static func foreignRepository(_ url: RemoteURL, _ words: String) -> VaultError {
    VaultError(
      .integrity, "\(url) is not free for a vault: it has \(words)",
      recoverySuggestion:
        "use a new, empty repository, or share this one with: coffer remote set --force \(url.description.shellWord)")
  }
}

extension Repository {
  func commitReadme() throws(GitError) -> ObjectID {
    try commit(adding: [("README.md", RemoteLayout.readme)], onto: nil)
  }
}

/// Fetches the branches of several epochs. An attacker with push access can create branches that nobody can fetch:
/// these are left out, and keep no other one from it.
struct BranchFetch {
  private let connection: RemoteConnection
  private let progress: ((TransferProgress) -> Void)?
  /// The commits of the branches that were fetched.
  private(set) var tips: [EpochBranch: ObjectID] = [:]
  /// Why others were not.
  private(set) var faults: [(branch: EpochBranch, tip: ObjectID?, error: GitError)] = []
  /// Those that the remote did not have any more.
  private(set) var gone: [EpochBranch] = []

  init(from connection: RemoteConnection, progress: ((TransferProgress) -> Void)? = nil) {
    self.connection = connection
    self.progress = progress
  }

  /// Fetches the branches of all epochs, again if others end an epoch meanwhile. Throws `integrity` if there is none.
  static func all(
    from connection: RemoteConnection, attempts: Int = BranchExchange.attempts,
    progress: ((TransferProgress) -> Void)? = nil
  ) throws -> BranchFetch {
    var fetch = BranchFetch(from: connection, progress: progress)
    try fetch.run(RemoteState.list(.first, at: connection).everyBranch(at: connection.url))
    guard !fetch.gone.isEmpty, attempts > 1 else { return fetch }
    return try all(from: connection, attempts: attempts - 1, progress: progress)
  }

  /// The branches that were not fetched, a line each.
  var faultLines: [String] {
    faults.map { "\(connection.url) has a branch \($0.branch.name) that cannot be fetched: \($0.error.message)" }
  }

  /// Fetches branches in one transfer or, if one of them is at fault, in as few as find it. One that the remote does
  /// not have is left out. Throws the errors of git that are not the fault of a branch.
  mutating func run(_ branches: [EpochBranch]) throws(GitError) {
    guard !branches.isEmpty else { return }
    let names = branches.reduce(into: [:]) { $0[RemoteLayout.reference(of: $1)] = RemoteLayout.cached($1) }
    var listed: [String: ObjectID] = [:]
    do throws(GitError) {
      let references = try connection.fetch(progress: progress) {
        listed = $0
        return names
      }
      for branch in branches {
        guard let tip = references[RemoteLayout.reference(of: branch)] else {
          gone.append(branch)
          continue
        }
        let fault = try connection.repository.fault(of: tip)
        if let fault { faults.append((branch, tip, fault)) } else { tips[branch] = tip }
      }
    } catch {
      guard !connection.cancellation.isCancelled, error.isFaultOfReference else { throw error }
      // An attacker with push access could give one commit that cannot be fetched any number of names.
      let byCommit = Dictionary(grouping: branches) { listed[RemoteLayout.reference(of: $0)] }.values
        .sorted { RemoteState.isLater($0[0], than: $1[0]) }
      guard byCommit.count > 1 else {
        // Over HTTP, a host does not know a branch that was deleted after it was listed.
        let references = try connection.fetch { _ in [:] }
        for branch in branches {
          let name = RemoteLayout.reference(of: branch)
          if references[name] == nil { gone.append(branch) } else { faults.append((branch, listed[name], error)) }
        }
        return
      }
      let middle = byCommit.count / 2
      try run(byCommit[..<middle].flatMap(\.self))
      try run(byCommit[middle...].flatMap(\.self))
    }
  }

  /// Removes the references to what was fetched from the cache: the negotiation of a fetch becomes slow with many of
  /// them. The objects stay.
  static func forget(in repository: Repository) {
    // One that stays is removed or set anew at a later sync.
    for name in (try? repository.references(below: RemoteLayout.cachedBranches).keys) ?? [:].keys {
      try? repository.setReference(RemoteLayout.cachedBranches + name.dropFirst("refs/heads/".count), to: nil)
    }
  }
}
