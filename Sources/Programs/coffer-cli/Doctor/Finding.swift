/// Something on this machine that weakens what Coffer promises, and how to put it right.
struct Finding: Encodable, Sendable {
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
}
