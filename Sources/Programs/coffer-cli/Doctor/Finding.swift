internal import CofferVault

/// Something on this machine that weakens what Coffer promises, and how to put it right.
struct Finding: Encodable {
  enum Severity: String, Encodable, Sendable {
    /// What should be is not: a key can be read that should not be, or something does not work.
    case problem
    /// All is as it was set up, and could be stronger.
    case advice
  }

  let severity: Severity
  /// What was examined: an app, a file or a program.
  let subject: String
  /// One sentence.
  let message: String
  /// An instruction, with the command.
  let fix: String
  /// Fixes it as `fix` says, if nobody has to decide anything; nil if somebody has. Returns whether nothing is left to do.
  var repair: (() throws(VaultError) -> Bool)?

  private enum CodingKeys: String, CodingKey {
    case severity, subject, message, fix
  }
}
