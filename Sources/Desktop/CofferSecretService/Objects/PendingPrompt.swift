internal import Synchronization

/// A prompt that a call has returned, until it is completed.
struct PendingPrompt {
  /// What follows the unlock.
  enum Action {
    /// Nothing: the objects with these paths are unlocked.
    case unlock([String])
    case createCollection(label: String, alias: String)
    case deleteItem(path: String)
  }

  /// The connection that has got the prompt, and gets its signal.
  let owner: String
  let program: String?
  let action: Action
  /// Set while somebody is being asked.
  var cancellation: Cancellation?

  /// Tells another thread that nobody waits any more.
  final class Cancellation: Sendable {
    private let flag = Atomic(false)

    var isCancelled: Bool { flag.load(ordering: .relaxed) }

    func cancel() { flag.store(true, ordering: .relaxed) }
  }
}
