internal import CofferSystem
package import CofferTrust

/// A program of the desktop that `coffer-secret-service` tells apart from others. In a vault, it is the app whose
/// bundle identifier names it, so which programs have a collection of their own is in the membership log, and syncs.
package enum DesktopProgram: Hashable, Sendable {
  /// A Flatpak, by its application ID.
  case flatpak(String)
  /// A snap, by its name.
  case snap(String)
  /// The programs with a group of the operating system that no user is a member of, by the group's name.
  case group(String)
  /// Every other program of the user.
  case other

  /// How much it takes to pretend to be the program.
  package enum Strength: String, Hashable, Sendable, Encodable {
    /// The kernel has recorded it when the program connected, but the bus that passes it on runs as the user.
    case medium
    /// A program of the same user can forge it unless that program is itself in a sandbox.
    case advisory
    /// Every program of the user is it.
    case none
  }

  /// What the bundle identifiers of these apps begin with.
  package static let prefix = "desktop."
  private static let otherBundleID = "coffer.desktop"

  /// The programs that are known by a name, by the part of a bundle identifier that says which kind it is.
  private static let kinds: KeyValuePairs<String, @Sendable (String) -> DesktopProgram> = [
    "flatpak": { .flatpak($0) }, "snap": { .snap($0) }, "group": { .group($0) },
  ]

  /// Creates the program that an app of a vault stands for; nil for every other app.
  package init?(_ bundleID: BundleID) {
    if bundleID.description == Self.otherBundleID {
      self = .other
      return
    }
    for (kind, program) in Self.kinds {
      let start = "\(Self.prefix)\(kind)."
      guard bundleID.description.hasPrefix(start) else { continue }
      let found = program(String(bundleID.description.dropFirst(start.count)).replacing(Self.underscore, with: "_"))
      guard found.bundleID == bundleID else { return nil }
      self = found
      return
    }
    return nil
  }

  /// The bundle identifier of its app; nil if the name cannot be part of one. No two programs have the same.
  package var bundleID: BundleID? {
    guard let kind, let name else { return BundleID(Self.otherBundleID) }
    // An underscore is the one character of such names that bundle identifiers do not have.
    guard !name.contains("5F") || !(name.contains("_") || name.contains(Self.underscore)) else { return nil }
    return BundleID("\(Self.prefix)\(kind).\(name.replacing("_", with: Self.underscore))")
  }

  private static let underscore = "-5F-"

  /// The word for the kind of program, in bundle identifiers and JSON; nil for other programs of the user.
  package var kind: String? {
    switch self {
    case .flatpak: "flatpak"
    case .snap: "snap"
    case .group: "group"
    case .other: nil
    }
  }

  /// The name by which the system knows the program; nil for other programs of the user.
  package var name: String? {
    switch self {
    case .flatpak(let name), .snap(let name), .group(let name): name
    case .other: nil
    }
  }

  package var strength: Strength {
    switch self {
    case .group: .medium
    case .flatpak, .snap: .advisory
    case .other: .none
    }
  }

  /// The program as a noun phrase.
  package var words: String {
    switch self {
    case .flatpak(let name): "the Flatpak \(name)"
    case .snap(let name): "the snap \(name)"
    case .group(let name): "the programs with the group \(name)"
    case .other: "every other program of this user"
    }
  }

  /// The command that gives the program a collection of its own; nil for other programs of the user, which need none.
  package var addCommand: String? {
    switch self {
    case .flatpak(let name): "coffer app add --desktop \(name.shellWord) --flatpak"
    case .snap(let name): "coffer app add --desktop \(name.shellWord) --snap"
    case .group(let name): "coffer app add --desktop \(name.shellWord) --system-group"
    case .other: nil
    }
  }

  /// Who gets the app's collection from the Secret Service, how strong that is and what it rests on, as a sentence.
  package var sentence: String {
    let basis =
      switch self {
      case .flatpak:
        "advisory: a Flatpak's name is told by a file that a program outside of a sandbox can forge"
      case .snap:
        "advisory: a snap's name is told by a label or a control group that a program outside of a sandbox can take"
      case .group:
        "medium: the kernel records the group when a program connects, but the bus that passes it on runs as the user"
      case .other: "nothing tells them apart: the path of a program proves nothing between programs of one user"
      }
    return "Through the Secret Service, its collection is that of \(words) (\(basis))."
  }
}
