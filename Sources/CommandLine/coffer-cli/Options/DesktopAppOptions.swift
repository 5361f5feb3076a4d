internal import ArgumentParser
internal import Coffer
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// A program of the desktop that gets a collection of its own from `coffer-secret-service`, in place of a plist.
struct DesktopAppOptions: ParsableArguments {
  @Option(
    name: .customLong("desktop"),
    help: ArgumentHelp(
      "Instead of a plist: a program that uses the Secret Service, which then has a collection of its own.",
      discussion: """
        The application ID of a Flatpak, the name of a snap, or the group of setgid programs. Without one of the next three \
        options, a name with a dot is that of a Flatpak, that of a group of this machine is a group, and every other one is that \
        of a snap. Programs without one of them share one collection, that of coffer.desktop.
        """, valueName: "name"))
  var name: String?
  @Flag(help: "The name is that of a Flatpak.")
  var flatpak = false
  @Flag(help: "The name is that of a snap.")
  var snap = false
  @Flag(help: "The name is that of a group of the system, which no user is a member of.")
  var systemGroup = false
  @Option(
    name: .customLong("group"),
    help: ArgumentHelp(
      "With --desktop: another access group that the program reads and writes. Repeat it for more.", valueName: "group"),
    completion: .custom(VaultCompletion.groups))
  var groups: [String] = []
  @Option(
    name: .customLong("read-only-group"),
    help: ArgumentHelp(
      "With --desktop: another access group that the program only reads. Repeat it for more.", valueName: "group"),
    completion: .custom(VaultCompletion.groups))
  var readOnlyGroups: [String] = []

  func validate() throws {
    let kindCount = [flatpak, snap, systemGroup].count { $0 }
    guard kindCount <= 1 else { throw ValidationError("give one of --flatpak, --snap and --system-group") }
    guard name != nil || (kindCount == 0 && groups.isEmpty && readOnlyGroups.isEmpty) else {
      throw ValidationError(
        "--flatpak, --snap, --system-group, --group and --read-only-group require --desktop; a plist lists its groups")
    }
  }

  /// The registration of the program; nil for an app with a plist. Throws `invalidArgument` for a name that no such
  /// program has, and for a group that proves nothing on this machine.
  func request() throws(VaultError) -> AppRegistration.Request? {
    guard let name else { return nil }
    let program = try program(named: name)
    if case .group = program {
      guard let identifier = SystemGroup.identifier(of: name) else {
        Terminal.printNote(
          "this machine has no group \(name.sanitizedForTerminal()), so no program here is told apart by it")
        return try AppRegistration.Request(of: program, sharing: groups, reading: readOnlyGroups)
      }
      if let weakness = SystemGroup.weakness(of: identifier) {
        throw VaultError(
          .invalidArgument, "the group \(name) tells no program from others: \(weakness)",
          recoverySuggestion:
            "name a group that only setgid programs have, or take the users out of it with: sudo gpasswd --delete USER \(name.shellWord)"
        )
      }
    }
    return try AppRegistration.Request(of: program, sharing: groups, reading: readOnlyGroups)
  }

  private func program(named name: String) throws(VaultError) -> DesktopProgram {
    if name == OwnApp.desktop.bundleIdentifier, !flatpak, !snap, !systemGroup { return .other }
    if flatpak || (!snap && !systemGroup && name.contains(".")) {
      guard name.contains(".") else {
        throw Self.malformed(
          name, "a Flatpak's application ID has a dot; list them with: flatpak list --columns=application")
      }
      return .flatpak(name)
    }
    if systemGroup || (!snap && SystemGroup.identifier(of: name) != nil) { return .group(name) }
    let isSnap = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
        UInt8(ascii: "_"):
        true
      default: false
      }
    }
    guard isSnap, !name.isEmpty else {
      throw Self.malformed(name, "a snap's name has lower-case letters, digits and hyphens; list them with: snap list")
    }
    return .snap(name)
  }

  private static func malformed(_ name: String, _ suggestion: String) -> VaultError {
    VaultError(
      .invalidArgument, "\(name.sanitizedForTerminal()) is no name of a program of the desktop",
      recoverySuggestion: suggestion)
  }
}
