internal import CofferTrust
internal import CofferVault

extension DesktopApp {
  /// Returns the full identifier of the app if it is in a vault and has a credential on this machine; nil otherwise.
  func installed(in folder: VaultFolder) throws(VaultError) -> ApplicationID? {
    if case .installed(let application) = try standing(in: folder).standing { application } else { nil }
  }
}
