import CofferTestSupport
import Foundation
import Testing

@Suite struct InitTests {
  @Test func `A second init is an error and changes nothing`() throws {
    let machine = try Machine()
    try machine.makeVault()
    func contents() throws -> [URL: Data] {
      Dictionary(uniqueKeysWithValues: try machine.files().map { ($0, try Data(contentsOf: $0)) })
    }
    let before = try contents()
    let second = machine.directory.path("second-key")
    expectFailure(
      try machine.run("coffer", "init", "--no-passphrase", "--vault-key-file", second), 1, "already", "COFFER_HOME")
    #expect(try contents() == before)
    #expect(!FileManager.default.fileExists(atPath: second))
  }

  @Test func `The vault key's file is readable by its owner only, and the key is in no other file`() throws {
    let machine = try Machine()
    let path = try machine.makeVault()
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    let key = try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .newlines)
    #expect(key.wholeMatch(of: /COFFER1(-[0-9A-Z]{4}){8}/) != nil)
    for file in machine.files() {
      #expect(try Data(contentsOf: file).range(of: Data(key.utf8)) == nil, "\(file.path)")
    }
  }

  @Test func `The name alone of a vault key's file is that of a file in the present folder`() throws {
    let machine = try Machine()
    let outcome = try machine.run(
      "coffer", "init", "--no-passphrase", "--vault-key-file", "k",
      wrapper: ["env", "--chdir=\(machine.directory.path)"])
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try String(contentsOfFile: machine.directory.path("k"), encoding: .utf8).hasPrefix("COFFER1-"))
  }

  @Test func `A vault key never overwrites a file, and then no vault is created`() throws {
    let machine = try Machine()
    let path = try machine.directory.write("key", "precious")
    let outcome = try machine.run("coffer", "init", "--no-passphrase", "--vault-key-file", path)
    expectFailure(outcome, 2, "already exists", "nothing was changed")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
    #expect(!FileManager.default.fileExists(atPath: machine.home.path))
    let lost = machine.directory.path("no/such/folder/key")
    expectFailure(try machine.run("coffer", "init", "--no-passphrase", "--vault-key-file", lost), 1, "vault key", lost)
    #expect(!FileManager.default.fileExists(atPath: machine.home.path))
  }

  @Test func `A vault that is in place keeps its vault key, also if its name cannot be synced to the disk`() throws {
    let machine = try Machine()
    let place = machine.vault.deletingLastPathComponent()
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    // A folder that cannot be opened cannot be synced.
    try FileManager.default.setAttributes([.posixPermissions: 0o300], ofItemAtPath: place.path)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: place.path) }
    let key = machine.directory.path("key")
    let privileges = "-dac_override,-dac_read_search"
    let outcome = try machine.run(
      "coffer", "init", "--no-passphrase", "--vault-key-file", key,
      wrapper: geteuid() == 0 ? ["setpriv", "--bounding-set=\(privileges)", "--inh-caps=\(privileges)"] : [])
    expectFailure(outcome, 1, "the vault is in place at", "check the disk and the mode of the folder")
    #expect(try String(contentsOfFile: key, encoding: .utf8).hasPrefix("COFFER1-"))
    #expect(FileManager.default.fileExists(atPath: machine.vault.appending(path: "store.sqlite").path))
  }

  /// All other tests use the lowest cost.
  @Test func `A passphrase costs 3 passes over 256 MiB`() throws {
    for (variable, passes, memory) in [("", 3, 262_144), ("floor", 1, 8192)] as [(String, UInt32, UInt32)] {
      let machine = try Machine()
      machine.environment["COFFER_TEST_PASSPHRASE_COST"] = variable
      try machine.makeVault(passphrase: "correct horse")
      let file = try Data(contentsOf: machine.vault.appending(path: "admin"))
      let cost = [passes, memory].flatMap { unsafe withUnsafeBytes(of: $0.bigEndian) { unsafe Array($0) } }
      #expect(file.range(of: Data(cost)) != nil)
    }
  }

  @Test func `Without a file the vault key is printed once, with its purpose`() throws {
    let machine = try Machine()
    let output = try machine.coffer("init", "--no-passphrase")
    #expect(output.matches(of: /COFFER1(-[0-9A-Z]{4}){8}/).count == 1)
    #expect(output.contains("enrols another machine") && output.contains("If it is lost"))
  }

  @Test
  func `The option or the environment variable names the passphrase file; a wrong passphrase is refused`() throws {
    let machine = try Machine()
    let right = try machine.directory.write("right", "correct horse\n")
    let wrong = try machine.directory.write("wrong", "battery staple")
    let key = machine.directory.path("key")
    try machine.coffer("init", "--passphrase-file", right, "--vault-key-file", key)
    let plist = Machine.entitlements(of: "PhotoPro")
    expectFailure(
      try machine.run("coffer", "app", "add", plist, "--passphrase-file", wrong), 5, "wrong passphrase")
    #expect(try machine.json([AppRow].self, "app", "list").isEmpty)
    machine.environment["COFFER_PASSPHRASE_FILE"] = right
    try machine.register("PhotoPro")
    // With --app no passphrase is needed.
    machine.environment["COFFER_PASSPHRASE_FILE"] = nil
    try machine.coffer("set", "s", "a", "--app", "com.example.photo.pro", input: "value")
    expectFailure(
      try machine.run("coffer", "get", "s", "a", wrapper: ["setsid", "--wait"]), 5, "no terminal", "--passphrase-file")
  }

  @Test func `An empty, too long or missing passphrase file creates no vault`() throws {
    let machine = try Machine()
    let empty = try machine.directory.write("empty", "")
    let long = try machine.directory.write("long", String(repeating: "x", count: 1025))
    let key = machine.directory.path("key")
    for file in [empty, long, machine.directory.path("missing")] {
      let outcome = try machine.run("coffer", "init", "--passphrase-file", file, "--vault-key-file", key)
      expectFailure(outcome, 2, "passphrase", file)
    }
    #expect(!FileManager.default.fileExists(atPath: machine.home.path))
    #expect(!FileManager.default.fileExists(atPath: key))
  }

  @Test func `--no-passphrase and --passphrase-file exclude each other`() throws {
    let machine = try Machine()
    let file = try machine.directory.write("passphrase", "x")
    expectFailure(
      try machine.run("coffer", "init", "--no-passphrase", "--passphrase-file", file), 2, "exclude each other")
    #expect(!FileManager.default.fileExists(atPath: machine.home.path))
  }

  @Test func `Without a terminal and passphrase options init names the options and leaves no files`() throws {
    let machine = try Machine()
    let key = machine.directory.path("key")
    let outcome = try machine.run("coffer", "init", "--vault-key-file", key, wrapper: ["setsid", "--wait"])
    expectFailure(outcome, 5, "no terminal", "--no-passphrase", "--passphrase-file")
    #expect(!FileManager.default.fileExists(atPath: machine.home.path))
    #expect(!FileManager.default.fileExists(atPath: key))
  }

  @Test func `A machine's name with control characters or line separators is refused`() throws {
    let machine = try Machine()
    let lines = ["a\u{2028}b", "a\u{2029}b", "a\u{85}b", "a\u{B}b", "a\u{C}b"]
    for name in ["", "a\u{1B}[2Jb", String(repeating: "x", count: 129)] + lines {
      expectFailure(try machine.run("coffer", "init", "--no-passphrase", "--name", name), 2, "--name")
    }
    #expect(!FileManager.default.fileExists(atPath: machine.home.path))
  }

  @Test func `Of concurrent inits one creates the vault, and only its vault key remains`() throws {
    let machine = try Machine()
    let keys = (0..<4).map { machine.directory.path("key-\($0)") }
    let running = try keys.map { try machine.start("coffer", ["init", "--no-passphrase", "--vault-key-file", $0]) }
    let outcomes = try running.map { try $0.wait() }
    #expect(outcomes.count { $0.exitCode == 0 } == 1, "\(outcomes)")
    #expect(outcomes.count { $0.exitCode == 1 } == 3, "\(outcomes)")
    for (outcome, key) in zip(outcomes, keys) {
      #expect(FileManager.default.fileExists(atPath: key) == (outcome.exitCode == 0))
    }
    try machine.register("PhotoPro")
    #expect(try FileManager.default.contentsOfDirectory(atPath: machine.home.path + "/vaults") == ["default"])
  }
}
