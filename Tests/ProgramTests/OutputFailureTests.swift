import CofferTestSupport
import Foundation
import Testing

/// Output that goes nowhere: a full disk, and a reader that has enough.
@Suite struct OutputFailureTests {
  private let machine: Machine

  init() throws {
    machine = try Machine.withExamples()
    let remote = machine.directory.path("vault.git")
    try Command.run("git", "init", "--quiet", "--bare", remote)
    try machine.coffer("remote", "set", remote)
    try machine.succeed("coffer", ["set", "s", "a", "--app", "com.example.photo.pro"], input: "value")
  }

  static let commands = [
    ["sync"], ["sync", "--json"], ["status"], ["list", "--app", "com.example.photo.pro"],
    ["remote", "set", "vault.git"], ["get", "s", "a", "--app", "com.example.photo.pro"], ["--help"], ["help", "sync"],
    ["--version"],
  ]

  @Test(arguments: commands)
  func `A command whose output does not fit on the disk fails, and says why`(arguments: [String]) throws {
    let line = "cd '\(machine.directory.path)' && exec \"$0\" \"$@\" > /dev/full"
    let failed = try machine.start("/bin/sh", ["-c", line, Machine.path(of: "coffer")] + arguments).wait()
    expectFailure(failed, 1, "coffer: cannot write to standard output: No space left on device; free some space")
  }

  @Test(arguments: commands)
  func `A command whose reader has gone ends without a message, as other programs do`(arguments: [String]) throws {
    let script = """
      import os, subprocess, sys
      reader, writer = os.pipe()
      os.close(reader)
      result = subprocess.run(sys.argv[1:], stdout=writer, stderr=subprocess.PIPE)
      print(result.returncode, result.stderr.decode(), sep="")
      """
    let program = ["-c", script, Machine.path(of: "coffer")]
    let outcome = try machine.start(
      "/usr/bin/python3", program + arguments, wrapper: ["env", "--chdir=\(machine.directory.path)"]
    ).wait()
    #expect(outcome.text == "-\(SIGPIPE)", "\(outcome)")
  }
}
