import CofferSystem
import CofferTestSupport
import Foundation
import Testing

@testable import CofferProgram

/// What `coffer bridge install` and `remove` do to the configuration of other programs, and what `coffer doctor` says
/// of it.
@Suite struct BridgeSettingsTests {
  private let scene: BridgeScene

  init() throws { scene = try BridgeScene() }

  /// What a user may have had in the file before: with comments, other tables and entries that only look alike.
  private static let former: [(bridge: String, file: String, text: String)] = [
    (
      "keyring", ".config/pip/pip.conf",
      "# mine\n[install]\nno-compile = yes\n\n[global]\ntimeout = 60\nextra =\n    a\n    b\n"
    ),
    ("keyring", ".config/uv/uv.toml", "# mine\nlink-mode = \"copy\"\n\n[pip]\nstrict = true\n"),
    (
      "cargo", ".cargo/config.toml",
      "[build]\njobs = 1 # one\n[registry] # mine\ndefault = \"x\"\n\n[alias]\nb = \"build\"\n"
    ),
    ("aws", ".aws/config", "[profile other]\nregion = a\n[default]\nregion = b\ns3 =\n  addressing_style = path\n"),
    ("ansible", ".ansible.cfg", "; mine\n[defaults]\nforks=1\n[diff]\nalways = yes\n"),
    ("docker", ".docker/config.json", "{\n  \"auths\" : {\n\n  },\n  \"n\" : 1.5\n}\n"),
    (
      "git", ".gitconfig",
      "[user]\n\tname = x # mine\n[credential]\n\thelper = cache\n\thelper = !A=1 /opt/coffer bridge git\n"
    ),
  ]

  private func write(_ file: String, _ text: String) throws {
    let folder = URL(fileURLWithPath: scene.path(file)).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try scene.machine.directory.write(file, text)
  }

  private func read(_ file: String) throws -> String {
    try String(contentsOfFile: scene.path(file), encoding: .utf8)
  }

  /// The files of the user that are not the vault's, with their contents.
  private func files() throws -> [String: String] {
    let all = FileManager.default.enumerator(atPath: scene.home)?.compactMap { $0 as? String } ?? []
    var found: [String: String] = [:]
    for name in all where !name.hasPrefix("home/") && !name.hasPrefix(".kube/cache") {
      found[name] = try? String(contentsOfFile: scene.path(name), encoding: .utf8)
    }
    return found
  }

