internal import CofferInspection
internal import CofferSystem
internal import CofferVault

/// What needs attention in the vault as a whole, in the words of the overview in `coffer inspect`: syncs, machines, the
/// membership log, missing credentials, conflicts and items to replace.
struct AttentionCheck: DoctorCheck {
  static let name = "vault"

  func findings(in scene: DoctorScene) throws(VaultError) -> [Finding] {
    guard scene.local.keysInMemory == nil else { return [] }
    return scene.overview.attention.compactMap { entry in
      switch entry {
      // EnforcementCheck finds these, and how each app is kept from others. One machine is how everybody begins.
      case .noPassphrase, .openCredentials, .ownCredentials, .unusableCredential, .singleMachine: nil
      default:
        Finding(
          kind: entry.kind.rawValue, Self.isProblem(entry) ? .problem : .advice,
          subject: "the vault at \(scene.local.folder.path.sanitizedForTerminal(limit: 4096))",
          message: entry.sentence, fix: entry.advice)
      }
    }
  }

  /// Whether something is wrong or does not work, and not only left to do.
  private static func isProblem(_ entry: Attention) -> Bool {
    switch entry {
    case .syncFails, .lackingRights: true
    default: entry.severity == .urgent
    }
  }
}
