import CofferTestSupport
import Foundation
import Testing

/// Returns SQL for the bytes of a column with one byte, counted from 1, changed. It is changed relative to its value:
/// sealed bytes are random, and a constant would equal the old byte in one of 256 runs.
private func changing(_ column: String, at place: Int) -> String {
  let byte = "substr(\(column), \(place), 1)"
  let other = "CASE \(byte) WHEN x'00' THEN x'01' ELSE x'00' END"
  return "CAST(substr(\(column), 1, \(place - 1)) || \(other) || substr(\(column), \(place + 1)) AS BLOB)"
}

@Suite struct DiskContentTests {
  private let pro = ["--app", "com.example.photo.pro"]

  @Test func `No value, account, service or label is in any file, after writes, updates and deletions`() throws {
    let machine = try Machine.withExamples()
    func check(_ moment: String) throws {
      for file in machine.files() {
        let bytes = try Data(contentsOf: file)
        for number in 1...3 {
          for canary in ["CANARY-service", "CANARY-account", "CANARY-label", "CANARY-value"] {
            #expect(bytes.range(of: Data("\(canary)-\(number)".utf8)) == nil, "\(canary) in \(file.path) \(moment)")
          }
        }
      }
    }
    for number in 1...3 {
      let names = ["CANARY-service-\(number)", "CANARY-account-\(number)", "--label", "CANARY-label-\(number)"]
      try machine.succeed("coffer", ["set"] + names + pro, input: "CANARY-value-\(number)")
    }
    try check("after writing")
    for number in 1...2 {
      let names = ["CANARY-service-\(number)", "CANARY-account-\(number)", "--label", "CANARY-label-\(number + 1)"]
      try machine.succeed("coffer", ["set"] + names + pro, input: "CANARY-value-\(number + 1)")
    }
    try check("after updating")
    try machine.succeed("coffer", ["delete", "CANARY-service-1", "CANARY-account-1"] + pro)
    try machine.succeed("coffer", ["list"])
    try check("after deleting")
  }

  @Test func `Log and journal of the store contain no plain text while programs have it open`() throws {
    let machine = try Machine.withExamples()
    let value = Data(String(repeating: "CANARY-journal ", count: 40_000).utf8)
    var seen = Set<String>()
    for index in 0..<6 {
      let running = try machine.start("coffer", ["set", "CANARY-journal", "\(index)"] + pro, input: value)
      while running.isRunning {
        for file in machine.files() {
          // A file may be deleted between listing and reading.
          guard let bytes = FileManager.default.contents(atPath: file.path) else { continue }
          seen.insert(file.lastPathComponent)
          #expect(bytes.range(of: Data("CANARY-journal".utf8)) == nil, "\(file.path)")
        }
      }
      #expect(try running.wait().exitCode == 0)
    }
    #expect(seen.contains("store.sqlite"))
  }

  @Test func `Every file is accessible to its owner only, whatever the umask`() throws {
    let machine = try Machine()
    let key = machine.directory.path("key")
    func run(_ arguments: String...) throws {
      let outcome = try machine.start(
        "coffer", arguments, input: Data("v".utf8), wrapper: ["sh", "-c", "umask 0; exec \"$@\"", "sh"]
      ).wait()
      #expect(outcome.exitCode == 0, "\(outcome)")
    }
    try run("init", "--no-passphrase", "--vault-key-file", key)
    try run("app", "add", Machine.entitlements(of: "PhotoPro"))
    try run("set", "s", "a", "--app", "com.example.photo.pro")
    // A write while another program has the store open leaves the write-ahead log in place.
    let open = try machine.start(
      "coffer", ["set", "s", "b"] + pro, input: Data(count: 8 << 20),
      wrapper: ["sh", "-c", "umask 0; exec \"$@\"", "sh"])
    var modes: [String: Int] = [:]
    while open.isRunning { modes.merge((try? machine.modes()) ?? [:]) { $1 } }
    #expect(try open.wait().exitCode == 0)
    modes.merge(try machine.modes()) { $1 }
    #expect(modes.count >= 8)
    for (path, mode) in modes {
      let isFolder = (try? FileManager.default.contentsOfDirectory(atPath: path)) != nil
      #expect(mode == (isFolder ? 0o700 : 0o600), "\(path) has \(String(mode, radix: 8))")
    }
    let attributes = try FileManager.default.attributesOfItem(atPath: key)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
  }

