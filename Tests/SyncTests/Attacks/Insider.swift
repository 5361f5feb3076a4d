/// Somebody who may push and has keys of a vault, which count for less than they once did, or for reading only.
enum Insider: String, CaseIterable {
  case revokedMachine = "revoked machine"
  case revokedAdmin = "revoked admin"
  case member
  case headless
  case oldRoot = "old root"

  /// Whether the insider's keys open what is written now.
  var readsOn: Bool { self == .member || self == .headless }

  /// The party of `Scripts/attacker` that signs what a machine signs.
  var machine: String { self == .oldRoot ? "root" : "device" }

  /// The party that signs entries of the log: an admin's keys, root's, or the keys that the insider has instead.
  var admin: String {
    switch self {
    case .revokedAdmin: "admin"
    case .oldRoot: "root"
    case .revokedMachine, .member, .headless: "app"
    }
  }
}
