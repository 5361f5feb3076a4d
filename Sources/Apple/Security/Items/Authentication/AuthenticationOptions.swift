internal import LocalAuthentication

/// The options of a call for prompting the user: the keys `kSecUse…`.
struct AuthenticationOptions {
  /// The behaviour if the user must be prompted.
  enum Interaction {
    /// Prompt.
    case allow
    /// Fail with `errSecInteractionNotAllowed`.
    case fail
    /// Skip the items that require a prompt.
    case skip
  }

  /// The program's context; nil for a new one.
  var context: LAContext?
  var interaction = Interaction.allow
  /// The reason to show in prompts.
  var reason: String?
}
