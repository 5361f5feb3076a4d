internal import CofferVault

extension DesktopProgram {
  /// Creates the program that the portal calls by a name: a Flatpak by its application ID, and a snap by its name after `snap.`. Nil
  /// for a program outside of a sandbox, whose name the portal leaves empty.
  init?(portalName name: String) {
    let snap = "snap."
    let program: DesktopProgram = name.hasPrefix(snap) ? .snap(String(name.dropFirst(snap.count))) : .flatpak(name)
    guard name.contains("."), program.bundleID != nil else { return nil }
    self = program
  }
}
