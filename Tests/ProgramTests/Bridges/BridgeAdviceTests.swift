#if os(Linux)
  import CofferTestSupport
  import Foundation
  import Testing

  @testable import CofferProgram

  /// What `coffer doctor` advises about files of bridges that somebody has damaged or replaced, for each bridge.
  @Suite struct BridgeAdviceTests {
    /// The file of each program, and what that cannot read.
    private static let unreadable: [(bridge: String, file: String, text: String?)] = [
      ("docker", ".docker/config.json", "{"), ("docker", ".docker/config.json", nil),
      ("git", ".gitconfig", "[credential\n"), ("cargo", ".cargo/config.toml", "\u{FF}"),
      ("keyring", ".config/pip/pip.conf", "\u{FF}"), ("keyring", ".config/uv/uv.toml", nil),
      ("aws", ".aws/config", "\u{FF}"), ("ansible", ".ansible.cfg", nil), ("kubectl", ".kube/config", "{"),
      ("ssh-askpass", ".config/environment.d/coffer-ssh-askpass.conf", "\u{FF}"),
    ]

    @Test(arguments: unreadable.indices)
    func `A file that the program of a bridge cannot read is found, and the advice clears the way`(_ index: Int) throws
    {
      let (bridge, file, text) = Self.unreadable[index]
      let bridges = try BridgeScene()
      try bridges.install(bridge)
      let url = URL(fileURLWithPath: bridges.path(file))
      try FileManager.default.removeItem(at: url)
      if let text {
        // The character is a byte that no UTF-8 has.
        try Data(text == "\u{FF}" ? [0xFF] : Array(text.utf8)).write(to: url)
      } else {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
      }
      var scene = AdviceScene(bridges.machine)
      scene.subject = bridge
      try scene.carryOut(Finding.Kind.bridgeFile.rawValue)
      // And what is missing then is put back by the command that doctor names.
      let found = try scene.find().filter { $0.kind == Finding.Kind.bridgePart.rawValue }
      if bridge != "git" { #expect(!found.isEmpty, "\(found)") }
      for part in found {
        let command = try #require(AdviceScene.commands(in: part.fix).first)
        #expect(try scene.run(command).exitCode == 0, "\(part)")
      }
      #expect(try !scene.find().contains { $0.kind == Finding.Kind.bridgePart.rawValue })
    }

    @Test func `The advised command keeps the app, the group and the name of a bridge`() throws {
      let bridges = try BridgeScene()
      let (app, group) = ("com.example.photo.pro", "com.example.photo.purchases")
      try bridges.install("docker", "--app", app, "--group", group)
      try FileManager.default.removeItem(atPath: bridges.path(".docker/config.json"))
      try bridges.install("aws", "--app", app, "--name", "work")
      let program = bridges.path(".local/bin/coffer-aws-credentials")
      try String(contentsOfFile: program, encoding: .utf8).replacing(Machine.path(of: "coffer"), with: "/gone/coffer")
        .write(toFile: program, atomically: false, encoding: .utf8)
      let found = try AdviceScene(bridges.machine).find()
      let part = try #require(found.first { $0.kind == "bridgePart" })
      #expect(part.fix.contains("`coffer bridge install docker --app \(app) --group \(group)`"), "\(part)")
      let gone = try #require(found.first { $0.kind == "bridgeProgramGone" })
      #expect(gone.fix.hasSuffix(": coffer bridge install aws --app \(app) --name work"), "\(gone)")
    }

    @Test func `What somebody has put in the place of a part is moved away before the part is written again`() throws {
      let bridges = try BridgeScene()
      try bridges.install("cargo")
      let program = URL(fileURLWithPath: bridges.path(".local/bin/cargo-credential-coffer"))
      try Data("#!/bin/sh\n".utf8).write(to: program)
      var scene = AdviceScene(bridges.machine)
      scene.subject = "cargo"
      try scene.carryOut(Finding.Kind.bridgePart.rawValue)
      #expect(try String(contentsOf: program, encoding: .utf8).contains("bridge cargo"))
    }
  }
#endif
