import CofferTestSupport
import Foundation
import Testing

/// Reading on a disk that has no space left.
@Suite struct FullDiskReadingTests {
  private let machine: Machine
  private let app = ["--app", "com.example.photo.pro"]

  init() throws {
    machine = try Machine.withExamples()
    try machine.succeed("coffer", ["set", "s", "kept"] + app, input: "value")
  }

  /// Moves the machine's folder to a disk, and fills it.
  private func fillDisk() throws -> SmallDisk {
    let disk = try SmallDisk(replacing: machine.home.path, megabytes: 4)
    machine.wrapper = disk.wrapper
    try disk.fill()
    return disk
  }

  @Test func `Commands that read go on, and one that writes says what to do and changes nothing`() throws {
    let disk = try fillDisk()
    #expect(try machine.succeed("coffer", ["get", "s", "kept"] + app) == "value")
    #expect(try machine.succeed("coffer", ["get", "s", "kept", "--group", "com.example.photo.pro"]) == "value")
    for command in [["list"], ["list", "--tree"], ["show", "s", "kept"], ["history", "s", "kept"], ["conflicts"]] {
      let outcome = try machine.start("coffer", command + app).wait()
      #expect(outcome.exitCode == 0 && outcome.errors.isEmpty, "\(command): \(outcome)")
    }
    for command in [["status"], ["log"], ["app", "list"], ["group", "list"], ["why", "com.example.photo.pro"]] {
      let outcome = try machine.start("coffer", command).wait()
      #expect(outcome.exitCode == 0 && outcome.errors.isEmpty, "\(command): \(outcome)")
    }
    for command in [["set", "s", "other"], ["delete", "s", "kept"]] {
      let outcome = try machine.start("coffer", command + app, input: Data("x".utf8)).wait()
      expectFailure(outcome, 1, "no space is left on the disk", "free some")
    }
    #expect(try machine.succeed("coffer", ["get", "s", "kept"] + app) == "value")
    disk.free()
    try machine.succeed("coffer", ["set", "s", "other"] + app, input: "later")
    #expect(try machine.succeed("coffer", ["get", "s", "other"] + app) == "later")
    #expect(try machine.coffer("check") == "The store matches its signed objects.")
  }

  @Test func `A write that only the log of the store has is read, and is not lost`() throws {
    let disk = try SmallDisk(replacing: machine.home.path, megabytes: 4)
    machine.wrapper = disk.wrapper
    let killed = try machine.start(
      "coffer", ["set", "s", "late"] + app, input: Data("in the log".utf8),
      environment: [
        "COFFER_FAULT_POINT": "transactionCommitted:1", "COFFER_FAULT_LOG": machine.directory.path("steps"),
      ]
    ).wait()
    #expect(killed.signal == SIGKILL, "\(killed)")
    try disk.fill()
    for _ in 1...2 { #expect(try machine.succeed("coffer", ["get", "s", "late"] + app) == "in the log") }
    disk.free()
    #expect(try machine.succeed("coffer", ["get", "s", "late"] + app) == "in the log")
    #expect(try machine.coffer("check") == "The store matches its signed objects.")
  }

  @Test func `Many programs can read at the same time`() throws {
    let disk = try fillDisk()
    let programs = try (1...6).map { _ in try machine.start("coffer", ["get", "s", "kept"] + app) }
    for program in programs { #expect(try program.wait().text == "value") }
    disk.free()
  }

  @Test(.enabled(if: getuid() == 0, "needs root to mount a disk read-only"))
  func `On a disk that is mounted read-only, the advice is not about owner and mode`() throws {
    let bound = "mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro \"$1\" && shift && exec \"$@\""
    let wrapper = ["unshare", "--mount", "sh", "-c", bound, "sh", machine.home.path]
    for command in [["get", "s", "kept"] + app, ["set", "s", "kept"] + app] {
      let outcome = try machine.start("coffer", command, input: Data("x".utf8), wrapper: wrapper).wait()
      expectFailure(outcome, 1, machine.vault.path, "mount the file system writable")
      #expect(!outcome.errors.contains("owner"), "\(outcome)")
      #expect(outcome.errors.contains("copy the folder with `vaults` to another disk"), "\(outcome)")
    }
    let copy = machine.directory.path("copy")
    try FileManager.default.copyItem(atPath: machine.home.path, toPath: copy)
    let read = try machine.run("coffer", "get", "s", "kept", app[0], app[1], environment: ["COFFER_HOME": copy])
    #expect(read.exitCode == 0, "\(read)")
  }
}
