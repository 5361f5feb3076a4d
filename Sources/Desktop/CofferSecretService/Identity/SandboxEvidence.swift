internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// The file `.flatpak-info` at the root of a Flatpak's sandbox. Flatpak makes it, and the sandbox cannot change it. The
/// portals of the desktop rely on it, too.
enum FlatpakInfo {
  private static let maximumByteCount = 65_536

  /// Returns the application ID of the sandbox that a process is in; nil for a process outside of a Flatpak.
  static func application(ofProcess process: Int32) throws(CallerRefusal) -> String? {
    guard let bytes = try bytes(ofProcess: process) else { return nil }
    return try application(in: bytes)
  }

  /// Returns the file's contents for a process; nil for a process outside of a Flatpak.
  ///
  /// The root of another program of the user can be anything, also a file system whose owner never answers: the caller
  /// of this function limits how long it waits. Throws if it cannot be said whether the process is in a sandbox.
  static func bytes(ofProcess process: Int32) throws(CallerRefusal) -> [UInt8]? {
    let root = "/proc/\(process)/root"
    let bytes: [UInt8]
    do throws(RegularFile.Refusal) {
      // One byte more shows that it is larger.
      bytes = try RegularFile.open("\(root)/.flatpak-info", followsLinks: false).read(upTo: maximumByteCount + 1)
    } catch {
      // Of a process whose first thread has ended, nothing is found either.
      var status = stat()
      guard error == .system(ENOENT), unsafe lstat("\(root)/.", &status) == 0 else {
        throw CallerRefusal("the system does not show whether it is in a sandbox (\(words(for: error)))")
      }
      return nil
    }
    guard bytes.count <= maximumByteCount else { throw CallerRefusal("its file .flatpak-info is too large") }
    return bytes
  }

  /// Reads the application ID in the file's contents.
  static func application(in bytes: [UInt8]) throws(CallerRefusal) -> String {
    guard let name = try value(of: "name", in: "Application", bytes),
      DesktopProgram.flatpak(name).bundleID != nil
    else { throw CallerRefusal("its file .flatpak-info does not name one application") }
    return name
  }

  /// Returns a value that a section has once; nil otherwise.
  static func value(of key: String, in wanted: String, _ bytes: [UInt8]) throws(CallerRefusal) -> String? {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw CallerRefusal("its file .flatpak-info is no text")
    }
    var section: Substring = ""
    var values: [Substring] = []
    // Other characters that end lines of a text are part of a value here.
    for line in bytes.split(separator: UInt8(ascii: "\n")).map({ String(decoding: $0, as: UTF8.self) }) {
      if line.first == "[", line.last == "]" {
        section = line.dropFirst().dropLast()
      } else if section == wanted, let sign = line.firstIndex(of: "="), line[..<sign].filter({ $0 != " " }) == key {
        values.append(line[line.index(after: sign)...])
      }
    }
    return values.count == 1 ? String(values[0]) : nil
  }

  private static func words(for refusal: RegularFile.Refusal) -> String {
    guard case .system(let number) = refusal else { return "its file .flatpak-info is no regular file" }
    return SystemError.reason(number)
  }
}

/// The name of the snap that a program belongs to, by AppArmor's label of its connection or, on a system without
/// AppArmor, by the control group that snapd has put it into.
enum SnapLabel {
  /// Returns the snap that AppArmor names; nil for a program of none, or of one that is not confined.
  static func snap(of credentials: CallerCredentials) throws(CallerRefusal) -> DesktopProgram? {
    try program(credentials.label.flatMap(snap(inLabel:)))
  }

  /// Returns the snap of a program's control group, on a system without AppArmor; nil for a program of none.
  static func snap(ofUnitOf process: Int32, _ credentials: CallerCredentials) throws(CallerRefusal) -> DesktopProgram? {
    let label = credentials.label ?? ""
    // SELinux has labels of another form.
    guard label != "unconfined", !label.hasSuffix(")") else { return nil }
    return try program(SocketPeer.unit(ofProcess: process).flatMap(snap(ofUnit:)))
  }

  private static func program(_ name: String?) throws(CallerRefusal) -> DesktopProgram? {
    guard let program = name.map({ DesktopProgram.snap($0) }) else { return nil }
    guard program.bundleID != nil else { throw CallerRefusal("its snap has a name that no snap has") }
    return program
  }

  /// Returns the snap in a label, such as `snap.firefox.firefox (enforce)`. Only an enforced label confines: a snap
  /// with classic confinement is a program as others are, and so is what is started in its terminal.
  static func snap(inLabel label: String) -> String? {
    let words = label.split(separator: " ")
    guard words.count == 2, words[1] == "(enforce)" else { return nil }
    return snap(ofUnit: String(words[0]))
  }

  /// Returns the snap in a name such as `snap.firefox.firefox-1f2c.scope`.
  static func snap(ofUnit unit: String) -> String? {
    let parts = unit.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count >= 3, parts[0] == "snap" else { return nil }
    return String(parts[1])
  }
}
