import Coffer
import CofferAdministration
import CofferExchange
import CofferFormat
import CofferGit
import CofferTestSupport
import CofferVault
import Foundation

/// Backups, which restore what their machine had, whatever had happened to it.
extension World {
  func backUp(_ machine: WorldMachine) throws {
    let file = folder.appending(path: "\(machine.name)-\(step).coffer").path(percentEncoded: false)
    func write() throws {
      let creation = BackupCreation(machine.folder, cancellation: Cancellation(), logger: WorldMachine.logger)
      _ = try act(machine) { try creation.run(to: file) }
    }
    if chance(30), let remains = try machine.killing(at: 1 + number(below: 4), { _ = try? write() }) {
      try machine.restart(from: remains)
      note("killed backup", "\(machine.name) at \(remains.point)")
    }
    do {
      try write()
    } catch let error as VaultError {
      // It says what this machine knows to be at the remote, and has not received.
      note("refused backup", "\(machine.name): \(error)")
      guard try machine.lacksObjects else { throw WorldFault("the backup of \(machine.name) failed: \(error)") }
      return
    }
    let restored = try restoreBackup(file, as: "restored-\(step)")
    note("backup", machine.name)
    for item in 0..<Self.itemCount {
      let (before, after) = (try machine.values(of: item), try restored.values(of: item))
      // What stays on its machine, and a deletion of that, is in no backup.
      let isKept =
        !model.values(before, thatStay: true).isEmpty || before.contains(nil) && model.concern(item, machine.kept)
      guard before == after || isKept else {
        throw WorldFault("the backup of \(machine.name) has \(words(after)) in item \(item), and not \(words(before))")
      }
    }
    let differences = try VaultCheck.open(restored.folder).run()
    guard differences.isEmpty else { throw WorldFault("the check of a backup finds: \(differences.lines)") }
    try FileManager.default.removeItem(at: restored.disk)
  }

  /// Creates the vault of a backup on a machine of its own, which has no remote.
  private func restoreBackup(_ file: String, as name: String) throws -> WorldMachine {
    let disk = folder.appending(path: name, directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: true)
    let staging = try StagingFolder.create(for: VaultLocation(folder: WorldMachine.vault(on: disk)))
    let backup = try BackupUnpacking().run(file, into: staging.folder)
    let enrolment = try Enrolment.begin(in: staging.folder, vaultKey: template.vaultKey)
    try WorldTemplate.enrol(enrolment, named: name, by: WorldMachine.publication(over: nil))
    try enrolment.vault.removeRemote()
    try FileManager.default.removeItem(atPath: backup.repository)
    try staging.moveIntoPlace()
    return try WorldMachine(named: name, on: disk, link: WorldLink(to: host))
  }
}
