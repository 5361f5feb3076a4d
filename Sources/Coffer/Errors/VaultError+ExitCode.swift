extension VaultError {
  /// The exit code by which `coffer` and `coffer-sync` tell this error; the programs' help lists them.
  package var exitCode: Int32 {
    switch code {
    case .itemNotFound: 3
    case .notEntitled: 4
    case .locked, .authenticationFailed, .authenticationCancelled: 5
    case .integrity: 6
    case .network: 7
    case .invalidArgument: 2
    default: 1
    }
  }
}
