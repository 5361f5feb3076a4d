import CofferExchange
import CofferGit
import CofferPlatform
import CofferTestSupport
import CofferVault
import Foundation

/// A real repository whose branches others change between the requests of one sync.
///
/// `@unchecked Sendable`: one thread runs the sync.
final class RacedLink: RemoteLink, @unchecked Sendable {
  private let url: RemoteURL
  private let repository: Repository
  private let change: (_ fetch: Int) throws -> Void
  private var fetchCount = 0
  /// Why a change failed.
  private(set) var failure: (any Error)?

  /// - Parameters:
  ///   - machine: The machine that syncs.
  ///   - remote: Its remote.
  ///   - change: Is called before each fetch with its number, from 1. If it throws an error of git, so does the fetch.
  /// - Throws: An error of git.
  init(_ machine: Machine, to remote: TemporaryRemote, change: @escaping (_ fetch: Int) throws -> Void) throws {
    url = try RemoteURL(remote.path)
    repository = try .open(at: machine.vault.appending(path: "cache.git").path, creatingIfNeeded: true)
    self.change = change
  }

  var access: RemoteAccess {
    var access = RemoteAccess()
    access.link = self
    return access
  }

  func cache(replacingDamaged: Bool) throws(GitError) -> Repository { repository }

  func fetch(selecting: ([String: ObjectID]) -> [String: String]) throws(GitError) -> [String: ObjectID] {
    fetchCount += 1
    do {
      try change(fetchCount)
    } catch let error as GitError {
      // The transfer fails, after the remote has listed its branches.
      _ = try repository.fetch(from: url) { references in
        _ = selecting(references)
        return [:]
      }
      throw error
    } catch {
      failure = error
    }
    return try repository.fetch(from: url, selecting: selecting)
  }

  func push(_ commit: ObjectID, to reference: String, mayCreate: Bool) throws(GitError) -> PushOutcome {
    try repository.push(commit, to: reference, mayCreate: mayCreate, at: url)
  }

  func removeReferences(_ expected: [String: ObjectID]) throws(GitError) {
    try repository.removeReferences(expected, at: url)
  }

  func wait() {}
}
