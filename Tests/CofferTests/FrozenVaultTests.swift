import Coffer
import CofferVault
import CofferCrypto
import CofferFormat
import CofferKeys
import CofferStore
import CofferTestSupport
import CofferTrust
import Foundation
import Testing

/// Vaults written by released programs, kept as files. Every future version must open them with all their contents.
@Suite struct FrozenVaultTests {
  /// Returns a copy that may be changed, with the file modes that git does not keep.
  private func vault(_ version: String) throws -> (TemporaryDirectory, VaultLocation) {
    let directory = try TemporaryDirectory()
    let frozen = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "FrozenVaults/\(version)")
    let folder = directory.url.appending(path: "vault")
    try FileManager.default.copyItem(at: frozen, to: folder)
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      let file = folder.appending(path: path)
      var isFolder: ObjCBool = false
      _ = unsafe FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder)
      try FileManager.default.setAttributes(
        [.posixPermissions: isFolder.boolValue ? 0o700 : 0o600], ofItemAtPath: file.path)
    }
    return (directory, VaultLocation(folder: folder))
  }

  /// Opens a vault as an app, and checks the items that each frozen vault has.
  private func openWithItems(_ location: VaultLocation) throws -> (LocalVault, Vault) {
    let local = try LocalVault.open(VaultFolder(location))
    let pro = try Vault.open(applicationNamed: "com.example.photo.pro", in: local.folder).vault
    for (account, value) in [
      ("updated", "three"), ("deleted", nil), ("waiting", "never synced"), ("conflict", "from the first"),
    ] {
      #expect(try pro.string(for: GenericPassword(service: "service", account: account)) == value, "\(account)")
    }
    return (local, pro)
  }

  private func expectWritable(_ vault: Vault) throws {
    let item = GenericPassword(service: "service", account: "updated")
    try vault.set("four", for: item)
    #expect(try vault.string(for: item) == "four")
  }

  @Test func `A vault of version 1 opens with every item, conflict and version, and can be written`() throws {
    let (directory, location) = try vault("version-1")
    defer { withExtendedLifetime(directory) {} }
    let (local, pro) = try openWithItems(location)
    #expect(
      try pro.storedItem(for: GenericPassword(service: "service", account: "conflict"))?.hasConflict == true)
    #expect(
      try pro.storedItem(for: GenericPassword(service: "service", account: "updated"))?.item.label == "Updated")
    let found = try pro.list(ItemQuery<GenericPassword>().matching(.label, "Photo Pro"))
    #expect(found.items.map(\.item.service) == ["store.example.com"] && found.damaged.isEmpty)
    #expect(try pro.count(GenericPassword.self) == 4)
    #expect(try VaultStatus.read(from: local).unsyncedChanges == 1)
    try expectWritable(pro)
    // After the update, the next program finds it up to date.
    let again = try LocalVault.open(VaultFolder(location))
    let free = try Vault.open(applicationNamed: "com.example.photo.free", in: VaultFolder(location)).vault
    #expect(
      try free.string(for: GenericPassword(service: "store.example.com", account: "photo-pro")) == "receipt-4711")
    try again.store.checkIntegrity()
  }

  @Test func `A vault of version 2 opens with every item, conflict and unsynced change, and can be written`() throws {
    let (directory, location) = try vault("version-2")
    defer { withExtendedLifetime(directory) {} }
    let (local, pro) = try openWithItems(location)
    #expect(try pro.conflicts(GenericPassword.self).count == 2)
    let status = try VaultStatus.read(from: local)
    #expect(status.unsyncedChanges == 2 && status.logLength == 16 && status.machines.count == 2)
    // What was published remains so, under identifiers that the next sync determines.
    let segments = try local.store.read { try $0.publishedSegments() }
    #expect(segments.count == 4 && segments.allSatisfy { $0.file.isEmpty })
    #expect(try local.store.read { try $0.publishedLogLength() } == 16)
    try expectWritable(pro)
    try local.store.checkIntegrity()
  }

  @Test func `A vault of version 3 opens with every item, and the next sync looks at its pending record again`() throws
  {
    let (directory, location) = try vault("version-3")
    defer { withExtendedLifetime(directory) {} }
    let (local, pro) = try openWithItems(location)
    let status = try VaultStatus.read(from: local)
    #expect(status.unsyncedChanges == 1 && status.logLength == 16 && status.machines.count == 2)
    #expect(status.pendingRecords + status.refusedRecords == 1)
    // Of which segment it is part, only the sync can tell, which has the transport key.
    #expect(try local.store.read { try $0.setting(.validatedLog) } == nil)
    #expect(try local.compareSummary() == .absent)
    try expectWritable(pro)
    try local.store.checkIntegrity()
  }

  @Test func `A vault of version 4 opens with every item and conflict, in the order of their records`() throws {
    let (directory, location) = try vault("version-4")
    defer { withExtendedLifetime(directory) {} }
    let (local, pro) = try openWithItems(location)
    let status = try VaultStatus.read(from: local)
    #expect(status.unsyncedChanges == 1 && status.logLength == 19 && status.machines.count == 2)
    #expect(status.groups.map(\.itemCount).reduce(0, +) == 6 && status.groups.map(\.conflictCount).reduce(0, +) == 1)
    #expect(try local.compareSummary() == .absent)
    // These records do not name the creation of their items, so the last version of each counts.
    #expect(
      try pro.list(GenericPassword.self).items.map(\.item.account)
        == ["early", "photo-pro", "jane@example.com", "updated", "conflict", "waiting"])
    #expect(try pro.count(GenericPassword.self) == 6)
    let found = try pro.list(ItemQuery<GenericPassword>().matching(.label, "Photo Pro"))
    #expect(found.items.map(\.item.account) == ["photo-pro"])
    try expectWritable(pro)
    // From now on, the item has the place of its creation.
    #expect(try pro.list(GenericPassword.self).items.map(\.item.account).prefix(2) == ["early", "updated"])
    #expect(try pro.conflicts(GenericPassword.self).count == 1)
    try local.store.checkIntegrity()
    let report = try VaultCheck.open(VaultFolder(location)).run()
    #expect(report.differences.isEmpty, "\(report.differences)")
  }

  @Test func `A vault of version 5 opens with every item and conflict, and with no revocation`() throws {
    let (directory, location) = try vault("version-5")
    defer { withExtendedLifetime(directory) {} }
    let (local, pro) = try openWithItems(location)
    let status = try VaultStatus.read(from: local)
    #expect(status.unsyncedChanges == 1 && status.logLength == 16 && status.machines.count == 2)
    #expect(status.revokedMachines.isEmpty && status.revocation == nil)
    #expect(
      try pro.list(GenericPassword.self).items.map(\.item.account)
        == ["early", "photo-pro", "updated", "conflict", "waiting"])
    #expect(try pro.conflicts(GenericPassword.self).count == 1)
    #expect(try local.store.read { try $0.recordLists() }.isEmpty)
    // No row has changed, so the summary of the version that wrote them holds.
    #expect(try local.compareSummary() == .equal)
    try expectWritable(pro)
    try local.store.checkIntegrity()
    let report = try VaultCheck.open(VaultFolder(location)).run()
    #expect(report.differences.isEmpty, "\(report.differences)")
  }

  @Test func `A vault of version 6 opens with every item and conflict, its revocation, and no later epoch`() throws {
    let (directory, location) = try vault("version-6")
    defer { withExtendedLifetime(directory) {} }
    let (local, pro) = try openWithItems(location)
    let status = try VaultStatus.read(from: local)
    #expect(status.unsyncedChanges == 1 && status.logLength == 21 && status.machines.count == 1)
    #expect(status.revokedMachines.count == 1 && status.revocation == nil)
    #expect(
      try pro.list(GenericPassword.self).items.map(\.item.account)
        == ["early", "photo-pro", "updated", "conflict", "waiting"])
    #expect(try pro.conflicts(GenericPassword.self).count == 1)
    #expect(try local.store.read { try $0.recordLists().count } == 1)
    #expect(try local.store.read { try $0.epochBranch() } == .first)
    #expect(try local.store.read { try $0.checkpoints() }.isEmpty)
    // The tables that were added are empty, so the summary of the version that wrote the others holds.
    #expect(try local.compareSummary() == .equal)
    try expectWritable(pro)
    #expect(try local.compareSummary() == .equal)
    try local.store.checkIntegrity()
    let report = try VaultCheck.open(VaultFolder(location)).run()
    #expect(report.differences.isEmpty, "\(report.differences)")
  }

  @Test func `A machine that has no delivery key states one with its next change of membership, once`() throws {
    let (directory, location) = try vault("version-5")
    defer { withExtendedLifetime(directory) {} }
    let local = try LocalVault.open(VaultFolder(location))
    let registration = AppRegistration(local, passphrase: .unavailable)
    let pro = try local.application(named: "com.example.photo.pro")
    let before = try local.membership()
    let own = try #require(local.machine(in: before))
    #expect(own.deliveryKey == nil && own.admin != nil && !local.folder.deliveryFile.exists)
    // Nothing can be delivered to the other machine, whose owner is told what to do.
    let other = try #require(before.members.first { $0.id != own.id })
    let error = #expect(throws: VaultError.self) { try registration.deliver(pro, to: other.id) }
    #expect(error?.recoverySuggestion?.contains("upgrade Coffer on") == true, "\(error?.description ?? "")")
    _ = try registration.install(pro)
    let after = try local.membership()
    let key = try local.folder.deliveryFile.read { try DeliveryFile(secretBytes: $0).open(passphrase: nil) }
    #expect(after.devices[own.id]?.deliveryKey == key.publicKey && after.devices[own.id]?.admin == own.admin)
    #expect(after.devices[own.id]?.enrolled == own.enrolled)
    _ = try registration.install(pro)
    #expect(try local.membership().devices == after.devices)
    let log = try LogPage.read(from: local, limit: nil).lines
    #expect(log.filter { $0.action.hasPrefix("stated the key of the machine") }.count == 1)
    #expect(log.filter { $0.action.hasPrefix("enrolled the machine") }.count == 2)
  }

  /// Puts a delivery file beside the admin keys of version 0.1.0, which are sealed under "right", and changes the
  /// membership.
  ///
  /// - Parameter passphrase: The passphrase of the file; nil for none.
  /// - Returns: The key that was put there, the one in the file afterwards, and the one that the log states.
  /// - Throws: An error if the vault cannot be changed.
  private func keys(afterPlanting passphrase: String?) throws -> (planted: BoxKey, kept: BoxKey, stated: BoxKey?) {
    let (directory, location) = try vault("version-5")
    defer { withExtendedLifetime(directory) {} }
    let local = try LocalVault.open(VaultFolder(location))
    let genesis = try local.membership().genesis.hash
    let source = PassphraseSource { (_) throws(VaultError) in SecretText(copying: "right".utf8) }
    func sealAll() throws {
      try PassphraseChange.begin(local, current: source).finish(SecretText(copying: "right".utf8))
    }
    try sealAll()
    let planted = AgreementKey.random()
    let file = try passphrase.map {
      try DeliveryFile(genesis: genesis, key: planted, passphrase: SecretText(copying: $0.utf8))
    }
    var bytes = (file ?? DeliveryFile(genesis: genesis, unprotected: planted)).secretBytes()
    try local.folder.deliveryFile.write(wiping: &bytes)
    #expect(try local.hasPassphrase)
    // A change of the passphrase does not seal a key that anybody could read.
    if passphrase == nil { try sealAll() }
    _ = try AppRegistration(local, passphrase: source).install(local.application(named: "com.example.photo.pro"))
    let kept = try local.folder.deliveryFile.read { try DeliveryFile(secretBytes: $0) }
    #expect(kept.needsPassphrase)
    let membership = try local.membership()
    let key = try kept.open(passphrase: SecretText(copying: "right".utf8))
    return (planted.publicKey, key.publicKey, local.machine(in: membership)?.deliveryKey)
  }

  @Test(arguments: [nil, "another one"])
  func `A delivery key that another program puts beside sealed admin keys is never stated`(passphrase: String?) throws {
    let keys = try keys(afterPlanting: passphrase)
    #expect(keys.stated == keys.kept && keys.kept != keys.planted)
  }

  @Test func `A delivery key that a program sealed before it crashed is stated by the next one`() throws {
    let keys = try keys(afterPlanting: "right")
    #expect(keys.stated == keys.kept && keys.kept == keys.planted)
  }

  @Test func `A vault of version 4 with rows that refer to no record is upgraded without them`() throws {
    let (directory, location) = try vault("version-4")
    defer { withExtendedLifetime(directory) {} }
    try Command.run(
      "sqlite3", VaultFolder(location).storePath,
      """
      INSERT INTO outbox (record, group_id) VALUES (7777, x'00'); INSERT INTO edge VALUES (x'00', 7777);
      INSERT INTO token SELECT group_id, token, 7777 FROM token LIMIT 1;
      """)
    let (local, _) = try openWithItems(location)
    try local.store.checkIntegrity()
  }

  @Test(arguments: ["version-1", "version-2", "version-3", "version-4", "version-5", "version-6"])
  func `Programs that open an older vault at the same time all succeed in updating it`(version: String) async throws {
    let (directory, location) = try vault(version)
    defer { withExtendedLifetime(directory) {} }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { _ = try LocalVault.open(VaultFolder(location)) }
      }
      try await group.waitForAll()
    }
    try LocalVault.open(VaultFolder(location)).store.checkIntegrity()
  }
}
