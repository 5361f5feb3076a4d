internal import CofferVault

/// What keeps other programs of the same user from an app's access groups on this machine.
public enum AppEnforcement: String, Hashable, Sendable, Encodable {
  /// The operating system: the app runs as an installed setgid program, or in an account of its own.
  case install
  /// Nothing but the mode of the credential file, which every program of the user can read.
  case file
  /// Nothing: every program of the user can read the owner's keys, which open all groups.
  case policy
  /// The app has no credential here that works, so there is nothing to keep. Also for a vault in memory.
  case none

  /// Creates it from how this machine keeps an app's credential, and its owner's keys.
  package init(_ credential: CredentialStatus?, owner: KeyProtection) {
    self =
      switch credential?.protection {
      case .absent, .unusable, nil: .none
      // In an account of the app alone, no other program reads the owner's keys.
      case .installed: owner == .open && credential?.enforcement != .account ? .policy : .install
      case .open, .passphrase: owner == .open ? .policy : .file
      }
  }

  /// The words for a table.
  package var words: String {
    switch self {
    case .install: "by install"
    case .file: "by credential file only"
    case .policy: "policy"
    case .none: "-"
    }
  }
}
