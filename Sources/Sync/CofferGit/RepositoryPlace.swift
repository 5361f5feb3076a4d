internal import CofferPlatform
internal import CofferSystem

/// Where the machines of one owner meet: a host that ssh reaches, a folder that both have, or a repository.
package struct RepositoryPlace: Sendable {
  /// The repository.
  package let url: RemoteURL
  /// What its owner should know about the place, a sentence; nil for nothing.
  package let note: String?

  /// The name of the repository that is created on a host or in a folder.
  package static let name = "coffer.git"

  /// Finds the repository of a place: `user@host`, `host` or `ssh://host[:port]`, the path of a folder, or the URL or
  /// path of a repository. With `isCreating`, creates it on the host or in the folder if it does not exist, for its
  /// owner only. Throws `.invalidURL` for a folder that a program copies to other machines and for a path that does
  /// not exist, and the error of ssh or git.
  package static func find(
    _ text: String, isCreating: Bool, programs: TransportPrograms = .fromEnvironment,
    limits: TransferLimits = TransferLimits()
  ) throws(GitError) -> RepositoryPlace {
    if let url = try hostRepository(text) {
      if isCreating { try create(on: url, programs, limits) }
      return RepositoryPlace(url: url, note: "Only your user on the host, and its administrators, reach it.")
    }
    let url = try RemoteURL(text)
    guard let path = url.localPath else { return RepositoryPlace(url: url, note: nil) }
    if let program = copyingProgram(of: path) {
      // It copies files one by one and in any order. A branch could name objects that are not there yet, and of two
      // pushes at once, one would be renamed.
      throw GitError(
        .invalidURL, "\(program) copies this folder, which damages a repository when two machines push at once",
        context: path,
        recoverySuggestion:
          "let one machine have the repository, and name it as user@host; or use a folder that is not copied")
    }
    if isRepository(path) { return RepositoryPlace(url: url, note: folderNote) }
    guard isFolder(path) else {
      throw GitError(
        .invalidURL, "there is no such folder", context: path,
        recoverySuggestion: "plug in or mount the drive; for a host, write user@host")
    }
    let repository = (path.hasSuffix("/") ? path : path + "/") + name
    if !isRepository(repository), isCreating {
      let script = "umask 077 && exec \"$0\" init --quiet --bare -- \"$1\""
      try run(["sh", "-c", script, programs.git, repository], context: repository)
    }
    return RepositoryPlace(url: try RemoteURL(repository), note: folderNote)
  }

  // git's check of the owner does not help: on a drive with exFAT, or a network drive, all files seem to be the user's.
  // Turning hooks off would not either: the configuration of a repository can name other programs, and git is made to
  // avoid those of untrusted repositories in upload-pack only, not in receive-pack.
  private static let folderNote = """
    Whoever can write to this folder can run programs as you, because git runs the hooks of a repository in it: use it only if \
    you trust all who can write to it. A machine syncs while it reaches the folder: eject a drive before you unplug it. Let no \
    program such as Syncthing or Dropbox copy the folder.
    """

  /// Returns the repository of a host that is named without a path; nil for another text.
  private static func hostRepository(_ text: String) throws(GitError) -> RemoteURL? {
    if text.lowercased().hasPrefix("ssh://") {
      let rest = text.dropFirst(6)
      guard let host = rest.split(separator: "/").first, rest.dropFirst(host.count).allSatisfy({ $0 == "/" }) else {
        return nil
      }
      return try RemoteURL("ssh://\(host)/~/\(name)")
    }
    guard !text.isEmpty, !text.contains("/"), !text.contains(":"), ![".", "..", "~"].contains(text),
      text.contains("@") || !FileManager.default.fileExists(atPath: text)
    else { return nil }
    return try RemoteURL("\(text):\(name)")
  }

  /// Creates the repository in the home folder of a host's user, unless it exists.
  private static func create(
    on url: RemoteURL, _ programs: TransportPrograms, _ limits: TransferLimits
  ) throws(GitError) {
    let script = "umask 077 && { test -e \(name)/HEAD || git init --quiet --bare \(name); }"
    // Any login shell can start it.
    let command = url.sshCommand(
      "exec sh -c \(script.quotedForShell)", programs: programs, limits: limits,
      mayPrompt: TransportProcess.canPrompt)
    try run(
      command ?? [], context: url.description,
      otherwise: "see why with ssh, or create a repository on the host, and name it with its URL")
  }

  private static func run(_ command: [String], context: String, otherwise advice: String? = nil) throws(GitError) {
    let exit: ChildProcess.Exit
    let messages: String
    do throws(SystemError) {
      let errors = try Descriptor.pipe()
      let child = try ChildProcess.start(
        command.first ?? "", arguments: Array(command.dropFirst()), searchesPath: true,
        environment: TransportProcess.environment, input: .null, output: .null,
        errors: .descriptor(errors.theirs.rawValue))
      messages = String(decoding: errors.closeTheirs().readToEnd(maximumByteCount: 1 << 16), as: UTF8.self)
      exit = child.wait()
    } catch {
      throw error.isNotFound
        ? GitError(.missingProgram, "\(command.first ?? "") is not installed, or not in PATH", context: context)
        : GitError(error, context: context)
    }
    guard exit != .code(0) else { return }
    let reason = messages.trimmedSpace.sanitizedForTerminal(limit: 300)
    throw GitError(
      .unreachable, "no repository could be created: \(reason.isEmpty ? "\(command.first ?? "") failed" : reason)",
      context: context, recoverySuggestion: advice)
  }

  private static func isRepository(_ path: String) -> Bool {
    isFolder(path + "/objects") && FileManager.default.fileExists(atPath: path + "/HEAD")
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Returns the program that copies a folder, or one above it, to other machines; nil if none is known to.
  private static func copyingProgram(of path: String) -> String? {
    let marks = [
      ".stfolder": "Syncthing", ".dropbox": "Dropbox", ".dropbox.cache": "Dropbox", ".nextcloudsync.log": "Nextcloud",
      ".owncloudsync.log": "ownCloud",
    ]
    var folder = path
    while true {
      for (mark, program) in marks where FileManager.default.fileExists(atPath: "\(folder)/\(mark)") { return program }
      let parent = folder.parentFolder
      guard parent != folder else { return nil }
      folder = parent
    }
  }
}
