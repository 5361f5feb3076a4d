internal import Coffer
internal import CofferCrypto
internal import CofferVault
internal import Synchronization

/// The deletions of a session that can be undone.
final class UndoableDeletions: Sendable {
  private struct Deletion {
    let token: String
    let items: [DeletedItem]
    let deadline: ContinuousClock.Instant
  }

  /// The largest number of deletions that are kept. Of more, the oldest is forgotten.
  private static let capacity = 50

  private let deletions = Mutex<[Deletion]>([])

  /// Keeps a deletion for a time. Returns the token that undoes it.
  func insert(_ items: [DeletedItem], for time: Duration) -> String {
    let token = hexadecimal(Random.bytes(count: 16))
    deletions.withLock { deletions in
      deletions.removeAll { $0.deadline < .now }
      if deletions.count >= Self.capacity { deletions.removeFirst() }
      deletions.append(Deletion(token: token, items: items, deadline: .now + time))
    }
    return token
  }

  /// Returns the items of a deletion; nil if there is none with this token, or its time has passed.
  func items(of token: String) -> [DeletedItem]? {
    deletions.withLock { $0.first { $0.token == token && $0.deadline >= .now }?.items }
  }

  func remove(_ token: String) { deletions.withLock { $0.removeAll { $0.token == token } } }

  func removeAll() { deletions.withLock { $0 = [] } }
}
