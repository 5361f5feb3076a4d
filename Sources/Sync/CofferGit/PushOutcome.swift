/// The result of a push that reached the remote.
package enum PushOutcome: Sendable, Hashable {
  /// The remote's reference names the pushed commit.
  case accepted
  /// The remote's reference did not move: another push came first, or the remote refused. The reason is for people to
  /// read.
  case rejected(reason: String)
}
