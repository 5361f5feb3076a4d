import CofferTestSupport
import Foundation
import Testing

@Suite struct UnsafeFileTests {
  private static let isRoot = geteuid() == 0
  private let app = ["--app", "com.example.photo.pro"]

  /// Commands that create what is not a regular file at the path `$1`.
  private static let creations = [
    "mkfifo \"$1\"", "mkdir \"$1\"",
    "cd \"$(dirname \"$1\")\" && python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"s\")' && mv s \"$1\"",
  ]

  private func create(_ command: String, _ path: String) throws {
    try Command.run("sh", "-c", command, "sh", path)
  }

  /// Runs `coffer`, which a program that waits for a pipe's writer would do for ever.
  private func run(
    _ machine: Machine, _ arguments: [String], environment: [String: String] = [:], as user: String? = nil
  ) throws -> Machine.Outcome {
    var program = "coffer"
    var wrapper = ["timeout", "--signal=KILL", "300"]
    if let user {
      wrapper += ["setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"]
      // The other user need not reach the folder of the programs.
      program = machine.directory.path("coffer")
      try Command.run("cp", Machine.path(of: "coffer"), program)
    }
    return try machine.start(program, arguments, environment: environment, wrapper: wrapper).wait()
  }

  /// A machine with a remote, and for each of its secret files a command that reads it.
  private func secretFiles() throws -> (machine: Machine, files: [(path: String, command: [String])]) {
    let machine = try Machine.withExamples()
    let remote = machine.directory.path("remote.git")
    try Command.run("git", "init", "--quiet", "--bare", remote)
    try machine.coffer("remote", "set", remote)
    return (
      machine,
      [
        (machine.vault.appending(path: "device").path, ["sync"]),
        (machine.vault.appending(path: "admin").path, ["get", "s", "a"]),
        (try machine.credential(of: "com.example.photo.pro").path, ["get", "s", "a"] + app),
      ]
    )
  }

  @Test(arguments: creations)
  func `A pipe, folder or socket in place of a secret file is refused by name, without waiting`(
    creation: String
  ) throws {
    let (machine, files) = try secretFiles()
    for (path, command) in files {
      try FileManager.default.removeItem(atPath: path)
      try create(creation, path)
      expectFailure(try run(machine, command), 6, path, "not a regular file")
    }
  }

  @Test(arguments: creations)
  func `A pipe, folder or socket in place of a lock keeps neither coffer status nor coffer lock waiting`(
    creation: String
  ) throws {
    let machine = try Machine.withExamples()
    let paths = ["watch.lock", "inspect.lock"].map { machine.vault.appending(path: $0).path }
    for path in paths { try create(creation, path) }
    #expect(try run(machine, ["status"]).exitCode == 0)
    expectFailure(try run(machine, ["lock"]), 1, "\(paths[1]) is not a regular file", "rm -r \(paths[1])")
    try Command.run("rm", "-r", paths[1])
    #expect(try run(machine, ["lock"]).exitCode == 0)
  }

  @Test(.enabled(if: isRoot, "only root can give files to another user"))
  func `A secret file of another user is refused, with the command that takes ownership`() throws {
    let (machine, files) = try secretFiles()
    for (path, command) in files {
      try Command.run("chown", "65534", path)
      expectFailure(try run(machine, command), 1, "belongs to another user (uid 65534)", "chown 0 '\(path)'")
      try Command.run("chown", "0", path)
      // There is no item yet.
      #expect(try run(machine, command).exitCode == (command == ["sync"] ? 0 : 3))
    }
  }

  @Test(arguments: creations + [""])
  func `A pipe, device, folder or socket is refused as passphrase, vault key or entitlements`(creation: String) throws {
    let machine = try Machine()
    var file = "/dev/zero"
    if !creation.isEmpty {
      file = machine.directory.path("unsafe")
      try create(creation, file)
    }
    expectFailure(try run(machine, ["init", "--passphrase-file", file]), 2, "passphrase", file, "regular file")
    expectFailure(
      try run(machine, ["init"], environment: ["COFFER_PASSPHRASE_FILE": file]), 2, "passphrase", file, "regular file")
    expectFailure(
      try run(machine, ["clone", "--no-passphrase", "--vault-key-file", file, machine.directory.path("remote.git")]), 2,
      "vault key", file, "regular file")
    #expect(!FileManager.default.fileExists(atPath: machine.home.path))
    try machine.makeVault()
    expectFailure(try run(machine, ["app", "add", file]), 2, "entitlements", file, "regular file")
  }

  @Test(arguments: [0o644, 0o620])
  func `A file with a passphrase or vault key that others can access is refused until its mode is corrected`(
    mode: Int
  ) throws {
    let machine = try Machine()
    let file = try machine.directory.write("secret", "right", permissions: mode)
    expectFailure(try run(machine, ["init", "--passphrase-file", file]), 2, "other users", "chmod 600 '\(file)'")
    expectFailure(
      try run(machine, ["clone", "--no-passphrase", "--vault-key-file", file, machine.directory.path("remote.git")]), 2,
      "other users", "chmod 600 '\(file)'")
    try Command.run("chmod", "600", file)
    try machine.coffer("init", "--passphrase-file", file)
  }

  @Test(.enabled(if: isRoot, "only root can give files to another user"))
  func `A passphrase file of another user is refused, and one of root is accepted unless others can write it`() throws {
    let machine = try Machine()
    let file = try machine.directory.write("secret", "right")
    let arguments = ["init", "--passphrase-file", file]
    try Command.run("chown", "65533", file)
    expectFailure(try run(machine, arguments), 2, "belongs to another user (uid 65533)")
    try Command.run("chown", "65534", machine.directory.path)
    try Command.run("chmod", "604", file)
    expectFailure(try run(machine, arguments, as: "65534"), 2, "belongs to another user (uid 65533)")
    try Command.run("chown", "0", file)
    try Command.run("chmod", "646", file)
    expectFailure(try run(machine, arguments, as: "65534"), 2, "other users", "646")
    try Command.run("chmod", "444", file)
    #expect(try run(machine, arguments, as: "65534").exitCode == 0)
  }
}
