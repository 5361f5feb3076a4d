internal import ArgumentParser
internal import Coffer
internal import CofferInspection
internal import CofferTerminal
internal import CofferVault

/// The password whose one-time codes a command reads: by its names, by the reference of files, or by that of the item.
struct OneTimePasswordChoice: ParsableArguments {
  @OptionGroup var password: PasswordChoice
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  func validate() throws {
    try password.checkNames()
    if secretReference != nil && (password.account != nil || password.kind != nil || group.group != nil) {
      throw ValidationError("a reference coffer://… replaces the account, --class and --group")
    }
  }

  /// The text of the reference if one is given in the place of the service.
  private var secretReference: String? {
    password.service.flatMap { $0.hasPrefix(SecretReference.scheme) ? $0 : nil }
  }

  /// Returns the password, and the seed of its codes. Throws `itemNotFound` if it has none.
  func find() throws(VaultError) -> (item: FoundPassword, seed: OneTimePassword) {
    let (vault, item) = try findPassword()
    return (item, try item.seed(in: vault, app: actor.app))
  }

  private func findPassword() throws(VaultError) -> (Vault, FoundPassword) {
    if let secretReference {
      let found = try SecretReader(actor).password(of: SecretReference(secretReference))
      return (found.vault, found.item)
    }
    let vault = try actor.open(for: .reading(group.group))
    return (vault, try password.findOne(in: vault, group: group, as: actor))
  }
}
