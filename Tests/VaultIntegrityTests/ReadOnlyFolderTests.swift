import Coffer
import CofferVault
import CofferTestSupport
import Foundation
import Testing

/// A vault that cannot be written: on a file system mounted read-only, or in a folder of another user.
@Suite struct ReadOnlyFolderTests {
  /// Expects true values or a read-only error from reads, an error from writes, and an unchanged vault afterwards.
  private func expectReadOnly(_ location: VaultLocation, _ tampered: TamperedVault) throws {
    let item = GenericPassword(service: "s", account: "kept")
    var errors: [VaultError] = []
    do throws(VaultError) {
      let vault = try Vault.open(.file(URL(fileURLWithPath: tampered.plistPath)), at: location)
      do throws(VaultError) {
        #expect(try vault.string(for: item) == "kept")
      } catch {
        errors.append(error)
      }
      do throws(VaultError) {
        try vault.set("changed", for: item)
        Issue.record("a write to a read-only place went through")
      } catch {
        errors.append(error)
      }
    } catch {
      errors.append(error)
    }
    #expect(!errors.isEmpty)
    for error in errors {
      #expect(error.code == .readOnly && error.osStatus == -61, "\(error)")
      #expect(error.message.contains(location.folder.path) && error.recoverySuggestion != nil, "\(error)")
    }
  }

  @Test(.enabled(if: FullDiskTests.canMount, "needs root to mount a small tmpfs"))
  func `On a read-only file system it is read, or the error gives the reason, and it stays intact`() throws {
    let tampered = try TamperedVault()
    try tampered.vault.set("kept", for: GenericPassword(service: "s", account: "kept"))
    let disk = try TemporaryDirectory()
    try Command.run("mount", "-t", "tmpfs", "-o", "size=8m,mode=700", "tmpfs", disk.path)
    defer { _ = try? Command.run("umount", "-l", disk.path) }
    try Command.run("cp", "-a", tampered.machine.vault.path, disk.path("vault"))
    try Command.run("mount", "-o", "remount,ro", disk.path)
    let location = VaultLocation(folder: URL(fileURLWithPath: disk.path("vault")))
    try expectReadOnly(location, tampered)
    try Command.run("mount", "-o", "remount,rw", disk.path)
    let vault = try Vault.open(.file(URL(fileURLWithPath: tampered.plistPath)), at: location)
    #expect(try vault.string(for: GenericPassword(service: "s", account: "kept")) == "kept")
    try vault.set("changed", for: GenericPassword(service: "s", account: "kept"))
  }

  @Test func `In a folder without write permission it is read, or the error names the folder and a check`() throws {
    let tampered = try TamperedVault()
    let machine = tampered.machine
    try machine.coffer("set", "s", "kept", "--app", "com.example.one", input: "kept")
    // Root may write anywhere, so another user runs the program.
    let isRoot = getuid() == 0
    let wrapper = isRoot ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
    let program = machine.directory.path("coffer-copy")
    try Command.run("cp", Machine.path(of: "coffer"), program)
    if isRoot { try Command.run("chown", "-R", "65534:65534", machine.directory.path) }
    try Command.run("chmod", "755", machine.directory.path)
    try Command.run("chmod", "500", machine.vault.path)
    try Command.run("chmod", "400", machine.vault.appending(path: "store.sqlite").path)
    let arguments = ["get", "s", "kept", "--app", "com.example.one"]
    let reading = try machine.start(program, arguments, wrapper: wrapper).wait()
    #expect(
      reading.text == "kept" || (reading.errors.contains(machine.vault.path) && reading.errors.contains("mode")),
      "\(reading)")
    let writing = try machine.start(
      program, ["set", "s", "kept", "--app", "com.example.one"], input: Data("changed".utf8), wrapper: wrapper
    ).wait()
    #expect(writing.exitCode == 1 && writing.errors.contains(machine.vault.path), "\(writing)")
    #expect(writing.errors.contains("mode"), "\(writing)")
    try Command.run("chmod", "700", machine.vault.path)
    try Command.run("chmod", "600", machine.vault.appending(path: "store.sqlite").path)
    #expect(try machine.start(program, arguments, wrapper: wrapper).wait().text == "kept")
  }
}
