import Coffer
import CofferSystem
import CofferTestSupport
import CofferVault
import Foundation
import Testing

@Suite(.timeLimit(.minutes(120))) struct PassphraseCommandTests {
  private let pro = ["--app", "com.example.photo.pro"]
  private let free = ["--app", "com.example.photo.free"]
  private let machine: Machine
  private let old: String
  private let new: String
  private let key: String

  /// A machine without a passphrase, with an app that has an item.
  init() throws {
    machine = try Machine()
    old = try machine.directory.write("old", "old passphrase")
    new = try machine.directory.write("new", "new passphrase")
    key = try machine.makeVault()
    try machine.register("PhotoPro")
    try machine.succeed("coffer", ["set", "s", "a"] + pro, input: "v")
  }

  /// Sets the old passphrase, and registers an app that requires it and has an item.
  private func protect() throws {
    try machine.coffer("passphrase", "set", "--new-passphrase-file", old)
    try machine.coffer(
      "app", "add", Machine.entitlements(of: "PhotoFree"), "--locked", "--passphrase-file", old)
    try machine.succeed("coffer", ["set", "s", "locked", "--passphrase-file", old] + free, input: "l")
  }

  /// The exit codes of a read by the owner and of one by the locked app, with a passphrase.
  private func readings(with passphrase: String) throws -> [Int32?] {
    [
      try machine.run("coffer", "get", "s", "a", "--passphrase-file", passphrase).exitCode,
      try machine.start("coffer", ["get", "s", "locked", "--passphrase-file", passphrase] + free).wait().exitCode,
    ]
  }

  /// The contents of the files with keys, by their paths.
  private func keys() throws -> [String: Data] {
    var keys: [String: Data] = [:]
    for file in machine.files() where !file.lastPathComponent.hasPrefix("store") && file.pathExtension != "lock" {
      keys[file.path] = try Data(contentsOf: file)
    }
    return keys
  }

  private func type(_ lines: [(prompt: String, keys: String)], into terminal: PseudoTerminal) throws {
    for line in lines {
      try terminal.await(line.prompt)
      terminal.type(line.keys)
    }
  }

  @Test func `A machine without a passphrase gets one at two prompts, and the owner then needs it`() throws {
    #expect(try machine.run("coffer", "get", "s", "a").exitCode == 0)
    expectFailure(try machine.run("coffer", "passphrase", "change"), 2, "no passphrase", "coffer passphrase set")
    let terminal = try PseudoTerminal(machine, "passphrase", "set")
    try type(
      [("New passphrase for this machine: ", "new passphrase\n"), ("Once more: ", "new passphrase\n")], into: terminal)
    #expect(terminal.wait() == 0 && !terminal.screen.contains("new passphrase"), "\(terminal.screen)")
    expectFailure(try machine.run("coffer", "get", "s", "a"), 5, "--passphrase-file")
    #expect(try machine.coffer("get", "s", "a", "--passphrase-file", new) == "v")
    #expect(try machine.succeed("coffer", ["get", "s", "a"] + pro) == "v")
    expectFailure(
      try machine.run("coffer", "passphrase", "set", "--new-passphrase-file", old), 2, "coffer passphrase change",
      "--forgotten")
    #expect(try machine.modes().values.allSatisfy { $0 & 0o077 == 0 })
  }

  @Test func `The passphrase protects what the owner has stored before, and later machines and changes keep that`()
    throws
  {
    let machine = try Machine()
    try machine.makeVault()
    try machine.coffer("set", "foo", "bar", input: "v")
    #expect(try machine.coffer("passphrase", "set", "--new-passphrase-file", new).contains("coffer.personal"))
    let alone = ["setsid", "--wait"]
    let reads = [
      ["get", "foo", "bar"], ["get", "foo"], ["show", "foo", "bar"], ["read", "coffer:///foo/bar"],
      ["run", "--env", "A=coffer:///foo/bar", "--", "printenv", "A"], ["list"], ["history", "foo", "bar", "--show"],
      ["bridge", "keyring", "get", "foo", "bar"], ["get", "foo", "bar", "--app", "coffer.personal"],
    ]
    for read in reads {
      let outcome = try machine.start("coffer", read, wrapper: alone).wait()
      #expect(outcome.exitCode == 5 && outcome.output.isEmpty, "\(read): \(outcome)")
      let given = ["COFFER_PASSPHRASE_FILE": new]
      #expect(try machine.start("coffer", read, environment: given).wait().exitCode == 0, "\(read)")
    }
    try machine.coffer("passphrase", "change", "--passphrase-file", new, "--new-passphrase-file", old)
    for read in reads { #expect(try machine.start("coffer", read, wrapper: alone).wait().exitCode == 5, "\(read)") }
    #expect(try machine.coffer("get", "foo", "bar", "--passphrase-file", old) == "v")
    try machine.coffer(
      "passphrase", "change", "--forgotten", "--vault-key-file", machine.directory.path("vault-key"),
      "--new-passphrase-file", new)
    expectFailure(try machine.start("coffer", reads[7], wrapper: alone).wait(), 5)
    #expect(try machine.coffer("get", "foo", "bar", "--passphrase-file", new) == "v")
  }

  @Test
  func `Keys of the owner's group that an earlier version left open are found, and sealed by a lease or a change`()
    throws
  {
    let machine = try Machine()
    try machine.makeVault()
    try machine.coffer("set", "foo", "bar", input: "v")
    let file = try #require(machine.files().first { $0.path.hasSuffix("coffer.personal/credential") })
    let open = try Data(contentsOf: file)
    try machine.coffer("passphrase", "set", "--new-passphrase-file", new)
    struct Finding: Decodable { let subject, severity, fix: String }
    func findings() throws -> [String] {
      let outcome = try machine.run("coffer", "doctor", "--json")
      return try JSONDecoder().decode([Finding].self, from: outcome.output)
        .filter { $0.subject.hasSuffix("coffer.personal") && $0.severity == "problem" }.map(\.fix)
    }
    let bridge = ["bridge", "keyring", "get", "foo", "bar"]
    func bridged() throws -> Machine.Outcome {
      try machine.start("coffer", bridge, wrapper: ["setsid", "--wait"]).wait()
    }
    #expect(try findings().isEmpty)
    // An earlier version has left the file as it was.
    try open.write(to: file)
    #expect(try findings().map { $0.hasSuffix("with: coffer passphrase change") } == [true])
    #expect(try bridged().text == "v")
    expectFailure(try machine.run("coffer", "get", "foo", "bar", wrapper: ["setsid", "--wait"]), 5)
    let required = try machine.run("coffer", "group", "require", "coffer.personal", "lease", "--passphrase-file", new)
    #expect(required.errors.contains("protects the keys of coffer.personal from now on"), "\(required)")
    #expect(try findings().isEmpty)
    expectFailure(try bridged(), 5)
    // On another machine of the vault, nothing has sealed it.
    try open.write(to: file)
    expectFailure(try bridged(), 4, "requires: lease", "coffer passphrase change")
    try machine.coffer("passphrase", "change", "--passphrase-file", new, "--new-passphrase-file", new)
    expectFailure(try bridged(), 5)
    let values = ["COFFER_PASSPHRASE_FILE": new]
    #expect(try machine.start("coffer", bridge, environment: values).wait().text == "v")
  }

  @Test func `Two different new passphrases, an empty one, and Ctrl-C change nothing`() throws {
    try protect()
    let before = try keys()
    for (answers, exitCode) in [
      (["one\n", "two\n"], Int32(2)), (["\n"], 2), (["\u{3}"], 5), (["one\n", "\u{3}"], 5),
    ] {
      let terminal = try PseudoTerminal(machine, "passphrase", "change")
      try type(
        [("Passphrase of ", "old passphrase\n")]
          + zip(["New passphrase for this machine: ", "Once more: "], answers).map { ($0, $1) }, into: terminal)
      #expect(terminal.wait() == exitCode, "\(terminal.screen)")
    }
    #expect(try keys() == before)
  }

  @Test func `A change asks for the old passphrase once and covers the locked apps; then only the new one opens`()
    throws
  {
    try protect()
    let terminal = try PseudoTerminal(machine, "passphrase", "change")
    try type(
      [
        ("Passphrase of ", "old passphrase\n"), ("New passphrase for this machine: ", "new passphrase\n"),
        ("Once more: ", "new passphrase\n"),
      ], into: terminal)
    #expect(terminal.wait() == 0 && !terminal.screen.contains("new passphrase"), "\(terminal.screen)")
    #expect(try readings(with: new) == [0, 0])
    #expect(try readings(with: old) == [5, 5])
    #expect(try machine.succeed("coffer", ["get", "s", "a"] + pro) == "v")
    #expect(!(try keys()).keys.contains { $0.contains("new-keys") })
  }

  @Test func `A wrong passphrase changes nothing, and the error offers to start from the vault key`() throws {
    try protect()
    let before = try keys()
    let outcome = try machine.run(
      "coffer", "passphrase", "change", "--passphrase-file", new, "--new-passphrase-file", new)
    expectFailure(outcome, 5, "wrong passphrase", "coffer passphrase change --forgotten")
    #expect(try keys() == before)
    #expect(try machine.coffer("passphrase", "change", "--help").contains("vault key"))
    #expect(try machine.coffer("passphrase", "set", "--help").contains("vault key"))
  }

  @Test func `A locked app's credential under another passphrase stops the change, which changes nothing`() throws {
    try protect()
    let credential = try machine.credential(of: "com.example.photo.free")
    let other = try Data(contentsOf: credential)
    try machine.coffer("passphrase", "change", "--passphrase-file", old, "--new-passphrase-file", new)
    try other.write(to: credential)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: credential.path)
    let before = try keys()
    let outcome = try machine.run(
      "coffer", "passphrase", "change", "--passphrase-file", new, "--new-passphrase-file", old)
    expectFailure(outcome, 5, "another passphrase", "coffer app install")
    #expect(try keys() == before)
  }

  @Test func `Apps read and write at every moment of the changes that run at the same time`() throws {
    try protect()
    let files = [old, new]
    var changes: [RunningProgram] = []
    var values = 0
    for round in 0..<4 {
      let (from, to) = (files[round % 2], files[(round + 1) % 2])
      let change = try machine.start(
        "coffer", ["passphrase", "change", "--passphrase-file", from, "--new-passphrase-file", to])
      changes.append(change)
      repeat {
        values += 1
        try machine.succeed("coffer", ["set", "s", "a"] + pro, input: "\(values)")
        #expect(try machine.succeed("coffer", ["get", "s", "a"] + pro) == "\(values)")
        // If the old passphrase no longer opens the app, the change has happened, and the new one does.
        let app = try machine.start("coffer", ["get", "s", "locked", "--passphrase-file", from] + free).wait()
        if app.exitCode != 0 {
          #expect(app.exitCode == 5, "\(app)")
          #expect(try machine.succeed("coffer", ["get", "s", "locked", "--passphrase-file", to] + free) == "l")
        }
      } while change.isRunning
      let outcome = try change.wait()
      #expect(outcome.exitCode == 0, "\(outcome)")
      #expect(try readings(with: to) == [0, 0])
    }
  }

  @Test func `A change that was killed between two files counts as a whole, also before it can be completed`() throws {
    try protect()
    try machine.kill(
      "coffer", ["passphrase", "change", "--passphrase-file", old, "--new-passphrase-file", new],
      at: FaultStep(point: .successorMoved, occurrence: 1))
    let folder = VaultFolder(machine.vault)
    do {
      // Nobody can move the other file while the membership is being changed.
      let lock = try FileLock.acquire(path: folder.membershipLockPath, timeout: longestWait, purpose: "test")
      #expect(try readings(with: new) == [0, 0])
      #expect(try readings(with: old) == [5, 5])
      #expect(try keys().keys.contains { $0.contains("new-keys") })
      extendLifetime(lock)
    }
    #expect(try readings(with: new) == [0, 0])
    #expect(try !keys().keys.contains { $0.contains("new-keys") })
    #expect(try readings(with: new) == [0, 0])
  }

  @Test func `Two changes at the same time: one wins as a whole, and the other says that its passphrase is wrong`()
    throws
  {
    try protect()
    let third = try machine.directory.write("third", "third passphrase")
    let running = try [new, third].map {
      try machine.start("coffer", ["passphrase", "change", "--passphrase-file", old, "--new-passphrase-file", $0])
    }
    let codes = try running.map { try $0.wait().exitCode }
    #expect(codes.sorted { ($0 ?? -1) < ($1 ?? -1) } == [0, 5])
    #expect(try readings(with: codes[0] == 0 ? new : third) == [0, 0])
    #expect(try readings(with: codes[0] == 0 ? third : new) == [5, 5])
  }

  @Test func `A program that has unlocked the vault continues during a change, and then needs the new passphrase`()
    throws
  {
    try protect()
    let plist = try Data(contentsOf: URL(fileURLWithPath: Machine.entitlements(of: "PhotoFree")))
    let vault = try Vault.open(.bytes(plist), at: VaultLocation(folder: machine.vault))
    try vault.unlock(passphrase: "old passphrase")
    try machine.coffer("passphrase", "change", "--passphrase-file", old, "--new-passphrase-file", new)
    let item = GenericPassword(service: "s", account: "locked")
    try vault.set("later", for: item)
    vault.lock()
    #expect(throws: VaultError.self) { try vault.unlock(passphrase: "old passphrase") }
    try vault.unlock(passphrase: "new passphrase")
    #expect(try vault.string(for: item) == "later")
  }

  @Test func `A short passphrase is accepted, with a note that it is short`() throws {
    let short = try machine.directory.write("short", "abcdefg")
    let set = try machine.run("coffer", "passphrase", "set", "--new-passphrase-file", short)
    #expect(set.exitCode == 0 && set.errors.contains("short") && !set.errors.contains("abcdefg"), "\(set)")
    let long = try machine.directory.write("long", "abcdefgh")
    let change = try machine.run(
      "coffer", "passphrase", "change", "--passphrase-file", short, "--new-passphrase-file", long)
    #expect(change.exitCode == 0 && change.errors.isEmpty, "\(change)")
    let other = try Machine()
    let terminal = try PseudoTerminal(other, "init", "--vault-key-file", other.directory.path("key"))
    try type([("New passphrase for this machine: ", "!?;\n"), ("Once more: ", "!?;\n")], into: terminal)
    #expect(terminal.wait() == 0 && terminal.screen.contains("This passphrase is short"), "\(terminal.screen)")
    #expect(!terminal.screen.contains("!?;"))
  }

  @Test(arguments: ["set", "change"])
  func `A forgotten passphrase is replaced with the vault key; the items and the apps stay`(command: String) throws {
    try protect()
    let secret = try String(contentsOfFile: key, encoding: .utf8).trimmingCharacters(in: .newlines)
    let terminal = try PseudoTerminal(machine, "passphrase", command, "--forgotten")
    try type(
      [
        ("Vault key: ", "\(secret)\n"), ("New passphrase for this machine: ", "new passphrase\n"),
        ("Once more: ", "new passphrase\n"), ("Revoke the former identity laptop now? [y/N] ", "\n"),
      ], into: terminal)
    #expect(terminal.wait() == 0 && terminal.screen.contains("laptop-2"), "\(terminal.screen)")
    #expect(terminal.screen.contains("remove it with: coffer device revoke laptop"), "\(terminal.screen)")
    #expect(try readings(with: new) == [0, 0])
    #expect(try readings(with: old) == [5, 5])
    #expect(try machine.succeed("coffer", ["get", "s", "a"] + pro) == "v")
    let status = try machine.json(StatusReport.self, "status")
    #expect(
      status.machines.map(\.name) == ["laptop", "laptop-2"] && status.machines.map(\.isThisMachine) == [false, true])
    // The machine is an admin as before, and its store matches its new keys.
    try machine.coffer("app", "install", "com.example.photo.pro", "--passphrase-file", new)
    #expect(try machine.coffer("check").contains("matches"))
  }

  @Test func `After a yes, the vault key also removes the former identity, whose name is free again`() throws {
    try protect()
    let terminal = try PseudoTerminal(
      machine, "passphrase", "change", "--forgotten", "--vault-key-file", key, "--new-passphrase-file", new)
    try terminal.await("Machines: laptop")
    try type([("Revoke the former identity laptop now? [y/N] ", "y\n")], into: terminal)
    #expect(terminal.wait() == 0 && terminal.screen.contains("laptop is removed from the vault."), "\(terminal.screen)")
    #expect(!terminal.screen.contains("coffer device revoke"), "\(terminal.screen)")
    #expect(try machine.json(StatusReport.self, "status").machines.map(\.name) == ["laptop-2"])
    try machine.coffer("device", "rename", "laptop-2", "laptop", "--passphrase-file", new)
    #expect(try machine.json(StatusReport.self, "status").machines.map(\.name) == ["laptop"])
    #expect(try machine.succeed("coffer", ["get", "s", "a"] + pro) == "v")
    #expect(try machine.coffer("check").contains("matches"))
  }

  @Test func `The vault key of another vault, and a mistyped one, change nothing`() throws {
    try protect()
    let other = try Machine()
    let otherKey = try other.makeVault()
    let mistyped = try machine.directory.write("mistyped", "COFFER1-0000-0000-0000-0000-0000-0000-0000-0000")
    let before = try keys()
    let length = try machine.json(StatusReport.self, "status").logLength
    for file in [otherKey, mistyped] {
      let outcome = try machine.run(
        "coffer", "passphrase", "change", "--forgotten", "--vault-key-file", file, "--new-passphrase-file", new)
      expectFailure(outcome, 5, "vault")
    }
    #expect(try keys() == before)
    #expect(try machine.json(StatusReport.self, "status").logLength == length)
    for option in ["--vault-key-file", "--name"] {
      expectFailure(try machine.run("coffer", "passphrase", "set", option, "x"), 2, "--forgotten")
    }
  }

  /// Only root can read the memory of other processes wherever the kernel is hardened.
  @Test(
    .enabled(if: geteuid() == 0 && FileManager.default.fileExists(atPath: "/proc/self/mem")),
    arguments: ["set", "change", "change --forgotten"])
  func `What is typed for a passphrase is in guarded memory only while the program waits for the rest`(
    command: String
  ) throws {
    let current = "horse-\(UUID().uuidString)"
    if command != "set" {
      try machine.coffer("passphrase", "set", "--new-passphrase-file", machine.directory.write("current", current))
    }
    let secret = try String(contentsOfFile: key, encoding: .utf8).trimmingCharacters(in: .newlines)
    let first = "staple-\(UUID().uuidString)"
    let arguments = ["passphrase"] + command.split(separator: " ").map(String.init)
    let terminal = try PseudoTerminal(machine, program: Machine.path(of: "coffer"), arguments)
    switch command {
    case "change": try type([("Passphrase of laptop: ", "\(current)\n")], into: terminal)
    case "set": break
    default: try type([("Vault key: ", "\(secret)\n")], into: terminal)
    }
    try terminal.await("New passphrase for this machine: ")
    let memory = try ProcessMemory(ofCofferOn: machine)
    if command == "change" {
      // It is needed again, to open the keys once they are locked.
      let old = try memory.counts(of: current)
      #expect(old.guarded >= 1 && old.ordinary == 0, "\(old)")
    }
    #expect(try memory.count(of: secret) == 0)
    terminal.type("\(first)\n")
    try terminal.await("Once more: ")
    let new = try memory.counts(of: first)
    #expect(new.guarded == 1 && new.ordinary == 0, "\(new)")
    terminal.type("\(first)\n")
    if command == "change --forgotten" { try type([("now? [y/N] ", "n\n")], into: terminal) }
    #expect(terminal.wait() == 0, "\(terminal.screen)")
  }
}
