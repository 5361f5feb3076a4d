extension VaultError {
  /// An error as one program tells it to another one.
  package struct Report: Hashable, Sendable, Codable {
    private let code: String
    private let message: String
    private let recoverySuggestion: String?

    package init(_ error: VaultError) {
      code = error.code.description
      message = error.message
      recoverySuggestion = error.recoverySuggestion
    }

    /// The error; one of the code `io` if this program does not know the code.
    package var error: VaultError {
      VaultError(
        Code.all.first { $0.description == code } ?? .io, message, recoverySuggestion: recoverySuggestion)
    }
  }
}

extension VaultError.Code {
  fileprivate static let all: [VaultError.Code] = [
    .itemNotFound, .duplicateItem, .itemChanged, .noVault, .vaultExists, .notEntitled, .locked, .authenticationFailed,
    .authenticationCancelled, .cancelled, .invalidArgument, .integrity, .upgradeNeeded, .network, .busy, .diskFull,
    .readOnly, .io,
  ]
}
