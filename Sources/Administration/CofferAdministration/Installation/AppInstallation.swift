internal import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import CofferKeys
internal import CofferPlatform
internal import CofferSystem
package import CofferTrust
package import CofferVault

/// Installs an app for all users of this machine, and gives users credentials of it. Only root can do this.
package struct AppInstallation: Sendable {
  package let app: InstalledApp

  /// Takes the app's bundle identifier. Throws `readOnly` unless this process is root's.
  package init(of bundleID: BundleID) throws(VaultError) {
    guard geteuid() == 0 else {
      throw VaultError(
        .readOnly, "only root can install \(bundleID)", recoverySuggestion: "repeat the command with sudo")
    }
    app = InstalledApp(bundleID)
  }

  /// The name of the app's group in the system, of at most 32 bytes: the end of the identifier, and what is different
  /// for apps that end alike.
  package var groupName: String {
    let identifier = Array(app.bundleID.description.utf8)
    let hash = hexadecimal(Array(Hash.digest(identifier, domain: .installedGroup).bytes.prefix(4)))
    let labels = app.bundleID.description.lowercased().split(separator: ".")
    var name = String(labels.last?.suffix(15) ?? "")
    for label in labels.dropLast().reversed() {
      guard label.utf8.count + 1 + name.utf8.count <= 15 else { break }
      name = "\(label)-\(name)"
    }
    return "coffer-\(name)-\(hash)"
  }

  // MARK: The program

  /// Checks that a program can be the app's, and changes nothing. Throws `invalidArgument` for a program that others
  /// than root can change or that cannot be setgid, for one that another app has, and for Coffer's own.
  package func checkProgram(at path: String) throws(VaultError) {
    guard !app.bundleID.description.hasPrefix(Self.ownPrefix), !OwnApps.contains(app.bundleID) else {
      throw VaultError(
        .invalidArgument, "\(app.bundleID) is an app of Coffer itself, which nobody installs",
        recoverySuggestion: "give the identifier of the program's app, see: coffer app list")
    }
    let program = try SetgidProgram.open(path)
    guard !InstalledProgram.names.contains(program.name) else {
      throw VaultError(
        .invalidArgument, "\(path) is a program of Coffer, which cannot have a group of an app",
        recoverySuggestion: "give the path of the app's program that opens the vault")
    }
    for other in InstalledApp.all where other.bundleID != app.bundleID {
      guard let file = other.program?.file.path, program.isFile(at: file) else { continue }
      throw VaultError(
        .invalidArgument, "\(path) is installed as the program of \(other.bundleID)",
        recoverySuggestion:
          "install the program of \(app.bundleID); or, if it is not that app's any more, run first: sudo coffer app uninstall \(other.bundleID) --all"
      )
    }
  }

  private static let ownPrefix = "coffer."

  /// Gives the app a group, and makes a program setgid to it. A program that was installed before is replaced, and the
  /// group stays. Throws what ``checkProgram(at:)`` throws, before it changes anything.
  @discardableResult
  package func installProgram(at path: String) throws(VaultError) -> InstalledApp.Program {
    try exclusively { () throws(VaultError) in
      try checkProgram(at: path)
      let program = try SetgidProgram.open(path)
      let group = try makeGroup()
      if let former = app.program, former.file.path != path { try SetgidProgram.release(former) }
      let file = try program.give(group: group.id, named: group.name)
      for folder in [InstalledApp.root.parentFolder, InstalledApp.root, app.path, app.usersPath, app.keysPath] {
        try makeFolder(folder, group: 0, mode: 0o755)
      }
      let installed = InstalledApp.Program(group: group.name, file: file)
      try write(installed, to: app.programPath)
      if let problem = app.problem { throw problem }
      return installed
    }
  }

  /// Installs the program again, after an upgrade has replaced it. Throws `itemNotFound` if none is installed.
  @discardableResult
  package func reinstallProgram() throws(VaultError) -> InstalledApp.Program {
    guard let program = app.program else { throw notInstalled }
    return try installProgram(at: program.file.path)
  }

  package var notInstalled: VaultError {
    VaultError(
      .itemNotFound, "\(app.bundleID) is not installed on this machine",
      recoverySuggestion: "install it with: sudo coffer app install \(app.bundleID) --setgid PROGRAM")
  }

  private func makeGroup() throws(VaultError) -> (name: String, id: UInt32, isNew: Bool) {
    let name = groupName
    if let other = otherApp(where: { $0.group == name }) { throw sharedGroupError(name, other) }
    let isNew = SystemGroup.identifier(of: name) == nil
    if isNew { try SystemCommand.run("groupadd", "--system", name) }
    guard let id = SystemGroup.identifier(of: name), id != 0 else {
      throw VaultError(
        .io, "the system's group \(name) was not made", recoverySuggestion: "make it with: groupadd --system \(name)")
    }
    // The group of the other app was deleted by hand, and its number became free while its program still had it.
    if let other = otherApp(where: { $0.groupID == id }) { throw sharedGroupError(name, other) }
    let members = try SystemGroup.members(of: id)
    guard members.isEmpty else {
      throw VaultError(
        .integrity, "users are members of the group \(name): \(members.joined(separator: ", "))",
        recoverySuggestion: "remove them with: gpasswd --delete USER \(name)")
    }
    return (name, id, isNew)
  }

  /// Deletes the group that was made for an installation, unless another process has installed the program meanwhile.
  private func deleteUnusedGroup() throws(VaultError) {
    try exclusively { () throws(VaultError) in
      if app.program == nil { _ = SystemCommand.succeeds("groupdel", groupName) }
    }
  }

  /// Returns another installed app, by its program; nil if there is none.
  private func otherApp(where isFound: (InstalledApp.Program) -> Bool) -> InstalledApp? {
    InstalledApp.all.first { $0.bundleID != app.bundleID && $0.program.map(isFound) ?? false }
  }

  /// The program of one app could read the credentials of the other one. Group names have a part of a hash only, so
  /// that somebody can choose an identifier with the group name of another app.
  private func sharedGroupError(_ name: String, _ other: InstalledApp) -> VaultError {
    VaultError(
      .integrity, "the group \(name) of \(app.bundleID) is that of \(other.bundleID), which is installed",
      recoverySuggestion:
        "find out who has chosen these identifiers, because one of them may imitate the other; to install \(app.bundleID) all the same, run first: sudo coffer app uninstall \(other.bundleID) --all"
    )
  }

  // MARK: Credentials

  /// Gives a user a credential of the app. The keys are made here. `enrol` lets the user's process sign the public
  /// ones, and returns what that prints. `path` is that of a program which is installed when the user has signed: until
  /// then, only the group is made, and it is deleted again if `enrol` throws. Nil for the program that is installed.
  /// Returns the program.
  ///
  /// Throws `itemNotFound` if no program is installed, the error of ``InstalledApp/problem``, and what `enrol` and
  /// ``installProgram(at:)`` throw.
  @discardableResult
  package func giveCredential(
    to user: SystemUser, installing path: String? = nil, enrol: (_ publicKeys: String) throws(VaultError) -> [UInt8]
  ) throws(VaultError) -> InstalledApp.Program {
    var isNewGroup = false
    if let path {
      try checkProgram(at: path)
      // What can prevent the installation must do so before the user signs: that revokes the app's earlier credential.
      if let former = app.program, former.file.path != path { try SetgidProgram.checkReleasable(former) }
      isNewGroup = try exclusively { () throws(VaultError) in try makeGroup().isNew }
    } else {
      guard app.program != nil else { throw notInstalled }
      if let problem = app.problem { throw problem }
    }
    let keys = PartyKeys.random()
    let receipt: InstallationReceipt
    do throws(VaultError) {
      receipt = try InstallationReceipt(json: enrol(keys.publicKeys.hexadecimal))
    } catch {
      if isNewGroup { try? deleteUnusedGroup() }
      throw error
    }
    guard let contents = receipt.contents, contents.application.bundleID == app.bundleID,
      receipt.author == AuthorID(vault: contents.vault, keys: keys.publicKeys).description
    else {
      throw VaultError(
        .integrity, "the process of \(user.name) has enrolled another app or other keys",
        recoverySuggestion: "a program of the user may have interfered: see what runs there, and try again")
    }
    let credential = try translatingErrors {
      try Credential(
        genesis: contents.genesis, applicationID: contents.application.description, device: contents.device, keys: keys,
        in: contents.vault, seen: contents.seen)
    }
    let installed: InstalledApp.Program? = if let path { try installProgram(at: path) } else { app.program }
    guard let program = installed else { throw notInstalled }
    try exclusively { () throws(VaultError) in
      // A credential is its user's alone: the sticky folder keeps the app of another user from replacing it.
      try makeFolder(app.keysPath(of: user.id), group: program.groupID, mode: 0o3770)
      let file = app.credentialFile(of: contents.application, user.id)
      try file.write(credential)
      guard unsafe lchown(file.path, user.id, program.groupID) == 0 else {
        throw systemFailure("give \(file.path) to \(user.name)")
      }
      try makeFolder("\(app.usersPath)/\(user.id)", group: 0, mode: 0o755)
      try write(
        InstalledApp.User(enforcement: .group, author: receipt.author),
        to: app.userPath(of: contents.application, user.id))
    }
    return program
  }

  /// Checks that an account can be the app's alone. Throws `invalidArgument` if people can log in with it, or if
  /// another app uses it.
  package func check(account user: SystemUser) throws(VaultError) {
    guard !user.hasLoginShell else {
      throw VaultError(
        .invalidArgument, "people can log in as \(user.name), and run other programs with that account",
        recoverySuggestion: "make an account for the app: useradd --system --create-home --shell /usr/sbin/nologin NAME"
      )
    }
    let others = InstalledApp.all.filter { $0.bundleID != app.bundleID && !isAbsent("\($0.usersPath)/\(user.id)") }
    guard others.isEmpty else {
      throw VaultError(
        .invalidArgument,
        "the account \(user.name) is used by \(others.map(\.bundleID.description).joined(separator: ", "))",
        recoverySuggestion: "give each service an account of its own")
    }
  }

  /// Records that only the app uses an account: its credential is a file of that user.
  package func record(account user: SystemUser, receipt json: [UInt8]) throws(VaultError) {
    let receipt = try InstallationReceipt(json: json)
    guard let application = receipt.applicationID, application.bundleID == app.bundleID else { throw notInstalled }
    try exclusively { () throws(VaultError) in
      for folder in [
        InstalledApp.root.parentFolder, InstalledApp.root, app.path, app.usersPath, "\(app.usersPath)/\(user.id)",
      ] {
        try makeFolder(folder, group: 0, mode: 0o755)
      }
      try write(
        InstalledApp.User(enforcement: .account, author: receipt.author), to: app.userPath(of: application, user.id))
    }
  }

  /// Deletes the credentials that a user has of the app, and the installation if no user is left. Returns whether the
  /// program is still installed.
  package func remove(_ user: SystemUser) throws(VaultError) -> Bool {
    try exclusively { () throws(VaultError) in
      try deleteKeys(of: "\(user.id)")
      try delete("\(app.usersPath)/\(user.id)")
    }
    let others = (try? FileManager.default.contentsOfDirectory(atPath: app.usersPath)) ?? []
    guard others.isEmpty else { return true }
    try removeAll()
    return false
  }

  /// Deletes every user's credentials of the app and its group, and makes the program an ordinary one. Can be repeated
  /// after an error or an interruption.
  package func removeAll() throws(VaultError) {
    try exclusively { () throws(VaultError) in
      for user in (try? FileManager.default.contentsOfDirectory(atPath: app.keysPath)) ?? [] {
        try deleteKeys(of: user)
      }
      if let program = app.program {
        // The group's number can be given to another group later, so nothing of the app may have it by then.
        try SetgidProgram.release(program)
        // The group is gone if an earlier attempt was interrupted, and an earlier version gave one to two apps.
        if SystemGroup.identifier(of: program.group) != nil, otherApp(where: { $0.group == program.group }) == nil {
          try SystemCommand.run("groupdel", program.group)
        }
      }
      try delete(app.path)
    }
  }

  // MARK: Files

  private func exclusively<Result>(_ body: () throws(VaultError) -> Result) throws(VaultError) -> Result {
    try makeFolder(InstalledApp.root.parentFolder, group: 0, mode: 0o755)
    let lock = try FileLock.acquire(
      path: "\(InstalledApp.root.parentFolder)/install.lock", timeout: .seconds(60), purpose: "installation of an app")
    defer { extendLifetime(lock) }
    return try body()
  }

  private func makeFolder(_ path: String, group: UInt32, mode: mode_t) throws(VaultError) {
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw systemFailure("make the folder \(path)") }
    if let weakness = ProtectedPath.weakness(of: path.parentFolder) {
      throw VaultError(
        .integrity, "others than root can change \(path): \(weakness)", recoverySuggestion: "give the folder to root")
    }
    var status = stat()
    guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw VaultError(.integrity, "\(path) is not a folder", recoverySuggestion: "remove it, and try again")
    }
    guard unsafe lchown(path, 0, group) == 0, unsafe chmod(path, mode) == 0 else {
      throw systemFailure("change the folder \(path)")
    }
  }

  private func write(_ record: some Encodable, to path: String) throws(VaultError) {
    guard let json = try? JSONEncoder().encode(record) else {
      throw VaultError(.io, "the record of \(app.bundleID) cannot be written", recoverySuggestion: "try again")
    }
    let file = SecretFile(
      path: path, name: "the record of \(app.bundleID)", recoverySuggestion: "install the app again")
    var bytes = Array(json)
    try file.write(wiping: &bytes)
    guard unsafe chmod(path, 0o644) == 0 else { throw systemFailure("change \(path)") }
  }

  /// Deletes the credentials of a user, by number. The app could write to the folder: what is there, also folders with
  /// something in them, could be exchanged for a link meanwhile.
  private func deleteKeys(of user: String) throws(VaultError) {
    let folder = "\(app.keysPath)/\(user)"
    guard !isAbsent(folder) else { return }
    guard unsafe lchown(folder, 0, 0) == 0, unsafe chmod(folder, 0o700) == 0 else {
      throw systemFailure("delete \(folder)")
    }
    try deleteTree(folder)
  }

  private func delete(_ path: String) throws(VaultError) {
    guard !isAbsent(path) else { return }
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      throw VaultError(.io, "cannot delete \(path)", recoverySuggestion: "delete it, and try again")
    }
  }
}

extension Domain {
  fileprivate static let installedGroup = Domain("coffer.instgrp.1")
}
