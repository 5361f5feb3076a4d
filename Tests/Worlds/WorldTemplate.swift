import Coffer
import CofferAdministration
import CofferExchange
import CofferFormat
import CofferStore
import CofferTrust
import CofferVault
import Foundation

/// The machines and the host with which a world begins, which are made once and then copied.
final class WorldTemplate {
  let folder: URL
  let host: WorldHost
  let vaultKey: VaultKey
  /// The machines of the vault: two admins and a member.
  static let machines = [
    (name: "laptop", isAdmin: true), (name: "desktop", isAdmin: true), (name: "tablet", isAdmin: false),
  ]

  init(in folder: URL) throws {
    self.folder = folder
    host = try WorldHost(copying: nil)
    var key: VaultKey?
    let disk = folder.appending(path: "laptop", directoryHint: .isDirectory)
    let location = VaultLocation(folder: WorldMachine.vault(on: disk))
    try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: true)
    try VaultCreation.create(at: location, deviceName: "laptop", protection: .none) { key = $0 }
    guard let key else { throw WorldFault("the vault has no key") }
    vaultKey = key
    let local = try LocalVault.open(VaultFolder(location))
    try local.store.write { try $0.setSetting(.remoteURL, Array(WorldMachine.url.utf8)) }
    let plist = [UInt8](Self.plist.utf8)
    let link = try WorldLink(to: host)
    try WorldMachine.publication(over: link).register(in: local) { (_) throws(VaultError) in
      let outcome = try AppRegistration(local, passphrase: .unavailable).register(
        AppRegistration.Request(plist: plist, source: "the world", bundleID: nil, sourcePrefix: nil))
      return (outcome.credentials, outcome.position)
    }
    for (name, isAdmin) in Self.machines.dropFirst() {
      _ = try Self.join(
        named: name, on: folder.appending(path: name, directoryHint: .isDirectory), isAdmin: isAdmin,
        over: WorldLink(to: host), with: vaultKey)
    }
  }

  /// Copies the disk of a machine.
  func copy(_ name: String, to folder: URL) throws -> URL {
    let disk = folder.appending(path: name, directoryHint: .isDirectory)
    try FileManager.default.copyItem(at: self.folder.appending(path: name), to: disk)
    return disk
  }

  /// Lets a machine clone the vault, as `coffer clone` does.
  static func join(
    named name: String, on disk: URL, isAdmin: Bool, over link: WorldLink, with vaultKey: VaultKey
  ) throws {
    try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: true)
    let staging = try StagingFolder.create(for: VaultLocation(folder: WorldMachine.vault(on: disk)))
    _ = try VaultDownload(access: link.access).run(from: WorldMachine.url, into: staging.folder)
    let enrolment = try Enrolment.begin(
      in: staging.folder, vaultKey: vaultKey, as: isAdmin ? .admin : .member(apps: [WorldMachine.app]))
    try enrol(enrolment, named: name, by: WorldMachine.publication(over: link))
    try staging.moveIntoPlace()
  }

  /// Publishes a machine, and installs the credentials of its apps.
  static func enrol(_ enrolment: Enrolment, named name: String, by publication: MembershipPublication) throws {
    let staging = enrolment.vault.folder
    try enrolment.writeOwnerKeys(.none)
    if try enrolment.lacksRecordLists { try publication.sync(staging) }
    var credentials: [PendingCredential] = []
    try publication.pushUntilAccepted(staging) { (_) throws(VaultError) in
      let joined = try enrolment.join(deviceName: name, protection: .none)
      credentials = joined.credentials
      return joined.position
    }
    for credential in credentials { try credential.install(in: enrolment.vault) }
  }

  private static let plist = """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict>
    <key>application-identifier</key><string>$(AppIdentifierPrefix)\(WorldMachine.app)</string>
    </dict></plist>
    """
}

/// What must not happen in a world.
struct WorldFault: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
