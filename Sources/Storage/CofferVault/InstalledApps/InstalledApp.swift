internal import CofferPlatform
internal import CofferSystem
package import CofferTrust

/// An app whose keys root has put where no other program of the same user can read them.
///
///     /var/lib/coffer/apps/BUNDLE/program          the setgid program and its group
///     /var/lib/coffer/apps/BUNDLE/users/UID/ID     which principal a user's credential has
///     /var/lib/coffer/apps/BUNDLE/keys/UID/ID      the credential, in a folder that only the group can enter
///
/// Root writes everything but the credential, and everybody can read it. A credential belongs to its user and has mode
/// 0600, so that the app cannot read that of another user either; the folder of each user is sticky, so that it cannot
/// replace it.
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

extension InstalledApp {
  /// Throws `integrity` if the program that this process runs is another one than root has installed.
  package func checkRunningProgram() throws(VaultError) {
    guard let program else { return }
    try checkProvesApp(program, at: "/proc/self/exe")
  }

  /// Throws `notEntitled` if a process without the group of the program wants to be the app, as the agent sees it:
  /// `group` is what the kernel has recorded when the process connected. Throws `integrity` if the group proves
  /// nothing, because others have it, the program was replaced, or what root has recorded of it cannot be read.
  package func checkClient(ofGroup group: UInt32) throws(VaultError) {
    guard let program else {
      throw VaultError(
        .integrity,
        "what root has recorded of the program of \(bundleID) cannot be read, or others than root can change it",
        recoverySuggestion:
          "check the owner and the mode of \(programPath), then run: sudo coffer app reinstall \(bundleID)"
      )
    }
    guard group == program.groupID else {
      throw VaultError(
        .notEntitled, "only \(program.file.path) can use the keys of \(bundleID)",
        recoverySuggestion: "start that program itself")
    }
    try checkProvesApp(program)
  }

  /// Throws `integrity` if the group of the program proves nothing.
  private func checkProvesApp(_ program: Program, at place: String? = nil) throws(VaultError) {
    if let difference = program.file.difference(at: place) { throw replacedError(program, difference) }
    // Without those who have it as their own group: looking for them would read all users at each start.
    let members = try SystemGroup.listedMembers(of: program.groupID) ?? []
    if !members.isEmpty { throw membersError(program, members) }
  }

  /// What keeps the installation from separating the app from other programs; nil if nothing does.
  package var problem: VaultError? {
    guard let program else { return nil }
    if let difference = program.file.difference() { return replacedError(program, difference) }
    if let weakness = ProtectedPath.weakness(of: program.file.path) {
      return VaultError(
        .integrity, "others than root can replace the program of \(bundleID): \(weakness)",
        recoverySuggestion: "move the program to a folder of root, such as /usr/bin, and install it again")
    }
    guard let members = try? SystemGroup.members(of: program.groupID), !members.isEmpty else { return nil }
    return membersError(program, members)
  }

  private func membersError(_ program: Program, _ members: [String]) -> VaultError {
    VaultError(
      .integrity,
      "users are members of \(program.group), the group of \(bundleID): \(members.joined(separator: ", "))",
      recoverySuggestion:
        "every program of theirs can read the app's keys: remove them with: sudo gpasswd --delete USER \(program.group)"
    )
  }

  private func replacedError(_ program: Program, _ difference: String) -> VaultError {
    VaultError(
      .integrity, "the program \(program.file.path) of \(bundleID) is not the one that was installed: \(difference)",
      recoverySuggestion: "if an upgrade has replaced it, run: sudo coffer app reinstall \(bundleID)")
  }

  /// The error of a process without the credential that root has installed for the app; nil if there is none for this
  /// user.
  package func missingIdentityError(of application: ApplicationID) -> VaultError? {
    guard let program else { return nil }
    if ownUser(of: application)?.enforcement == .group {
      return VaultError(
        .notEntitled,
        "\(application) is installed: only \(program.file.path) can read its keys, and this process does not have its group \(program.group)",
        recoverySuggestion:
          "start that program itself: a copy, a debugger, a sandbox without new privileges, or a user namespace takes the group away; if an upgrade has replaced it, run: sudo coffer app reinstall \(bundleID)"
      )
    }
    return missingUserError
  }

  /// The error of the installed program for a user to whom root has given no credential; nil in any other process.
  package var missingUserError: VaultError? {
    guard let program, CurrentProcess.additionalGroup == program.groupID else { return nil }
    return VaultError(
      .notEntitled, "\(bundleID) is installed on this machine, and this user has no credential of it",
      recoverySuggestion: "give the user one with: sudo coffer app install \(bundleID)")
  }
}

/// A program as it was when root installed it: another file in its place is another program.
package struct ProgramFile: Codable, Hashable, Sendable {
  package let path: String
  let device: UInt64
  let inode: UInt64
  let groupID: UInt32
  /// How many bytes it has, and when it was written, in nanoseconds: a program that root writes over the installed one,
  /// such as `cp` does, stays the same file. Nil in records of earlier versions.
  let byteCount: Int64?
  let modified: Int64?

  /// Takes the file that is open; nil if it cannot be examined.
  package init?(path: String, descriptor: Int32) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    self.path = path
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
    groupID = status.st_gid
    byteCount = Int64(status.st_size)
    modified = Self.modified(status)
  }

  private static func modified(_ status: stat) -> Int64 {
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }

  /// Read and executed by everybody, changed by root, with the group of the file.
  package static let mode: UInt32 = 0o2755

  /// Returns how a file differs from the installed program, as a clause; nil if it is the program. The file is that at
  /// the program's path if `place` is nil; `/proc/self/exe` is the running program.
  package func difference(at place: String? = nil) -> String? {
    var status = stat()
    guard unsafe stat(place ?? path, &status) == 0 else {
      return "it cannot be examined: \(unsafe String(cString: strerror(errno)))"
    }
    guard status.st_mode & S_IFMT == S_IFREG else { return "it is not a regular file" }
    if let weakness = ProtectedPath.weakness(of: status) { return "it \(weakness)" }
    guard status.st_gid == groupID else { return "it has another group (gid \(status.st_gid))" }
    let mode = UInt32(status.st_mode & 0o7777)
    guard mode == Self.mode else { return "it has another mode (\(String(mode, radix: 8)))" }
    guard UInt64(truncatingIfNeeded: status.st_ino) == inode, UInt64(truncatingIfNeeded: status.st_dev) == device else {
      return "it is another file"
    }
    guard byteCount.map({ $0 == Int64(status.st_size) }) ?? true, modified.map({ $0 == Self.modified(status) }) ?? true
    else { return "another program was written into its file" }
    return nil
  }
}
