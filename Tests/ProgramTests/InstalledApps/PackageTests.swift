#if os(Linux)
  import CofferTestSupport
  import Foundation
  import Testing

  /// An app's own Debian package, with the scripts of the documentation and of the plug-in.
  @Suite struct PackageTests {
    private static let bundleID = "com.example.photo.pro"

    @Test func `The plug-in writes the scripts of the documentation, and the plist where Coffer looks for it`() throws {
      let directory = try TemporaryDirectory()
      let root = DocumentationPage.root
      try Command.run(arguments: [
        "cp", "-r", root.appending(path: "Sources/ForApps/Plugins").path, directory.path("Plugins"),
      ])
      try Command.run(arguments: ["cp", Machine.entitlements(of: "PhotoPro"), directory.path("App.entitlements")])
      try directory.write(
        "Package.swift",
        """
        // swift-tools-version: 6.2
        import PackageDescription
        let package = Package(
          name: "App",
          targets: [
            .plugin(
              name: "CofferDebian",
              capability: .command(
                intent: .custom(verb: "coffer-debian", description: "test"),
                permissions: [.writeToPackageDirectory(reason: "test")]))
          ])
        """)
      func write(_ program: String, _ entitlements: String) throws -> Machine.Outcome {
        try Machine().run(
          "/usr/bin/env", "-C", directory.path, "swift", "package", "--disable-sandbox",
          "--allow-writing-to-package-directory", "coffer-debian", "--program", program, "--entitlements", entitlements,
          "--output", "files")
      }
      let outcome = try write("/usr/bin/photopro", "App.entitlements")
      #expect(outcome.exitCode == 0, "\(outcome)")
      let files = directory.path("files")
      let written = try ["postinst", "prerm"].map {
        try String(contentsOfFile: "\(files)/DEBIAN/\($0)", encoding: .utf8)
      }
      #expect(try written == AppPackage.scripts())
      for name in ["postinst", "prerm"] {
        #expect(FileManager.default.isExecutableFile(atPath: "\(files)/DEBIAN/\(name)"))
      }
      let plist = "\(files)/usr/share/coffer/apps/\(Self.bundleID).entitlements"
      #expect(FileManager.default.contentsEqual(atPath: plist, andPath: Machine.entitlements(of: "PhotoPro")))
      // What could become another command of a script.
      #expect(try write("/usr/bin/photo;reboot", "App.entitlements").errors.contains("not an absolute path"))
      try directory.write(
        "Odd.entitlements", "<plist><dict><key>application-identifier</key><string>a.b$(id)</string></dict></plist>")
      #expect(try write("/usr/bin/photopro", "Odd.entitlements").errors.contains("bundle identifier"))
    }

    @Test func `A package is removed without coffer, too, and says what stays and which command deletes it`() throws {
      let directory = try TemporaryDirectory()
      let apps = directory.path("apps")
      try FileManager.default.createDirectory(atPath: "\(apps)/\(Self.bundleID)", withIntermediateDirectories: true)
      let prerm = try AppPackage.scripts()[1].replacingOccurrences(of: "/var/lib/coffer/apps", with: apps)
      func remove() throws -> String {
        try Command.run("/bin/sh", "-c", prerm, "prerm", "remove", environment: ["PATH": directory.path])
      }
      let command = "coffer app uninstall \(Self.bundleID) --all"
      let said = try remove()
      #expect(said.contains("stay. Install coffer") && said.hasSuffix(command), "\(said)")
      try directory.writeScript("coffer", "echo \"coffer $*\"")
      #expect(try remove() == command)
      try directory.writeScript("coffer", "exit 3")
      #expect(throws: SpawnedProgram.Failure.self) { try remove() }
    }

    @Test(
      .enabled(if: PrivateSystem.isAvailable, "only root can install packages, in a namespace with mounts of its own"))
    func `A package installs, upgrades and removes its app with these scripts`() throws {
      let scene = try InstalledScene(isInstalled: false)
      let program = AppPackage.program
      for version in ["1", "2"] {
        try AppPackage.install(version, in: scene.system)
        let group = try scene.system.succeed(["stat", "--format", "%G %a", program])
        #expect(group.hasPrefix("coffer-") && group.hasSuffix(" 2755"), "version \(version)")
        if version == "1" {
          #expect(try scene.sudo("install", Self.bundleID).exitCode == 0)
        }
        #expect(try scene.system.succeed([program], as: "alice") == "Photo Pro: all filters", "version \(version)")
      }
      #expect(try scene.system.succeed(["dpkg-statoverride", "--list", program]).contains("2755"))
      try scene.system.succeed(["dpkg", "--remove", "photopro"])
      #expect(try scene.system.run(["test", "-e", InstalledScene.folder]).exitCode == 1)
      #expect(try scene.system.run(["dpkg-statoverride", "--list", program]).exitCode == 1)
      #expect(try !scene.system.succeed(["getent", "group"]).contains("coffer-"))
    }
  }
#endif
