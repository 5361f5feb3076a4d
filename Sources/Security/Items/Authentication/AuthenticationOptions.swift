internal import LocalAuthentication

/// Whom a call may ask, and how: the keys `kSecUse…`.
struct AuthenticationOptions {
  /// What to do where somebody would have to be asked.
  enum Interaction {
    case allow
    /// Fail.
    case fail
    /// Leave such items out.
    case skip
  }

  /// The program's own context; a fresh one where nil.
  var context: LAContext?
  var interaction = Interaction.allow
  /// Why the program asks, for people.
  var reason: String?
}
