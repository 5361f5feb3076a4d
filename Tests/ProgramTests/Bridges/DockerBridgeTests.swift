import CofferTestSupport
import Foundation
import Testing

/// The bridge for docker, podman and skopeo, as they run it.
@Suite struct DockerBridgeTests {
  private let machine: Machine
  private let server = "https://index.docker.io/v1/"

  private struct Credentials: Decodable { let ServerURL, Username, Secret: String }

  init() throws {
    machine = try Machine.withExamples()
    machine.environment["COFFER_APP"] = "com.example.photo.pro"
  }

  private func ask(_ verb: String, _ input: String = "") throws -> Machine.Outcome {
    try machine.start("coffer", ["bridge", "docker", verb], input: Data(input.utf8)).wait()
  }

  private func store(_ server: String, _ user: String, _ secret: String) throws {
    let outcome = try ask("store", "{\"ServerURL\":\"\(server)\",\"Username\":\"\(user)\",\"Secret\":\"\(secret)\"}")
    #expect(outcome.exitCode == 0 && outcome.output.isEmpty && outcome.errors.isEmpty, "\(outcome)")
  }

  private func get(_ server: String) throws -> Credentials {
    try JSONDecoder().decode(Credentials.self, from: ask("get", server + "\n").output)
  }

  /// Expects an error in the words of docker, which are on standard output.
  private func expectRefusal(_ outcome: Machine.Outcome, _ text: String) {
    #expect(outcome.exitCode == 1 && outcome.text == text && outcome.errors.isEmpty, "\(outcome)")
  }

  @Test func `A login is stored, found by its exact server, and replaced by the next one`() throws {
    try store(server, "jane", "p\\\"w\\né")
    #expect(try get(server).Secret == "p\"w\né" && get(server).Username == "jane" && get(server).ServerURL == server)
    try store("localhost:5000", "<token>", "identity")
    try store(server, "joe", "second")
    #expect(try get(server).Username == "joe" && get(server).Secret == "second")
    let list = try JSONDecoder().decode([String: String].self, from: ask("list").output)
    #expect(list == [server: "joe", "localhost:5000": "<token>"])
    expectRefusal(try ask("get", "https://index.docker.io/v1"), "credentials not found in native keychain")
  }

  @Test func `The same login again is no new version`() throws {
    try store(server, "jane", "one")
    let before = try machine.coffer("show", server, "jane")
    try store(server, "jane", "one")
    #expect(try machine.coffer("show", server, "jane") == before)
  }

  @Test func `erase can be repeated, and errors are the words that clients compare`() throws {
    try store(server, "jane", "one")
    for _ in 0..<3 {
      let outcome = try ask("erase", server)
      #expect(outcome.exitCode == 0 && outcome.output.isEmpty && outcome.errors.isEmpty, "\(outcome)")
    }
    expectRefusal(try ask("get", server), "credentials not found in native keychain")
    expectRefusal(try ask("get", "\n"), "no credentials server URL")
    expectRefusal(try ask("erase"), "no credentials server URL")
    expectRefusal(
      try ask("store", "{\"ServerURL\":\"\",\"Username\":\"u\",\"Secret\":\"s\"}"), "no credentials server URL")
    expectRefusal(
      try ask("store", "{\"ServerURL\":\"s\",\"Username\":\"\",\"Secret\":\"s\"}"), "no credentials username")
    #expect(try ask("store", "no json").exitCode == 1)
    expectRefusal(try ask("forget"), "unknown credential action `forget`")
    #expect(try ask("list").text == "{}")
  }

  @Test func `Without a vault, nothing is found, and no other error keeps docker from a public image`() throws {
    let machine = try Machine()
    func ask(_ verb: String, _ input: String = "") throws -> Machine.Outcome {
      try machine.start("coffer", ["bridge", "docker", verb], input: Data(input.utf8)).wait()
    }
    expectRefusal(try ask("get", server), "credentials not found in native keychain")
    let list = try ask("list")
    #expect(list.exitCode == 0 && list.output == Data("{}\n".utf8) && list.errors.isEmpty, "\(list)")
    #expect(try ask("erase", server).exitCode == 0)
    let git = try machine.start(
      "coffer", ["bridge", "git", "get"], input: Data("protocol=https\nhost=a.example\n\n".utf8)
    ).wait()
    #expect(git.exitCode == 0 && git.output.isEmpty && git.errors.isEmpty, "\(git)")
    #expect(!FileManager.default.fileExists(atPath: machine.vault.path))
  }

