internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// The name of the snap that a program belongs to, by AppArmor's label of its connection or, on a system without AppArmor, by
/// the control group that snapd has put it into.
enum SnapLabel {
  /// Returns the name of the snap; nil for a program of none, or of one that is not confined.
  static func snap(of credentials: CallerCredentials, process: Int32) throws(CallerRefusal) -> String? {
    let label = credentials.label ?? ""
    // SELinux has labels of another form.
    let isAppArmor = label == "unconfined" || label.hasSuffix(")")
    guard let name = isAppArmor ? snap(inLabel: label) : SocketPeer.unit(ofProcess: process).flatMap(snap(ofUnit:))
    else {
      return nil
    }
    guard DesktopProgram.snap(name).bundleID != nil else { throw CallerRefusal("its snap has a name that no snap has") }
    return name
  }

  /// Returns the snap in a label, such as `snap.firefox.firefox (enforce)`. Only an enforced label confines: a snap with classic
  /// confinement is a program as others are, and so is what is started in its terminal.
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