  @Test func `An app that has seen more of the membership log refuses an older copy of the store`() throws {
    let machine = try Machine()
    try machine.makeVault()
    try machine.register("PhotoPro")
    let store = machine.vault.appending(path: "store.sqlite")
    let older = URL(fileURLWithPath: machine.directory.path("older.sqlite"))
    try FileManager.default.copyItem(at: store, to: older)
    try machine.register("PhotoFree")
    try machine.succeed("PhotoPro", ["buy"])
    try FileManager.default.removeItem(at: store)
    for suffix in ["-wal", "-shm"] where FileManager.default.fileExists(atPath: store.path + suffix) {
      try FileManager.default.removeItem(atPath: store.path + suffix)
    }
    try FileManager.default.copyItem(at: older, to: store)
    expectFailure(try machine.start("coffer", ["list"] + pro).wait(), 6, "has seen", "older copy", "sync")
    expectFailure(try machine.run("PhotoPro"), 1, "older copy")
  }

  @Test func `An item whose bytes were altered is named and refused, and others stay readable`() throws {
    let machine = try Machine.withExamples()
    for name in ["one", "two", "three"] {
      try machine.succeed("coffer", ["set", "s", name] + pro, input: "value of \(name)")
    }
    let store = machine.vault.appending(path: "store.sqlite").path
    for column in ["signed", "attributes"] {
      let copy = machine.directory.path("copy-\(column).sqlite")
      try FileManager.default.copyItem(atPath: store, toPath: copy)
      try Command.run(
        "sqlite3", store,
        "UPDATE record SET \(column) = \(changing(column, at: 151)) WHERE id = (SELECT min(id) FROM record)")
      expectFailure(
        try machine.start("coffer", ["get", "s", "one"] + pro).wait(), 6, "com.example.photo.pro is damaged",
        "coffer check --repair")
      for name in ["two", "three"] {
        #expect(try machine.succeed("coffer", ["get", "s", name] + pro) == "value of \(name)")
      }
      let list = try machine.start("coffer", ["list", "--json"] + pro).wait()
      expectFailure(list, 6, "damaged")
      let decoder = JSONDecoder()
      decoder.dateDecodingStrategy = .iso8601
      #expect(try decoder.decode([ItemRow].self, from: list.output).map(\.account) == ["two", "three"])
      try FileManager.default.removeItem(atPath: store)
      try FileManager.default.copyItem(atPath: copy, toPath: store)
    }
    try Command.run("sqlite3", store, "UPDATE record SET value = x'00' WHERE id = (SELECT min(id) FROM record)")
    expectFailure(try machine.start("coffer", ["get", "s", "one"] + pro).wait(), 6, "damaged")
    // Setting the item again repairs the damage.
    try machine.succeed("coffer", ["set", "s", "one"] + pro, input: "new")
    #expect(try machine.succeed("coffer", ["get", "s", "one"] + pro) == "new")
  }

  @Test(arguments: [
    "UPDATE log SET entry = \(changing("entry", at: 121)) WHERE sequence = 3",
    "DELETE FROM log WHERE sequence = 2", "UPDATE log SET entry = x'00' WHERE sequence = 1",
    "UPDATE log SET sequence = 99 WHERE sequence = 4",
  ])
  func `An altered membership log is refused`(statement: String) throws {
    let machine = try Machine.withExamples()
    try Command.run("sqlite3", machine.vault.appending(path: "store.sqlite").path, statement)
    let outcome = try machine.run("coffer", "list", "--app", "com.example.photo.pro")
    expectFailure(outcome, 6)
  }

  @Test func `A store that is not a store, or that has a trigger, is refused and named`() throws {
    let machine = try Machine.withExamples()
    let store = machine.vault.appending(path: "store.sqlite").path
    try Command.run(
      "sqlite3", store, "CREATE TRIGGER t AFTER INSERT ON record BEGIN DELETE FROM outbox; END")
    expectFailure(try machine.start("coffer", ["set", "s", "a"] + pro, input: Data("x".utf8)).wait(), 6, store)
    try Data("nothing of the kind, and long enough to be looked at as a header of a hundred bytes".utf8)
      .write(to: URL(fileURLWithPath: store))
    expectFailure(try machine.run("coffer", "status"), 6, store)
  }

  @Test(arguments: ["device", "admin", "credential"])
  func `Damaged key files are named`(name: String) throws {
    let machine = try Machine.withExamples()
    let file =
      name == "credential" ? try machine.credential(of: "com.example.photo.pro") : machine.vault.appending(path: name)
    for bytes in [Data(), Data(repeating: 0, count: 40), Data(try Data(contentsOf: file).dropLast())] {
      try bytes.write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
      let command =
        switch name {
        case "device": ["status"]
        case "admin": ["get", "s", "a"]
        default: ["list"] + pro
        }
      let outcome = try machine.start("coffer", command).wait()
      expectFailure(outcome, 6, file.path)
    }
  }
}
