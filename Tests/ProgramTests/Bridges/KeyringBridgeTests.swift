import CofferTestSupport
import Foundation
import Testing

/// The bridge for programs that run `keyring`, with the real pip and uv, and the backend of Python's package keyring.
@Suite struct KeyringBridgeTests {
  private let scene: BridgeScene

  init() throws { scene = try BridgeScene() }

  @Test func `get, set and del take the arguments of the program keyring and print what it prints`() throws {
    try scene.install("keyring")
    func keyring(_ arguments: String..., input: String = "") throws -> Machine.Outcome {
      try scene.run("keyring", arguments, input: input)
    }
    #expect(try keyring("get", "svc", "jane").exitCode == 1)
    #expect(try keyring("get", "svc", "jane").errors.isEmpty)
    #expect(try keyring("set", "svc", "jane", input: "p w\n").exitCode == 0)
    #expect(try keyring("get", "svc", "jane").output == Data("p w\n".utf8))
    #expect(try keyring("--mode", "creds", "get", "svc").output == Data("jane\np w\n".utf8))
    #expect(try keyring("get", "svc", "jane", "--output", "json").text == "{\"password\":\"p w\"}")
    #expect(
      try keyring("get", "svc", "--mode=creds", "--output=json").text == "{\"password\":\"p w\",\"username\":\"jane\"}")
    #expect(try keyring("get", "svc", "joe", "--mode", "creds").exitCode == 1)
    #expect(try keyring("set", "svc", "joe", input: "second").exitCode == 0)
    #expect(try keyring("get", "svc", "--mode", "creds").text == "joe\nsecond")
    let before = try scene.machine.coffer("show", "svc", "joe")
    #expect(try keyring("set", "svc", "joe", input: "second").exitCode == 0)
    #expect(try scene.machine.coffer("show", "svc", "joe") == before)
    #expect(try keyring("del", "svc", "jane").exitCode == 0)
    #expect(try keyring("get", "svc", "jane").exitCode == 1)
    expectFailure(try keyring("del", "svc", "jane"), 3, "there is no password of svc, jane")
    expectFailure(try keyring("get", "svc"), 2, "give the user name")
  }

  @Test func `Without a user name, only what keyring has stored is found`() throws {
    try scene.set("registry.example.com", "app", "other")
    let stored = try scene.answer(
      "docker", "store",
      input: Data("{\"ServerURL\":\"registry.example.com\",\"Username\":\"u\",\"Secret\":\"p\"}".utf8))
    #expect(stored.exitCode == 0)
    let none = try scene.answer("keyring", "get", "registry.example.com", "--mode", "creds")
    #expect(none.exitCode == 1 && none.output.isEmpty, "\(none)")
    let other = try scene.answer("keyring", "set", "registry.example.com", "u", input: Data("own".utf8))
    expectFailure(other, 2, "is an item that keyring has not stored")
    #expect(try scene.answer("docker", "get", input: Data("registry.example.com".utf8)).text.contains("\"p\""))
    let set = try scene.answer("keyring", "set", "registry.example.com", "jane", input: Data("own".utf8))
    #expect(set.exitCode == 0)
    try scene.set("registry.example.com", "later", "other")
    #expect(
      try scene.answer("keyring", "get", "registry.example.com", "--mode", "creds").text == "jane\nown")
    #expect(try scene.answer("keyring", "get", "registry.example.com", "app").text == "other")
  }

  @Test func `The owner's bridges see the owner's own group only, also if the owner needs no passphrase`() throws {
    try scene.set("svc", "jane", "an app's")
    scene.machine.environment["COFFER_APP"] = nil
    try scene.machine.coffer("set", "other", "jane", input: "own")
    #expect(try scene.answer("keyring", "get", "other", "jane").text == "own")
    #expect(try scene.answer("keyring", "get", "svc", "jane").exitCode == 1)
    expectFailure(try scene.answer("keyring", "del", "svc", "jane"), 3, "there is no password of svc, jane")
    #expect(try scene.machine.coffer("get", "svc", "jane", "--app", "com.example.photo.pro") == "an app's")
  }

  @Test func `A password that several groups have is not deleted without the name of one`() throws {
    try scene.set("svc", "jane", "one")
    try scene.machine.coffer("set", "svc", "jane", "--group", "com.example.photo.purchases", input: "two")
    expectFailure(try scene.answer("keyring", "del", "svc", "jane"), 2, "several groups have svc, jane", "--group")
    #expect(
      try scene.answer("keyring", "del", "svc", "jane", "--group", "com.example.photo.purchases").exitCode == 0)
    #expect(try scene.answer("keyring", "get", "svc", "jane").text == "one")
  }

  @Test func `pip and uv install from a private index with the stored password, also from a headless credential`()
    throws
  {
    let index = try PackageIndex(user: "jane", password: "p@ss word")
    try scene.install("keyring")
    func pip(_ scene: BridgeScene) throws -> Machine.Outcome {
      // With a user in the URL, pip sends no password first, which this server answers with 403 instead of 401.
      try scene.run(
        "python",
        [
          "-m", "pip", "install", "-q", "--no-input", "--no-deps", "--no-cache-dir", "--disable-pip-version-check",
          "--target", scene.path("pip"), "--index-url", "http://\(index.host)/simple/", "coffer-hello",
        ]
      )
    }

    func uv(_ scene: BridgeScene) throws -> Machine.Outcome {
      try scene.run(
        "uv",
        [
          "pip", "install", "-q", "--no-cache", "--python", "/usr/bin/python3", "--link-mode", "copy",
          "--target", scene.path("uv"), "--index-url", index.url, "coffer-hello",
        ]
      )
    }

    for client in [pip, uv] { #expect(try client(scene).exitCode != 0) }
    func expectSuccess(_ outcome: Machine.Outcome) { #expect(outcome.exitCode == 0, "\(outcome)") }
    func store(_ password: String) throws {
      #expect(try scene.answer("keyring", "set", index.host, "jane", input: Data(password.utf8)).exitCode == 0)
    }
    try store("wrong")
    for client in [pip, uv] { #expect(try client(scene).exitCode != 0) }
    try store("p@ss word")
    for client in [pip, uv] { try expectSuccess(client(scene)) }
    let job = try BridgeScene(headlessOf: scene)
    try job.install("keyring")
    for client in [pip, uv] { try expectSuccess(client(job)) }
    for folder in [scene.path("pip"), scene.path("uv"), job.path("pip"), job.path("uv")] {
      #expect(FileManager.default.fileExists(atPath: "\(folder)/coffer_hello.py"))
    }
  }

  @Test func `The backend of Python's keyring is found by its entry point, and keeps the contract of keyring`() throws {
    let source = scene.path("source")
    try Command.run("cp", "-r", DocumentationPage.root.appending(path: "Sources/ForApps/Python").path, source)
    try scene.succeed(
      "python", "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--no-index",
      "--no-build-isolation", "--target", scene.path("site"), source)
    let bin = scene.path("bin")
    try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: "\(bin)/coffer", withDestinationPath: Machine.path(of: "coffer"))
    let environment = [
      "PYTHONPATH": scene.path("site"), "PATH": "\(bin):\(scene.machine.environment["PATH"] ?? "")",
    ]
    #expect(
      try scene.succeed("keyring", "--list-backends", environment: environment).contains("coffer_keyring.Keyring"))
    let report = try scene.succeed(
      "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "\(source)/test_coffer_keyring.py",
      environment: environment)
    #expect(report.contains(/[0-9]{2} passed/) && !report.contains("skipped"), "\(report)")
    // A job only reads, and what is missing is no error there either.
    try scene.set("job", "jane", "secret")
    let job = try BridgeScene(headlessOf: scene)
    let read = """
      import coffer_keyring
      print([coffer_keyring.Keyring().get_password("job", user) for user in ("jane", "joe")])
      """
    #expect(try job.succeed("python", "-c", read, environment: environment) == "['secret', None]")
  }
}

