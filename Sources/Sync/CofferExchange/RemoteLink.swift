package import CofferGit

/// Carries objects between the cache and a host that is in this process, in place of a transfer: a simulation decides with
/// it what a host does, and when.
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
