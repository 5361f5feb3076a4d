import Coffer
import CofferVault
import CofferTestSupport
import Foundation
import Testing

@Suite struct FullDiskTests {
  /// Mounting needs root and a kernel that allows it; otherwise the store's own tests cover as much as they can.
  static let canMount: Bool = {
    guard getuid() == 0, let directory = try? TemporaryDirectory() else { return false }
    guard (try? Command.run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", directory.path)) != nil else {
      return false
    }
    return (try? Command.run("umount", directory.path)) != nil
  }()

  @Test(.enabled(if: canMount, "needs root to mount a small tmpfs"))
  func `A write fails with Keychain's code for it, changes nothing, and succeeds when there is space`() throws {
    let tampered = try TamperedVault()
    let disk = try TemporaryDirectory()
    try Command.run("mount", "-t", "tmpfs", "-o", "size=4m,mode=700", "tmpfs", disk.path)
    defer { _ = try? Command.run("umount", "-l", disk.path) }
    try Command.run("cp", "-a", tampered.machine.vault.path, disk.path("vault"))
    let location = VaultLocation(folder: URL(fileURLWithPath: disk.path("vault")))
    let vault = try Vault.open(.file(URL(fileURLWithPath: tampered.plistPath)), at: location)
    let kept = GenericPassword(service: "s", account: "kept")
    let large = GenericPassword(service: "s", account: "large")
    try vault.set("kept", for: kept)
    let filler = disk.path("filler")
    #expect(throws: (any Error).self) { try Command.run("dd", "if=/dev/zero", "of=\(filler)", "bs=64k") }
    var failure: VaultError?
    do { try vault.set([UInt8](repeating: 1, count: 1 << 20), for: large) } catch { failure = error }
    #expect(failure?.code == .diskFull && failure?.osStatus == -34, "\(String(describing: failure))")
    do {
      try vault.transaction {
        try vault.delete(kept)
        try vault.set([UInt8](repeating: 1, count: 1 << 20), for: large)
      }
      Issue.record("a transaction went through on a full disk")
    } catch {
      #expect((error as? VaultError)?.code == .diskFull)
    }
    #expect(try vault.string(for: kept) == "kept")
    #expect(try vault.count(GenericPassword.self) == 1)
    try FileManager.default.removeItem(atPath: filler)
    try vault.set([UInt8](repeating: 1, count: 1 << 20), for: large)
    #expect(try vault.bytes(for: large)?.count == 1 << 20)
  }
}
