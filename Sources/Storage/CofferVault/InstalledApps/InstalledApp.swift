internal import CofferPlatform
internal import CofferSystem
package import CofferTrust

/// An app whose keys root has put where no other program of the same user can read them.
///
///     /var/lib/coffer/apps/BUNDLE/program          the setgid program and its group
///     /var/lib/coffer/apps/BUNDLE/users/UID/ID     which principal a user's credential has
///     /var/lib/coffer/apps/BUNDLE/keys/UID/ID      the credential, in a folder that only the group can enter
///
/// Root writes everything but the credential, and everybody can read it. A credential belongs to its user and has mode 0600,
/// so that the app cannot read that of another user either; the folder of each user is sticky, so that it cannot replace it.
package struct InstalledApp: Sendable {
  package let bundleID: BundleID

  package init(_ bundleID: BundleID) { self.bundleID = bundleID }

  /// A program that runs with a group of its own.
  package struct Program: Codable, Hashable, Sendable {
    /// The name of the system's group.
    package let group: String
    package let file: ProgramFile

    package var groupID: UInt32 { file.groupID }

    package init(group: String, file: ProgramFile) {
      self.group = group
      self.file = file
    }
  }

  /// What keeps other programs of a user from a credential.
  package enum Enforcement: String, Codable, Hashable, Sendable {
    /// The group of the setgid program.
    case group
    /// The account of the user, which only this app uses.
    case account
  }

  /// What everybody can know of a user's credential.
  package struct User: Codable, Hashable, Sendable {
    package let enforcement: Enforcement
    /// The principal to which the credential belongs, in hexadecimal.
    package let author: String

    package init(enforcement: Enforcement, author: String) {
      self.enforcement = enforcement
      self.author = author
    }
  }

  package static let root = "/var/lib/coffer/apps"

  package var path: String { "\(Self.root)/\(bundleID)" }
  package var programPath: String { "\(path)/program" }
  package var usersPath: String { "\(path)/users" }
  package var keysPath: String { "\(path)/keys" }

  package func userPath(of application: ApplicationID, _ user: UInt32) -> String {
    "\(usersPath)/\(user)/\(application)"
  }

  /// Returns the folder of a user's credentials of the app: one for each vault.
  package func keysPath(of user: UInt32) -> String { "\(keysPath)/\(user)" }

  /// The installed program; nil if there is none, or if its record is not root's.
  package var program: Program? { Self.read(programPath) }

  /// Whether root has installed the app on this machine: its program, or a credential of it.
  package var isInstalled: Bool { !isAbsent(path) }

  /// The apps that root has installed on this machine, in ascending order.
  package static var all: [InstalledApp] {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: root) else { return [] }
    return names.sorted().compactMap { BundleID($0).map(InstalledApp.init) }
  }

  /// Returns what is known of a user's credential; nil if the user has none that root has installed.
  package func user(of application: ApplicationID, _ user: UInt32) -> User? {
    Self.read(userPath(of: application, user))
  }

  /// What is known of this user's credential; nil if root has installed none.
  package func ownUser(of application: ApplicationID) -> User? { user(of: application, geteuid()) }

  /// Returns the credential file of a user. Only a process with the group of the program can open it.
  package func credentialFile(of application: ApplicationID, _ user: UInt32) -> SecretFile {
    SecretFile(
      path: "\(keysPath(of: user))/\(application)", name: "the installed credential of \(application)",
      recoverySuggestion: "give the app a new one with: sudo coffer app install \(bundleID)")
  }

  /// Whether root has made a credential file, and not the user.
  package func keeps(_ file: SecretFile) -> Bool { file.path.hasPrefix("\(keysPath)/") }

  /// The installed app that this process is: the one of which it has the group. Nil for every other process.
  package static func running(_ bundleID: BundleID) -> InstalledApp? {
    guard let group = CurrentProcess.additionalGroup else { return nil }
    let app = InstalledApp(bundleID)
    return app.program?.groupID == group ? app : nil
  }

  private static let maximumByteCount = 16_384

  /// Reads a record. One that somebody else than root has written is none.
  private static func read<Record: Decodable>(_ path: String) -> Record? {
    guard !isAbsent(path), ProtectedPath.weakness(of: path) == nil else { return nil }
    do {
      let file = try RegularFile.open(path, followsLinks: false)
      guard file.byteCount <= maximumByteCount else { return nil }
      return try JSONDecoder().decode(Record.self, from: Data(file.read(upTo: file.byteCount)))
    } catch {
      return nil
    }
  }
}
