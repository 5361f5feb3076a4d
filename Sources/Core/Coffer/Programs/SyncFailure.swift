package import CofferPlatform
package import CofferSystem
internal import CofferVault

/// A failure of `coffer-sync`, which has said why.
package struct SyncFailure: Error {
  package let exitCode: Int32
  /// Its standard output: a report if it finished the sync nevertheless, else empty.
  package let output: Data
  /// What it has printed on standard error; empty if that was this program's.
  package let messages: String

  /// Returns the output of `coffer-sync` if it has succeeded. Throws a ``SyncFailure`` if it has failed, and `io` if it
  /// was ended by a signal.
  package static func check(_ exit: ChildProcess.Exit, output: Data, messages: [String] = []) throws -> Data {
    switch exit {
    case .code(0): return output
    case .code(let code):
      throw SyncFailure(exitCode: code, output: output, messages: messages.joined(separator: "\n"))
    case .signal(let number):
      throw VaultError(.io, "coffer-sync was ended by signal \(number)", recoverySuggestion: "try again")
    case .unknown: throw VaultError(.io, "the exit code of coffer-sync is unknown", recoverySuggestion: "try again")
    }
  }
}