/// A private index of Python packages on loopback: pypiserver, with one package.
private final class PackageIndex {
  let host: String
  let url: String
  private let process: SpawnedProgram
  private let folder: TemporaryDirectory

  init(user: String, password: String) throws {
    folder = try TemporaryDirectory()
    let wheel = """
      import sys, zipfile
      info = "coffer_hello-1.0.dist-info"
      with zipfile.ZipFile(sys.argv[1] + "/coffer_hello-1.0-py3-none-any.whl", "w") as wheel:
          wheel.writestr("coffer_hello.py", "")
          wheel.writestr(info + "/METADATA", "Metadata-Version: 2.1\\nName: coffer-hello\\nVersion: 1.0\\n")
          wheel.writestr(info + "/WHEEL", "Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
          wheel.writestr(info + "/RECORD", "")
      """
    let packages = folder.path("packages")
    try FileManager.default.createDirectory(atPath: packages, withIntermediateDirectories: true)
    try Command.run("/usr/bin/python3", "-c", wheel, packages)
    let hash = try Command.run("openssl", "passwd", "-apr1", password)
    let file = try folder.write("htpasswd", "\(user):\(hash)\n")
    let program = DocumentationPage.root.appending(path: ".build/clients/bin/pypi-server").path
    // Another program may take a port that was free a moment ago.
    for _ in 1...20 {
      let port = try ClosedPort().number
      let process = try SpawnedProgram([
        program, "run", "-i", "127.0.0.1", "-p", "\(port)", "-P", file, "-a", "update,download,list", packages,
      ])
      try waitUntil("the index listens") { !process.isRunning || (try? TCPConnection(port: port)) != nil }
      guard process.isRunning else { continue }
      (self.process, host, url) = (process, "127.0.0.1:\(port)", "http://\(user)@127.0.0.1:\(port)/simple/")
      return
    }
    throw SpawnedProgram.Failure(description: "pypi-server does not start: run Scripts/bootstrap --with clients")
  }

  deinit { process.end() }
}