  @Test func `Other passwords are not docker's`() throws {
    try machine.coffer("set", server, "jane", input: "own")
    expectRefusal(try ask("get", server), "credentials not found in native keychain")
    #expect(try ask("erase", server).exitCode == 0)
    #expect(try machine.coffer("get", server, "jane") == "own")
    let login = try ask("store", "{\"ServerURL\":\"\(server)\",\"Username\":\"jane\",\"Secret\":\"docker's\"}")
    #expect(login.exitCode == 1 && login.text.contains("coffer edit \(server) jane --service NAME"), "\(login)")
    #expect(try ask("erase", server).exitCode == 0)
    #expect(try machine.coffer("get", server, "jane") == "own")
    try machine.coffer("edit", server, "jane", "--service", "docker.com")
    try store(server, "jane", "docker's")
    #expect(try get(server).Secret == "docker's")
  }

  @Test func `install keeps the rest of docker's configuration, and the program that it writes answers`() throws {
    let folder = machine.directory.path(".docker")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try machine.directory.write(
      ".docker/config.json", "{\"auths\":{\"a\":{}},\"n\":1.5,\"i\":12345678901,\"b\":true,\"z\":null}")
    let program = machine.directory.path(".local/bin/docker-credential-coffer")
    let installed = try machine.run("coffer", "bridge", "install", "docker")
    #expect(
      installed.exitCode == 0 && installed.text.contains(program) && installed.errors.contains("PATH"), "\(installed)")
    let file = try Data(contentsOf: URL(fileURLWithPath: folder + "/config.json"))
    let object = try #require(JSONSerialization.jsonObject(with: file) as? [String: Any])
    #expect(object["credsStore"] as? String == "coffer" && object["i"] as? Int == 12_345_678_901 && object.count == 6)
    try store(server, "jane", "one")
    let outcome = try machine.start(program, ["get"], input: Data(server.utf8)).wait()
    #expect(outcome.exitCode == 0 && outcome.text.contains("\"Secret\":\"one\""), "\(outcome)")
    try machine.coffer("bridge", "install", "docker")
    #expect(try machine.coffer("bridge", "remove", "docker").split(separator: "\n").count == 3)
    #expect(!FileManager.default.fileExists(atPath: program))
    expectFailure(try machine.run("coffer", "bridge", "remove", "docker"), 3, "not installed")
    try machine.directory.write(".docker/config.json", "{\"credsStore\":\"pass\"}")
    expectFailure(
      try machine.run("coffer", "bridge", "install", "docker"), 2, "credsStore in \(folder)/config.json is pass")
    #expect(!FileManager.default.fileExists(atPath: program))
    try machine.directory.write(".docker/config.json", "[]")
    expectFailure(try machine.run("coffer", "bridge", "install", "docker"), 2, "no JSON object")
  }

  #if os(Linux)
    @Test func `docker and skopeo log in to a registry, push and log out, also from a headless credential`() throws {
      let scene = try BridgeScene()
      let registry = try Registry(user: "jane", password: "p@ss word")
      try scene.install("docker")
      func login(_ client: String, _ password: String) throws -> Machine.Outcome {
        let options = client == "skopeo" ? ["--tls-verify=false"] : []
        return try scene.run(
          client, ["login"] + options + ["-u", "jane", "--password-stdin", registry.host], input: password)
      }
      func push(_ scene: BridgeScene, _ tag: String) throws -> Int32? {
        try scene.run(
          "skopeo",
          [
            "--policy", self.machine.directory.path("policy.json"), "copy", "-q", "--dest-tls-verify=false",
            "oci:\(registry.image):image", "docker://\(registry.host)/team/image:\(tag)",
          ]
        ).exitCode
      }
      try machine.directory.write("policy.json", "{\"default\":[{\"type\":\"insecureAcceptAnything\"}]}")
      #expect(try login("docker", "wrong").exitCode != 0)
      #expect(try push(scene, "none") != 0)
      for client in ["docker", "skopeo"] {
        let outcome = try login(client, "p@ss word")
        #expect(outcome.exitCode == 0 && !outcome.errors.contains("unencrypted"), "\(outcome)")
        #expect(try scene.answer("docker", "list").text == "{\"\(registry.host)\":\"jane\"}")
        #expect(try push(scene, client) == 0)
        if client == "docker" {
          let job = try BridgeScene(headlessOf: scene)
          try job.install("docker")
          #expect(try push(job, "job") == 0)
        }
        try scene.succeed(client, "logout", registry.host)
        #expect(try scene.answer("docker", "list").text == "{}")
        #expect(try push(scene, "after") != 0)
      }
      // No client has written the password elsewhere.
      let written = try scene.run(
        "grep", ["-rlE", "p@ss word|\(Data("jane:p@ss word".utf8).base64EncodedString())", scene.home])
      #expect(written.exitCode == 1, "\(written)")
    }
  #endif
}

