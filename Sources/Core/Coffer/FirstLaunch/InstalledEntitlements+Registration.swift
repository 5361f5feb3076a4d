internal import CofferCrypto
internal import CofferFormat
internal import CofferTrust

extension InstalledEntitlements {
  /// The registration of an app by this plist.
  func request(for app: BundleID, in team: TeamID) -> AppRegistration.Request {
    AppRegistration.Request(
      plist: bytes, source: path, bundleID: app.description, sourcePrefix: document.sourcePrefix(in: team))
  }
}

extension EntitlementsDocument {
  /// A prefix that is written out in a plist is a label, which is read as the vault's.
  func sourcePrefix(in team: TeamID) -> String? { literalTeam.flatMap { $0 == team.description ? nil : $0 } }
}

extension TeamID {
  /// Stands for the team of a vault that does not exist yet, in checks that do not depend on the team.
  static let placeholder = TeamID(genesis: EntryHash(.zero))
}
