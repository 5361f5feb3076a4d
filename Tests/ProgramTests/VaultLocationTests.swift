import CofferTestSupport
import Foundation
import Testing

@Suite struct VaultLocationTests {
  @Test func `COFFER_HOME takes precedence over XDG_DATA_HOME, and that over HOME`() throws {
    let machine = try Machine()
    let folders = ["COFFER_HOME": "one", "XDG_DATA_HOME": "two", "HOME": "three"].mapValues {
      machine.directory.path($0)
    }
    machine.environment.merge(folders) { $1 }
    try machine.coffer("init", "--no-passphrase")
    machine.environment["COFFER_HOME"] = nil
    try machine.coffer("init", "--no-passphrase")
    machine.environment["XDG_DATA_HOME"] = nil
    try machine.coffer("init", "--no-passphrase")
    for place in ["one/vaults/default", "two/coffer/vaults/default", "three/.local/share/coffer/vaults/default"] {
      #expect(FileManager.default.fileExists(atPath: machine.directory.path(place + "/store.sqlite")))
    }
  }

  @Test func `Without HOME and COFFER_HOME the error names the variables to set`() throws {
    let machine = try Machine()
    for command in ["status", "list", "init"] {
      expectFailure(
        try machine.run("coffer", command, environment: ["HOME": "", "COFFER_HOME": ""]), 2, "set COFFER_HOME")
    }
  }

  @Test(arguments: ["COFFER_HOME", "XDG_DATA_HOME", "HOME"])
  func `A relative folder is refused`(variable: String) throws {
    let machine = try Machine()
    machine.environment["COFFER_HOME"] = nil
    expectFailure(
      try machine.run("coffer", "status", environment: [variable: "some/where"]), 2, variable, "absolute path")
  }

  @Test func `Without a vault every command says how to create one`() throws {
    let machine = try Machine()
    let commands = [
      ["status"], ["list"], ["get", "s", "a"], ["delete", "s", "a"], ["app", "list"],
      ["app", "show", "x"], ["app", "install", "x"], ["group", "list"], ["remote", "show"], ["sync"],
    ]
    for command in commands {
      expectFailure(try machine.start("coffer", command).wait(), 1, machine.vault.path, "coffer init", "coffer clone")
    }
    #expect(!FileManager.default.fileExists(atPath: machine.home.path))
  }

  @Test func `A file at the path of the folder is named and left unchanged`() throws {
    let machine = try Machine()
    let file = try machine.directory.write("home", "a file")
    expectFailure(try machine.run("coffer", "init", "--no-passphrase"), 1, file, "Not a directory", "COFFER_HOME")
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "a file")
    expectFailure(try machine.run("coffer", "status"), 1, "no vault")
  }

  @Test func `An unwritable folder and another user's vault are named with a check to make`() throws {
    let machine = try Machine()
    // Root may write anywhere, so another user runs the program.
    let stranger = getuid() == 0
    let wrapper = stranger ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
    let program = machine.directory.path("coffer")
    // Copied by a child process: while another test starts a child, that child could hold the copy open for writing.
    try Command.run("cp", Machine.path(of: "coffer"), program)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: machine.directory.path)
    try FileManager.default.createDirectory(
      at: machine.home, withIntermediateDirectories: false, attributes: [.posixPermissions: stranger ? 0o755 : 0o555])
    let outcome = try machine.run(program, "init", "--no-passphrase", wrapper: wrapper)
    expectFailure(outcome, 1, machine.home.path, "Permission denied", "written")
    #expect(try FileManager.default.contentsOfDirectory(atPath: machine.home.path).isEmpty)

    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: machine.home.path)
    try machine.makeVault()
    if !stranger { try FileManager.default.setAttributes([.posixPermissions: 0o000], ofItemAtPath: machine.vault.path) }
    for command in [["status"], ["get", "s", "a"], ["app", "list"]] {
      let outcome = try machine.start(program, command, wrapper: wrapper).wait()
      expectFailure(outcome, 1, machine.vault.path, "owner and the mode")
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: machine.vault.path)
  }
}
