import Coffer
import CofferCrypto
import CofferFormat
import CofferKeys
import CofferStore
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation

extension Machine {
  /// Enrols another machine, which is no admin, with keys for an app. No command does it, and the machine does not
  /// exist.
  ///
  /// - Parameters:
  ///   - name: The machine's name.
  ///   - bundleID: The bundle identifier of a registered app.
  ///   - owner: The machine whose admin signs it; nil for this one.
  /// - Returns: The machine's identifier.
  /// - Throws: The errors of the vault, whose admin keys must need no passphrase.
  func enrolMember(_ name: String, with bundleID: String, by owner: Machine? = nil) throws -> String {
    let local = try LocalVault.open(VaultFolder(vault))
    var membership = try local.membership()
    let keys = try LocalVault.open(VaultFolder((owner ?? self).vault)).folder.adminFile.read {
      try AdminFile(secretBytes: $0).open(passphrase: nil)
    }
    let signer = LogEntry.Signer.admin(AuthorID(vault: membership.vault, keys: keys.publicKeys))
    let own = PartyKeys.random()
    let device = DeviceID(vault: membership.vault, keys: own.publicKeys)
    let app = try membership.apps[local.application(named: bundleID)].map(\.registration)
    guard let app else { throw VaultError(.itemNotFound, "no such app") }
    let statements: [Statement] = [
      .device(
        DeviceStatement(keys: own.publicKeys, role: .member(delivery: AgreementKey.random().publicKey), name: name)),
      .principal(PrincipalStatement(app: app, device: device, keys: PartyKeys.random().publicKeys)),
    ]
    for statement in statements {
      let entry = LogEntry(
        vault: membership.vault, after: membership.head, time: .now, signer: signer, key: keys.signing,
        statement: statement)
      try membership.apply(entry)
      try local.store.write {
        try $0.appendLogEntry(sequence: entry.sequence, entry: entry.bytes, envelope: [], published: nil)
      }
    }
    return device.description
  }
}