  @Test func `install keeps every line of the user's files, a second one changes nothing, and remove restores them`()
    throws
  {
    for (_, file, text) in Self.former { try write(file, text) }
    let before = try files()
    let bridges = ["git", "docker", "keyring", "cargo", "aws", "ansible", "ssh-askpass"]
    for bridge in bridges {
      let untouched = try files()
      let planned = try scene.machine.coffer("bridge", "install", bridge, "--dry-run")
      #expect(try files() == untouched)
      let written = try scene.machine.coffer("bridge", "install", bridge)
      #expect(planned.replacingOccurrences(of: "Would write", with: "Wrote") == written)
    }
    let installed = try files()
    for (_, file, text) in Self.former where !file.hasSuffix(".json") {
      var rest = try read(file).split(separator: "\n", omittingEmptySubsequences: false)[...]
      for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
        let position = try #require(rest.firstIndex(of: line), "\(file): \(line)")
        rest = rest[(position + 1)...]
      }
    }
    for bridge in bridges {
      let again = try scene.machine.coffer("bridge", "install", bridge)
      #expect(again.split(separator: "\n").allSatisfy { $0.hasPrefix("Unchanged: ") }, "\(again)")
    }
    #expect(try files() == installed)
    for bridge in bridges {
      let planned = try scene.machine.coffer("bridge", "remove", bridge, "--dry-run")
      let removed = try scene.machine.coffer("bridge", "remove", bridge)
      #expect(planned.replacingOccurrences(of: "Would remove", with: "Removed") == removed)
    }
    #expect(try files() == before)
  }

  @Test func `remove leaves what the user has added to a table since, and keeps a changed program`() throws {
    try scene.install("ansible")
    try write(".ansible.cfg", read(".ansible.cfg") + "forks = 2\n")
    let program = scene.path(".local/bin/coffer-ansible-client")
    try write(".local/bin/coffer-ansible-client", "#!/bin/sh\necho mine\n")
    try scene.machine.coffer("bridge", "remove", "ansible")
    #expect(try read(".ansible.cfg") == "[defaults]\nforks = 2\n")
    #expect(FileManager.default.fileExists(atPath: program))
    expectFailure(try scene.machine.run("coffer", "bridge", "install", "ansible"), 2, "another program", "mv ")
  }

  @Test func `Another app or group replaces what was written before`() throws {
    try scene.install("cargo")
    try scene.install("cargo", "--app", "com.example.photo.pro", "--group", "com.example.photo.purchases")
    let program = try read(".local/bin/cargo-credential-coffer")
    #expect(program.contains("bridge cargo --app com.example.photo.pro --group com.example.photo.purchases \"$@\""))
    #expect(try read(".cargo/config.toml").components(separatedBy: "global-credential-providers").count == 2)
  }

  @Test(arguments: [
    ("keyring", ".config/pip/pip.conf", "[global]\nkeyring-provider = import\n"),
    ("keyring", ".config/uv/uv.toml", "keyring-provider = \"disabled\"\n"),
    ("cargo", ".cargo/config.toml", "[registry]\n  global-credential-providers = [\"cargo:libsecret\"]\n"),
    ("cargo", ".cargo/config.toml", "registry.global-credential-providers = []\n"),
    ("cargo", ".cargo/config.toml", "registry = { default = \"x\" }\n"),
    ("aws", ".aws/config", "[ default ]\r\ncredential_process=other\r\n"),
    ("aws", ".aws/config", "[default]\nregion = a\n[profile default]\nCredential_Process = other\n"),
    ("aws", ".aws/config", "[default]\ncredential_process = other\n[profile default]\nregion = a\n"),
    ("keyring", ".config/pip/pip.conf", "[global]\nKeyring_Provider = import\n"),
    ("cargo", ".cargo/config.toml", "['registry']\n\"global-credential-providers\" = []\n"),
    ("cargo", ".cargo/config.toml", "\"registry\".default = \"x\"\n"),
    ("ansible", ".ansible.cfg", "[defaults]\nvault_password_file: ~/file\n"),
    ("docker", ".docker/config.json", "{\"credsStore\":\"pass\"}"), ("docker", ".docker/config.json", "[1]"),
    ("docker", ".config/containers/registries.conf.d/coffer.conf", "unqualified-search-registries = []\n"),
    ("keyring", ".local/bin/keyring", "#!/bin/sh\nexec other\n"),
  ])
  func `What somebody else has configured is an error that names the file, and nothing is written`(
    bridge: String, file: String, text: String
  ) throws {
    try write(file, text)
    let before = try files()
    let outcome = try scene.machine.run("coffer", "bridge", "install", bridge)
    expectFailure(outcome, 2, scene.path(file))
    #expect(try files() == before && outcome.output.isEmpty)
    expectFailure(
      try scene.machine.run("coffer", "bridge", "remove", bridge), bridge == "docker" && text == "[1]" ? 2 : 3)
  }

  @Test(arguments: [
    ("aws", ".aws/config", "[profile default]", "region = a"),
    ("aws", ".aws/config", "[default]\nregion = b\n[profile \"default\"]", "region = a"),
    ("cargo", ".cargo/config.toml", "[\"registry\"]", "default = \"x\""),
  ])
  func `A table that the client knows under another name gets the entry, and stays the only one`(
    bridge: String, file: String, header: String, rest: String
  ) throws {
    try write(file, "\(header)\n\(rest)\n")
    try scene.install(bridge)
    let text = try read(file)
    #expect(text.hasPrefix("\(header)\n# Written by: coffer bridge install \(bridge)\n"), "\(text)")
    #expect(text.contains("\n\(rest)\n") && !text.contains("\n[registry]"), "\(text)")
    let again = try scene.machine.coffer("bridge", "install", bridge)
    #expect(again.split(separator: "\n").allSatisfy { $0.hasPrefix("Unchanged: ") }, "\(again)")
    try scene.machine.coffer("bridge", "remove", bridge)
    #expect(try read(file) == "\(header)\n\(rest)\n")
  }

  @Test func `A configuration that is a link elsewhere stays a link, and a file keeps its mode`() throws {
    try write("dotfiles/ansible.cfg", "[defaults]\nforks = 1\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: scene.path("dotfiles/ansible.cfg"))
    try FileManager.default.createSymbolicLink(
      atPath: scene.path(".ansible.cfg"), withDestinationPath: "dotfiles/ansible.cfg")
    try scene.install("ansible")
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: scene.path(".ansible.cfg")) == "dotfiles/ansible.cfg")
    let attributes = try FileManager.default.attributesOfItem(atPath: scene.path("dotfiles/ansible.cfg"))
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o644)
    #expect(try read("dotfiles/ansible.cfg").contains("coffer-ansible-client"))
    // A link whose file has nothing left stays too.
    try write("dotfiles/ansible.cfg", "")
    try scene.install("ansible")
    try scene.machine.coffer("bridge", "remove", "ansible")
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: scene.path(".ansible.cfg")) == "dotfiles/ansible.cfg")
    #expect(try read("dotfiles/ansible.cfg").isEmpty)
  }

  @Test func `An entry whose mark another program has dropped gets it again`() throws {
    try scene.install("keyring")
    try write(".config/pip/pip.conf", "[global]\nkeyring-provider = subprocess\ntimeout = 60\n")
    try scene.install("keyring")
    #expect(
      try read(".config/pip/pip.conf")
        == "[global]\n# Written by: coffer bridge install keyring\nkeyring-provider = subprocess\ntimeout = 60\n")
    try scene.machine.coffer("bridge", "remove", "keyring")
    #expect(try read(".config/pip/pip.conf") == "[global]\ntimeout = 60\n")
  }

  @Test(arguments: [
    (
      "{\n\t\"n\": 1.50,\n\t\"b\": \"}\\\"{,\",\n\t\"auths\": {\"x\": [1]}\n}",
      "{\n\t\"n\": 1.50,\n\t\"b\": \"}\\\"{,\",\n\t\"auths\": {\"x\": [1]},\n\t\"credsStore\": \"coffer\"\n}"
    ), ("{\"b\":1, \"a\":[]}\n", "{\"b\":1, \"a\":[], \"credsStore\": \"coffer\"}\n"),
    (" { \"a\" : null }", " { \"a\" : null, \"credsStore\": \"coffer\" }"),
  ])
  func `The configuration of docker stays as it is, byte by byte, beside the one member`(
    before: String, installed: String
  ) throws {
    let read = try #require(JSONObjectText(before))
    #expect(read["credsStore"] == nil && read.adding("credsStore", "coffer") == installed)
    let written = try #require(JSONObjectText(installed))
    #expect(written["credsStore"] == .string("coffer") && written.removing("credsStore") == before)
  }

  @Test func `A member is removed from any place, and what is no object is not read`() throws {
    let text = "{\n  \"k\": 1,\n  \"a\": 2,\n  \"k\": {},\n  \"b\": 3\n}\n"
    let object = try #require(JSONObjectText(text))
    #expect(object["k"] == .object([:]))
    #expect(object.removing("k") == "{\n  \"a\": 2,\n  \"b\": 3\n}\n")
    #expect(JSONObjectText("{ }")?.adding("k", "v") == "{\n  \"k\": \"v\"\n}\n")
    for other in ["[]", "{\"a\":}", "{\"a\":1", "", "{} {}"] { #expect(JSONObjectText(other) == nil) }
  }

  @Test func `install and remove of the bridge for docker leave its configuration as it was`() throws {
    let text = "{\"n\": 1.50, \"b\": true, \"auths\": {}}"
    try write(".docker/config.json", text)
    try scene.install("docker")
    #expect(try read(".docker/config.json").contains("\"credsStore\": \"coffer\""))
    try scene.machine.coffer("bridge", "remove", "docker")
    #expect(try read(".docker/config.json") == text)
  }

  @Test func `remove keeps the lines that the user has added to a file of the bridge`() throws {
    let file = ".config/environment.d/coffer-ssh-askpass.conf"
    try scene.install("ssh-askpass")
    try write(file, read(file) + "EDITOR=vi\n")
    let again = try scene.machine.coffer("bridge", "install", "ssh-askpass")
    #expect(again.split(separator: "\n").allSatisfy { $0.hasPrefix("Unchanged: ") }, "\(again)")
    try scene.machine.coffer("bridge", "remove", "ssh-askpass")
    #expect(try read(file) == "EDITOR=vi\n")
  }

  @Test func `systemd reads the path of the program for ssh, whatever characters it has`() throws {
    let home = scene.machine.directory.path("a $HOME \"b\" \\c `d'")
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    scene.machine.environment["HOME"] = home
    scene.machine.environment["XDG_CONFIG_HOME"] = "\(home)/.config"
    try scene.install("ssh-askpass")
    let generator = "/usr/lib/systemd/user-environment-generators/30-systemd-environment-d-generator"
    let printed = try scene.machine.succeed(
      "/bin/sh", ["-c", "eval \"$(\(generator))\" && printf %s \"$SSH_ASKPASS\""])
    #expect(printed == "\(home)/.local/bin/coffer-ssh-askpass")
  }

  @Test func `install explains what it cannot do`() throws {
    expectFailure(
      try scene.machine.run("coffer", "bridge", "install", "git", "--name", "x"), 2, "--name is not for git")
    for (bridge, names) in [("aws", ["a\nb", "a,b", "é", " a", "a]", ""]), ("kubectl", ["a\nb", "\u{1b}", ""])] {
      for name in names {
        expectFailure(try scene.machine.run("coffer", "bridge", "install", bridge, "--name", name), 2, "--name takes")
      }
    }
    expectFailure(
      try scene.machine.run("coffer", "bridge", "remove", "cargo"), 3, "the bridge for cargo is not installed")
    scene.machine.environment["PATH"] = "/usr/bin:/bin"
    let note = try scene.machine.run("coffer", "bridge", "install", "docker")
    #expect(note.exitCode == 0 && note.errors.contains("PATH does not lead to it"), "\(note)")
  }

  @Test func `list --json has the command of each installed bridge, and install and remove say what they did`() throws {
    struct Row: Decodable { let bridge: String; let isInstalled: Bool; let command: String? }
    struct Report: Decodable { let isInstalled: Bool; let written, unchanged, removed: [String]? }
    #expect(try scene.machine.json(Report.self, "bridge", "install", "aws", "--dry-run").isInstalled == false)
    let report = try scene.machine.json(Report.self, "bridge", "install", "aws")
    #expect(report.isInstalled && report.written?.count == 2 && report.unchanged == [])
    let rows = try scene.machine.json([Row].self, "bridge", "list")
    #expect(rows.filter(\.isInstalled).map(\.bridge) == ["aws"])
    #expect(rows.first { $0.isInstalled }?.command?.hasSuffix("coffer bridge aws") == true)
    #expect(try scene.machine.json(Report.self, "bridge", "remove", "aws").removed?.count == 2)
  }

  private struct Finding: Decodable { let check, severity, subject, message, fix: String }

  private func findings() throws -> [Finding] {
    let outcome = try scene.machine.run("coffer", "doctor", "--json")
    return try JSONDecoder().decode([Finding].self, from: outcome.output).filter { $0.check == "bridges" }
  }

  @Test
  func `doctor finds a bridge whose program is gone, shadowed, not in PATH or not executable, and a missing part`()
    throws
  {
    for bridge in ["git", "docker", "keyring", "cargo", "aws", "ansible", "ssh-askpass"] { try scene.install(bridge) }
    #expect(try findings().isEmpty)
    let path = scene.machine.environment["PATH"]

    let script = try scene.machine.directory.writeScript("keyring", "exit 1")
    scene.machine.environment["PATH"] = "\(scene.home):\(path ?? "")"
    #expect(try findings().map(\.message) == ["PATH leads to another program of this name: \(script)."])
    scene.machine.environment["PATH"] = "/usr/bin:/bin"
    #expect(try findings().count { $0.message.hasPrefix("PATH does not lead to it") } == 2)
    scene.machine.environment["PATH"] = path

    try FileManager.default.setAttributes(
      [.posixPermissions: 0o644], ofItemAtPath: scene.path(".local/bin/cargo-credential-coffer"))
    #expect(try findings().map(\.message) == ["It is not executable, so no program can start it."])
    try Command.run("chmod", "+x", scene.path(".local/bin/cargo-credential-coffer"))

    try FileManager.default.removeItem(atPath: scene.path(".docker/config.json"))
    #expect(
      try findings().map(\.message) == [
        "A part of the bridge is missing: credsStore = coffer in \(scene.path(".docker/config.json"))."
      ])
    try scene.install("docker")

    for file in [".local/bin/coffer-ansible-client", ".gitconfig"] {
      try write(file, read(file).replacingOccurrences(of: Machine.path(of: "coffer"), with: "/gone/coffer"))
      try Command.run("chmod", "+x", scene.path(file))
    }
    let gone = try findings()
    #expect(gone.count == 2 && gone.allSatisfy { $0.message == "It runs /gone/coffer, which does not exist any more." })
    #expect(gone.map(\.fix).allSatisfy { $0.contains("coffer bridge install ") })
    #expect(try scene.machine.run("coffer", "doctor").exitCode == 1)
  }

  @Test func `A file of another program that cannot be read hides no other bridge from list and doctor`() throws {
    struct Row: Decodable { let bridge: String; let isInstalled: Bool; let error: String? }
    try scene.install("cargo")
    try FileManager.default.createDirectory(atPath: scene.path(".aws"), withIntermediateDirectories: true)
    try Data([0xff, 10]).write(to: URL(fileURLWithPath: scene.path(".aws/config")))
    let rows = try scene.machine.json([Row].self, "bridge", "list")
    #expect(rows.filter(\.isInstalled).map(\.bridge) == ["cargo"])
    #expect(rows.filter { $0.error != nil }.map(\.bridge) == ["aws"])
    #expect(try scene.machine.coffer("bridge", "list").contains("is no text in UTF-8"))
    let found = try findings()
    #expect(found.map(\.subject) == ["coffer bridge aws"])
    #expect(found.first?.message.contains("is no text in UTF-8") == true)
  }

  @Test func `cargo's earlier file is used if it exists, and doctor finds one that hides the bridge`() throws {
    try write(".cargo/config", "[build]\njobs = 1\n")
    try scene.install("cargo")
    #expect(try read(".cargo/config").contains("global-credential-providers"))
    #expect(!FileManager.default.fileExists(atPath: scene.path(".cargo/config.toml")))
    #expect(try findings().isEmpty)
    try scene.machine.coffer("bridge", "remove", "cargo")
    #expect(try read(".cargo/config") == "[build]\njobs = 1\n")

    try FileManager.default.removeItem(atPath: scene.path(".cargo/config"))
    try scene.install("cargo")
    try write(".cargo/config", "[build]\njobs = 1\n")
    #expect(
      try findings().map(\.message) == [
        "cargo reads it instead of \(scene.path(".cargo/config.toml")), which has the entries for Coffer."
      ])
    try scene.machine.coffer("bridge", "remove", "cargo")
    #expect(!FileManager.default.fileExists(atPath: scene.path(".cargo/config.toml")))
  }

  @Test func `A version of ssh that lets servers ask as it does itself is refused, and found by doctor`() throws {
    let path = scene.machine.environment["PATH"] ?? ""
    func useSSH(_ version: String) throws {
      _ = try scene.machine.directory.writeScript("ssh", "echo \(version) >&2")
      scene.machine.environment["PATH"] = "\(scene.home):\(path)"
    }
    try useSSH("OpenSSH_8.4p1 Debian-5")
    expectFailure(try scene.machine.run("coffer", "bridge", "install", "ssh-askpass"), 2, "OpenSSH 8.4", "8.5 or later")
    #expect(!FileManager.default.fileExists(atPath: scene.path(".local/bin/coffer-ssh-askpass")))
    for version in ["OpenSSH_8.5p1", "OpenSSH_10.0p2", "other"] {
      try useSSH(version)
      try scene.install("ssh-askpass")
      #expect(try findings().isEmpty)
    }
    try useSSH("OpenSSH_7.9p1")
    #expect(try findings().map(\.subject) == ["OpenSSH 7.9"])
  }

  @Test func `doctor finds helpers of git that come before Coffer, and an entry that makes git forget it`() throws {
    try write(".gitconfig", "[credential]\n\thelper = store\n")
    try scene.install("git")
    let first = try #require(try findings().first)
    #expect(first.severity == "advice" && first.message.hasSuffix("stores passwords there too: store"))
    // An empty entry begins a new list.
    try write(
      ".gitconfig",
      "[credential]\n\thelper = store\n\thelper =\n\thelper = !\(Machine.path(of: "coffer")) bridge git\n")
    #expect(try findings().isEmpty)
    try write(".gitconfig", read(".gitconfig") + "\thelper =\n")
    let problem = try #require(try findings().first)
    #expect(problem.severity == "problem" && problem.message.contains("makes git forget the helpers before it"))
  }
}
