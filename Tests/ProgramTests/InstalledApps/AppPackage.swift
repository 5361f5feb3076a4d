#if os(Linux)
  import CofferTestSupport
  import Foundation

  /// The Debian package of PhotoPro, with the scripts of the page InstallingApps.
  enum AppPackage {
    static let program = "/usr/local/bin/photopro"

    /// The blocks of shell code of the page: postinst, then prerm.
    static func scripts() throws -> [String] {
      try DocumentationPage("InstallingApps").blocks(of: "sh").map { $0.text + "\n" }
    }

    /// Builds and installs a version of the package, with the app's plist if that is said.
    static func install(_ version: String, withPlist hasPlist: Bool = false, in system: PrivateSystem) throws {
      let files = "/usr/local/package-\(version)"
      let plists = "/usr/local/share/coffer/apps"
      try system.succeed(["mkdir", "-p", "\(files)/DEBIAN", "\(files)/usr/local/bin", "\(files)\(plists)"])
      try system.succeed(["cp", InstalledScene.program, "\(files)\(program)"])
      // Another file in each version.
      try system.succeed(["sh", "-c", "printf '\(version)' >> \(files)\(program)"])
      if hasPlist {
        let plist = try String(contentsOfFile: Machine.entitlements(of: "PhotoPro"), encoding: .utf8)
        try system.write(plist, to: "\(files)\(plists)/\(InstalledScene.bundleID).entitlements")
      }
      for (name, text) in zip(["postinst", "prerm"], try scripts()) {
        let script = text.replacingOccurrences(of: "/usr/bin/photopro", with: program)
        try system.write(script, to: "\(files)/DEBIAN/\(name)", isExecutable: true)
      }
      let control = """
        Package: photopro
        Version: \(version)
        Architecture: all
        Maintainer: Test <test@example.com>
        Description: test

        """
      try system.write(control, to: "\(files)/DEBIAN/control")
      try system.succeed(["dpkg-deb", "-Znone", "--build", files, "/usr/local/\(version).deb"])
      try system.succeed(["dpkg", "--force-unsafe-io", "--install", "/usr/local/\(version).deb"])
    }
  }
#endif
