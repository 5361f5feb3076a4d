/// Why the inspector ends.
enum InspectorEnd: Sendable {
  /// Somebody pressed Ctrl-C, or another program asked it to.
  case interrupted
  /// The page said "lock".
  case locked
  /// Another program asked for a lock, which no passphrase would undo.
  case lockRequested
  /// Nobody used it for its idle time.
  case idle
  /// Too many wrong passphrases.
  case wrongPassphrases

  /// A sentence for the terminal; nil if the user has just asked for the end there.
  var message: String? {
    switch self {
    case .interrupted: nil
    case .locked: "Locked from the page; coffer inspect has ended."
    case .lockRequested: "Locked by another program; coffer inspect has ended."
    case .idle: "Not used any more; coffer inspect has ended."
    case .wrongPassphrases: "Too many wrong passphrases; coffer inspect has ended."
    }
  }
}