/// A registry of images on loopback: docker-registry, with an image to push.
private final class Registry {
  let host: String
  /// The folder with the image, in the layout of OCI.
  let image: String
  private let process: SpawnedProgram
  private let folder: TemporaryDirectory

  private static let setup = """
    import crypt, gzip, hashlib, io, json, os, sys, tarfile
    folder, login = sys.argv[1:]
    user, password = login.split(":")
    with open(folder + "/htpasswd", "w") as file:
        file.write(user + ":" + crypt.crypt(password, crypt.mksalt(crypt.METHOD_BLOWFISH, rounds=16)))
    os.makedirs(folder + "/image/blobs/sha256")
    kind = "application/vnd.oci.image."
    def blob(data, name):
        digest = hashlib.sha256(data).hexdigest()
        open(folder + "/image/blobs/sha256/" + digest, "wb").write(data)
        return {"digest": "sha256:" + digest, "size": len(data), "mediaType": kind + name}
    tar = io.BytesIO()
    tarfile.open(fileobj=tar, mode="w").close()
    layer = blob(gzip.compress(tar.getvalue()), "layer.v1.tar+gzip")
    root = {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(tar.getvalue()).hexdigest()]}
    config = blob(json.dumps({"architecture": "amd64", "os": "linux", "config": {}, "rootfs": root}).encode(), "config.v1+json")
    manifest = {"schemaVersion": 2, "mediaType": kind + "manifest.v1+json", "config": config, "layers": [layer]}
    entry = blob(json.dumps(manifest).encode(), "manifest.v1+json")
    entry["annotations"] = {"org.opencontainers.image.ref.name": "image"}
    json.dump({"schemaVersion": 2, "manifests": [entry]}, open(folder + "/image/index.json", "w"))
    open(folder + "/image/oci-layout", "w").write('{"imageLayoutVersion": "1.0.0"}')
    """

  init(user: String, password: String) throws {
    folder = try TemporaryDirectory()
    image = folder.path("image")
    try Command.run("/usr/bin/python3", "-W", "ignore", "-c", Self.setup, folder.path, "\(user):\(password)")
    // Another program may take a port that was free a moment ago.
    for _ in 1...20 {
      let port = try ClosedPort().number
      let configuration = try folder.write(
        "registry.yml",
        """
        version: 0.1
        log: {level: error, accesslog: {disabled: true}}
        storage: {filesystem: {rootdirectory: \(folder.path("store"))}}
        http: {addr: "127.0.0.1:\(port)", secret: x}
        auth: {htpasswd: {realm: registry, path: \(folder.path("htpasswd"))}}
        """)
      let process = try SpawnedProgram(["docker-registry", "serve", configuration])
      try waitUntil("the registry listens") { !process.isRunning || (try? TCPConnection(port: port)) != nil }
      guard process.isRunning else { continue }
      (self.process, host) = (process, "127.0.0.1:\(port)")
      return
    }
    throw SpawnedProgram.Failure(description: "docker-registry does not start: run Scripts/bootstrap --with clients")
  }

  deinit { process.end() }
}
