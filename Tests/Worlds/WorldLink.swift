import CofferExchange
import CofferGit
import CofferSystem

/// The network between one machine and its host.
///
/// `@unchecked Sendable`: a world has one thread.
final class WorldLink: RemoteLink, @unchecked Sendable {
  private(set) var host: WorldHost
  private var cache: Repository
  /// What the host shows this machine alone; nil for the truth.
  var view: WorldHost.References?
  /// What the host shows this machine.
  var references: WorldHost.References { view ?? host.references }
  /// Whether nothing arrives any more, because the machine has no network.
  var isCut = false
  /// Whether the machine was killed, and what it still does happens no more.
  var isDead = false
  /// The number of requests after which the network fails; nil for never.
  var requestsUntilCut: Int?
  /// Whether the host's answer to the next push is lost.
  var losesAnswer = false
  /// Whether the host accepts the next push and does not keep it.
  var forgetsPush = false
  /// What happens between this machine's look at the branch and its next pushes, each time once.
  var beforePush: [() -> Void] = []
  /// What happens before this machine's next fetches, each time once: a sync lists the branches more than once.
  var beforeFetch: [() -> Void] = []
  /// The writes of this machine, all of which each push contains.
  var ownWrites: () -> Set<Int> = { [] }
  /// The branches as they were shown last.
  private(set) var shown: WorldHost.References = [:]
  /// The branches that were shown without what this machine has seen of them.
  private(set) var shortened: Set<String> = []
  /// The branches that this machine has seen, and that were not shown.
  private(set) var lost: Set<String> = []
  /// The branches that this machine has followed, as it has seen them at the end of a sync; and all during this one.
  var seen: WorldHost.References = [:]
  /// The same, before the last sync.
  private(set) var before: WorldHost.References = [:]
  private var seenNow: WorldHost.References = [:]

  init(to host: WorldHost) throws {
    self.host = host
    cache = try .inMemory()
  }

  /// How a sync reaches the host.
  var access: RemoteAccess {
    var access = RemoteAccess()
    access.link = self
    return access
  }

  /// Begins a sync.
  func begin() {
    shortened = []
    lost = []
    seenNow = [:]
    before = seen
  }

  /// Ends a sync that has succeeded, after which the machine follows a branch. A machine that was killed knows nothing
  /// of that.
  func finish(on branch: String) {
    if !isDead { seen[branch] = seenNow[branch] ?? seen[branch] }
  }

  /// Goes on with another host, which knows nothing.
  func move(to host: WorldHost) throws {
    (self.host, seen, before, view) = (host, [:], [:], nil)
    try forgetCache()
  }

  func forgetCache() throws { cache = try .inMemory() }

  func cache(replacingDamaged: Bool) throws(GitError) -> Repository {
    if replacingDamaged { cache = try .inMemory() }
    return cache
  }

  /// What the machine asks of the host, a line for each request.
  var say: (String) -> Void = { _ in }

  private func request(_ what: @autoclosure () -> String) throws(GitError) {
    say(what())
    if let count = requestsUntilCut {
      requestsUntilCut = count > 0 ? count - 1 : nil
      if count == 0 { isCut = true }
    }
    if isCut || isDead { throw GitError(.unreachable, "the network is down", context: "the world") }
  }

  func fetch(selecting: ([String: ObjectID]) -> [String: String]) throws(GitError) -> [String: ObjectID] {
    if !beforeFetch.isEmpty { beforeFetch.removeFirst()() }
    let references = references
    try request(
      "fetches from \(references.map { "\($0.key) \("\($0.value)".prefix(8))" }.sorted().joined(separator: ", "))")
    shown = references
    let selected = selecting(references)
    // The machine's own branch; while it reads others, another machine may end the epoch and delete that one.
    lost.formUnion(selected.keys.filter { seen[$0] != nil && references[$0] == nil })
    for (name, tip) in references where WorldHost.isEpoch(name) {
      if let before = seen[name], before != tip, try !host.objects.isAncestor(before, of: tip) {
        shortened.insert(name)
      }
    }
    for (name, local) in selected {
      if let tip = references[name] {
        try cache.copy(tip, from: host.objects)
        if WorldHost.isEpoch(name) { seenNow[name] = tip }
      }
      try cache.setReference(local, to: references[name])
    }
    return references
  }

  func push(_ commit: ObjectID, to reference: String, mayCreate: Bool) throws(GitError) -> PushOutcome {
    try request("pushes \("\(commit)".prefix(8)) to \(reference)")
    if !beforePush.isEmpty { beforePush.removeFirst()() }
    let old = references[reference]
    if old == commit {
      // Two machines have put back the same branch at once.
      if WorldHost.isEpoch(reference) { seenNow[reference] = commit }
      return .accepted
    }
    if old == nil, !mayCreate { return .rejected(reason: "the remote has deleted the branch") }
    if let old {
      // As with git, a commit that the cache does not have is no ancestor.
      guard try cache.isCommit(old), try cache.isAncestor(old, of: commit) else {
        return .rejected(reason: "the remote has commits that are not in this history")
      }
    }
    try host.objects.copy(commit, from: cache)
    if forgetsPush {
      forgetsPush = false
      return .accepted
    }
    var writes = try containsOwnWrites(commit, after: old, reference) ? ownWrites() : []
    if view == nil, try opens(commit, after: old, reference) { try writes.formUnion(host.writesBefore(reference)) }
    host.move(reference, to: commit, adding: writes, in: &view)
    FaultPoint.reached(.pushSent)
    if losesAnswer || isDead {
      losesAnswer = false
      throw GitError(.unreachable, "the network is down", context: "the world")
    }
    if WorldHost.isEpoch(reference) { seenNow[reference] = commit }
    cache.finishPush()
    return .accepted
  }

  /// Whether a push has all that this machine has written: not if it only opens the branch, which this machine follows
  /// before it sends anything to it.
  private func containsOwnWrites(
    _ commit: ObjectID, after old: ObjectID?, _ reference: String
  ) throws(GitError) -> Bool {
    guard WorldHost.isEpoch(reference) else { return false }
    if old == nil { return true }
    return try !opens(commit, after: old, reference)
  }

  /// Whether a push opens the branch of an epoch, which then has everything that the branch before had at its end.
  private func opens(_ commit: ObjectID, after old: ObjectID?, _ reference: String) throws(GitError) -> Bool {
    guard WorldHost.isEpoch(reference) else { return false }
    if let old, try cache.hasEntry(at: "opened", in: old) { return false }
    return try cache.hasEntry(at: "opened", in: commit)
  }

  func removeReferences(_ expected: [String: ObjectID]) throws(GitError) {
    try request("removes \(expected.keys.sorted().joined(separator: ", "))")
    let current = references
    host.remove(expected.filter { current[$0.key] == $0.value }.map(\.key), in: &view)
  }

  func wait() {}
}
