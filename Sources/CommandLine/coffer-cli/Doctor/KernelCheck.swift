internal import CofferPlatform
internal import CofferVault

/// Settings of the kernel that undo the protection of Coffer's programs, or keep the agent from showing a dialog.
struct KernelCheck: DoctorCheck {
  static let name = "kernel"

  func findings(in scene: DoctorScene) -> [Finding] { [Self.dumpableFinding, Self.memoryFinding].compactMap(\.self) }

  /// proc(5): with 1, the kernel protects no process because of its program's mode or group. With 2, it protects them
  /// as with 0, and gives their cores to root.
  private static var dumpableFinding: Finding? {
    guard value(of: "fs.suid_dumpable") == 1 else { return nil }
    return Finding(
      .dumpablePrograms, .problem, subject: "fs.suid_dumpable",
      message: """
        It is 1: while Coffer's programs and dialogs start, and while a dialog is open, every program of this user can attach \
        to them and read what is typed, although nobody may read their files.
        """,
      fix: "\(files) Set it with: sudo sysctl -w fs.suid_dumpable=0")
  }

  /// With 2, no file in memory can be started, and a dialog is the copy of a program in such a file.
  private static var memoryFinding: Finding? {
    guard value(of: "vm.memfd_noexec") == 2 else { return nil }
    return Finding(
      .noDialogCopies, .problem, subject: "vm.memfd_noexec",
      message: """
        It is 2: the agent and the Secret Service cannot start the copy of a program that shows a dialog, so nobody can allow \
        what they have to ask for.
        """,
      fix: "\(files) Set it with: sudo sysctl -w vm.memfd_noexec=1")
  }

  private static let files = "Remove it from the files in /etc/sysctl.d, which set it when the system starts."

  /// Nil if the system has no such setting.
  private static func value(of setting: String) -> Int? {
    let path = "/proc/sys/\(setting.replacing(".", with: "/"))"
    let text = FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    return text.flatMap { Int($0.prefix(while: \.isNumber)) }
  }
}
