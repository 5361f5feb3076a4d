import Foundation

/// The files of a Debian package that install an app.
struct PackageFiles {
  struct Malformed: Error, CustomStringConvertible {
    let description: String
  }

  let bundleID: String
  private let program: String
  private let entitlements: Data

  /// Takes the path of the program on the user's machine, and the app's entitlements plist.
  init(program: String, entitlements: Data) throws {
    // They become words of a shell script.
    func isPlain(_ text: String, _ extra: String) -> Bool {
      !text.isEmpty
        && text.utf8.allSatisfy { byte in
          (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || extra.utf8.contains(byte)
        }
    }
    guard program.hasPrefix("/"), isPlain(program, "/._+-"), !program.contains("/../") else {
      throw Malformed(description: "the program is not an absolute path of letters, digits and /._+-: \(program)")
    }
    let plist = try PropertyListSerialization.propertyList(from: entitlements, format: nil) as? [String: Any]
    guard let identifier = plist?["application-identifier"] as? String else {
      throw Malformed(description: "the entitlements plist has no application-identifier")
    }
    let prefix = "$(AppIdentifierPrefix)"
    let bundleID = identifier.hasPrefix(prefix) ? String(identifier.dropFirst(prefix.count)) : identifier
    guard isPlain(bundleID, ".-"), bundleID.contains("."), bundleID.utf8.count <= 200 else {
      throw Malformed(description: "the application-identifier is not $(AppIdentifierPrefix) and a bundle identifier")
    }
    self.program = program
    self.entitlements = entitlements
    self.bundleID = bundleID
  }

  /// The script that dpkg runs after it has unpacked the program, also a new version of it.
  var postinst: String {
    """
    #!/bin/sh
    set -e
    if [ "$1" = configure ] && command -v coffer >/dev/null; then
      coffer app install \(bundleID) --setgid \(program) --program-only
    fi

    """
  }

  /// The script that dpkg runs before it removes the program. A failure would keep the package installed, so it only
  /// says what stays if `coffer` was removed before.
  var prerm: String {
    """
    #!/bin/sh
    set -e
    if [ "$1" = remove ] && [ -e /var/lib/coffer/apps/\(bundleID) ]; then
      if command -v coffer >/dev/null; then
        coffer app uninstall \(bundleID) --all
      else
        echo "The credentials and the group of \(bundleID) stay. Install coffer, then run:" >&2
        echo "  sudo coffer app uninstall \(bundleID) --all" >&2
      fi
    fi

    """
  }

  func write(to folder: URL) throws {
    let scripts = folder.appendingPathComponent("DEBIAN")
    let apps = folder.appendingPathComponent("usr/share/coffer/apps")
    for folder in [scripts, apps] {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    for (name, text) in [("postinst", postinst), ("prerm", prerm)] {
      let file = scripts.appendingPathComponent(name)
      try Data(text.utf8).write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    }
    let plist = apps.appendingPathComponent("\(bundleID).entitlements")
    try entitlements.write(to: plist)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: plist.path)
    // By which the program finds its plist, if it names none.
    let link = apps.appendingPathComponent("\(URL(fileURLWithPath: program).lastPathComponent).entitlements")
    guard link.path != plist.path else { return }
    try? FileManager.default.removeItem(at: link)
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: plist.lastPathComponent)
  }
}
