internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// Files of the vault that other users can read or change.
struct FileCheck: DoctorCheck {
  static let name = "files"

  func findings(in scene: DoctorScene) -> [Finding] { Self.findings(in: scene.local.folder) }

  /// Examines a vault's folder, also one whose store cannot be opened.
  static func findings(in folder: VaultFolder) -> [Finding] {
    guard !isAbsent(folder.path) else { return [] }
    var findings: [Finding] = []
    for path in [folder.path] + paths(in: folder.path) {
      var status = stat()
      guard unsafe lstat(path, &status) == 0 else { continue }
      let isFolder = status.st_mode & S_IFMT == S_IFDIR
      let shown = path.sanitizedForTerminal(limit: 4096)
      if status.st_uid != geteuid() && geteuid() != 0 {
        findings.append(
          Finding(
            .fileOwner, .problem, subject: shown, message: "It belongs to another user (uid \(status.st_uid)).",
            fix: "Take it back with: sudo chown $(id -un) \(path.shellWord)"))
      } else if status.st_mode & S_IFMT != S_IFLNK, status.st_mode & (isFolder ? 0o022 : 0o077) != 0 {
        findings.append(
          Finding(
            .fileMode, .problem, subject: shown,
            message:
              "Other users can \(isFolder ? "change what is in it" : "open it") (mode \(String(status.st_mode & 0o7777, radix: 8))).",
            fix: "Take the right from them with: chmod \(isFolder ? "go-w" : "go-rwx") \(path.shellWord)"
          ) { takeRights(of: path, isFolder ? 0o022 : 0o077) })
      }
    }
    return findings
  }

  /// Takes rights of others from a file or folder that nobody has put in its place since it was examined.
  private static func takeRights(of path: String, _ rights: mode_t) -> Bool {
    let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    defer { _ = descriptor < 0 ? 0 : close(descriptor) }
    var status = stat()
    guard descriptor >= 0, unsafe fstat(descriptor, &status) == 0 else { return false }
    return fchmod(descriptor, status.st_mode & 0o7777 & ~rights) == 0
  }

  /// The files with keys, the store, and the folders that lead to them.
  private static func paths(in folder: String) -> [String] {
    let isTopFile = { (name: String) in !name.hasSuffix(".git") && !name.hasSuffix(".lock") && name != "incoming" }
    let files = FileManager.default
    let top = ((try? files.contentsOfDirectory(atPath: folder)) ?? []).filter(isTopFile).sorted()
    let apps = ((try? files.contentsOfDirectory(atPath: "\(folder)/apps")) ?? []).sorted().prefix(1_024)
    return top.map { "\(folder)/\($0)" }
      + apps.flatMap { ["\(folder)/apps/\($0)", "\(folder)/apps/\($0)/credential"] }
  }
}
