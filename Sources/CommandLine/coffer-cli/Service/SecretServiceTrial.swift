internal import Coffer
internal import CofferAgent
internal import CofferFormat
internal import CofferSystem
internal import CofferTerminal
internal import CofferTrust
internal import CofferVault

/// A search for one item of the vault through the Secret Service that answers, as a program of the desktop searches.
struct SecretServiceTrial {
  let result: SecretServiceLookUp
  /// The name of the item, for people.
  private let name: String

  /// Searches for an item that the desktop's programs have. Returns nil if they have none, or if their items cannot be
  /// listed without a passphrase: nobody is asked for this.
  static func run() throws(VaultError) -> SecretServiceTrial? {
    let folder = try VaultFolder(.standard())
    guard folder.exists, let application = try OwnApp.desktop.installed(in: LocalVault.open(folder)) else { return nil }
    let vault = try Vault.open(applicationNamed: application.description, in: folder).vault
    if vault.isLocked { _ = try? vault.unlockFromAgent(awaitsPerson: false) }
    guard !vault.isLocked, let group = try vault.defaultAccessGroup else { return nil }
    let items = try vault.find(ItemSearch(.genericPassword, group: group), withValues: false, damaged: { _ in })
    for item in items {
      guard let record = SecretServiceRecord(of: item.attributes), record.aliases == nil, !record.attributes.isEmpty
      else { continue }
      let name = item.attributes.string(.label) ?? item.attributes.string(.service) ?? ""
      return SecretServiceTrial(result: try SecretServiceProgram.lookUp(record.attributes), name: name)
    }
    return nil
  }

  /// Says what the search has found. Throws `io` if it has not found what the vault has.
  func show() throws {
    let name = name.sanitizedForTerminal()
    switch result {
    case .found, .denied:
      try Output.line("Programs find what the vault has: \"\(name)\" was looked up through the new service.")
    case .locked: Terminal.printNote("programs find what the vault has after: coffer unlock")
    case .absent, .failed:
      throw VaultError(
        .io,
        result == .absent
          ? "the Secret Service does not find \"\(name)\", which the vault has" : "the Secret Service does not answer",
        recoverySuggestion: "see which program answers with: coffer secret-service status")
    }
  }
}
