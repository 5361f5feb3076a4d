extension VaultError.Code {
  /// The exit code of `coffer` and `coffer-sync` for errors of this kind. The help of the programs lists them.
  package var exitCode: Int32 {
    switch self {
    case .itemNotFound: 3
    case .notEntitled: 4
    case .locked, .authenticationFailed, .authenticationCancelled: 5
    case .integrity: 6
    case .network: 7
    case .busy: 8
    case .invalidArgument: 2
    // That of a program which Ctrl-C has ended.
    case .cancelled: 130
    default: 1
    }
  }
}

extension VaultError {
  /// The exit code of `coffer` and `coffer-sync` for this error.
  package var exitCode: Int32 { code.exitCode }
}
