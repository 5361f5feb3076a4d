#if os(Linux)
  import CofferTestSupport
  import Foundation
  import Testing

  /// An app's own Debian package, with the scripts of the documentation and of the plug-in, and what the second build
  /// of one of Coffer's runs.
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

    /// A clone whose manifest names one Swift package, which has a released commit and one that is only proposed. Swift
    /// is a script that says that it ran.
    private static let verification = #"""
      set -e
      work=$1
      mkdir -p "$work/bin" "$work/hosts/part" "$work/clone/Scripts" "$work/coffer-1/share/doc/coffer"
      printf '#!/bin/sh\n[ "$1" != --version ] || exec echo "Swift version 6 (swift-test)"\ntouch "%s/ran" && exit 1\n' \
        "$work" >"$work/bin/swift"
      chmod 755 "$work/bin/swift"
      commit() { git -C "$1" add . && git -C "$1" -c user.name=a -c user.email=a@b commit --quiet --allow-empty -m x; }
      git init --quiet "$work/hosts/part"
      echo '// released' >"$work/hosts/part/Package.swift"
      commit "$work/hosts/part" && git -C "$work/hosts/part" tag 1.0.0
      released=$(git -C "$work/hosts/part" rev-parse HEAD)
      commit "$work/hosts/part"
      proposed=$(git -C "$work/hosts/part" rev-parse HEAD)
      git clone --quiet "$work/hosts/part" "$work/hosts/other"
      git init --quiet "$work/clone"
      cp "$2" "$work/clone/Scripts/"
      echo 'package(url: "https://parts.invalid/part", from: "1.0.0")' >"$work/clone/Package.swift"
      commit "$work/clone"
      own=$(git -C "$work/clone" rev-parse HEAD)
      export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0="url.$work/hosts/.insteadOf" PATH="$work/bin:$PATH"
      export GIT_CONFIG_VALUE_0=https://parts.invalid/
      verify() {
        printf '{"creationInfo": {"creators": ["Tool: swift-test"]},
          "packages": [{"sourceInfo": "commit %s", "downloadLocation": ""},
          {"name": "%s", "versionInfo": "1.0.0", "downloadLocation": "git+https://parts.invalid/%s@%s"}]}' \
          "$own" "$1" "$1" "$2" >"$work/coffer-1/share/doc/coffer/coffer.spdx.json"
        tar -C "$work" -cJf "$work/coffer-1.tar.xz" coffer-1
        "$work/clone/Scripts/verify-package" "$work/coffer-1.tar.xz" 2>&1 || echo "exit $?"
        [ ! -e "$work/ran" ] || echo "swift ran"
      }
      verify part "$proposed"
      verify other "$released"
      verify part "$released"
      """#

    @Test func `A package is not built again with Swift packages that nobody has released or asked for`() throws {
      let directory = try TemporaryDirectory()
      let program = DocumentationPage.root.appending(path: "Scripts/verify-package").path
      let said = try Command.run("bash", "-c", Self.verification, "bash", directory.path, program)
      let outcomes = said.split(separator: "\n").filter { !$0.contains(": building") }
      try #require(outcomes.count == 7, "\(said)")
      #expect(outcomes[0].contains("the file was built with part at") && outcomes[1] == "exit 1", "\(said)")
      #expect(outcomes[2].contains("do not ask for: other") && outcomes[3] == "exit 1", "\(said)")
      // SwiftPM runs for the released one only, where this script ends it.
      #expect(outcomes[5] == "exit 2" && outcomes[6] == "swift ran", "\(said)")
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
