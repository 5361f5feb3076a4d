internal import CofferCrypto
internal import Synchronization

/// The one-time token, and the sessions that it was exchanged for.
final class Sessions: Sendable {
  private struct State {
    /// Nil after its use. Wrong tokens do not end it: nobody guesses 256 bits, and any program of this machine could keep
    /// the user out by sending some.
    var token: SecretText?
    var sessions: [InspectorSession] = []
  }

  private let state: Mutex<State>
  private let exchanged: AsyncStream<Void>
  private let exchanging: AsyncStream<Void>.Continuation

  /// Creates an empty set of sessions. The one-time token comes from ``randomText()``.
  init(token: String) {
    state = Mutex(State(token: SecretText(copying: token.utf8)))
    (exchanged, exchanging) = AsyncStream.makeStream()
  }

  /// Returns 256 random bits as text.
  static func randomText() -> String { hexadecimal(Random.bytes(count: 32)) }

  /// Begins a session for the right token, which works once. Returns nil if it is wrong or was used.
  func exchange(_ given: SecretText) -> InspectorSession? {
    let session = InspectorSession(
      identifier: SecretText(copying: Self.randomText().utf8), csrfToken: Self.randomText())
    return state.withLock { state in
      guard let token = state.token, token == given else { return nil }
      state.token = nil
      exchanging.finish()
      state.sessions.append(session)
      return session
    }
  }

  /// Returns whether a token is the right one and was not used, and leaves it so.
  func accepts(_ given: SecretText) -> Bool { state.withLock { $0.token == given } }

  /// Waits until the token does not work any more, or the task is cancelled. For one task at a time.
  func waitForExchange() async { for await _ in exchanged {} }

  /// Returns the session of a cookie; nil if there is none. Each comparison takes the same time whatever differs.
  func session(of cookie: SecretText) -> InspectorSession? {
    state.withLock { state in state.sessions.first { $0.identifier == cookie } }
  }

  /// Ends all sessions, and the token.
  func endAll() {
    state.withLock { state in (state.token, state.sessions) = (nil, []) }
    exchanging.finish()
  }
}
