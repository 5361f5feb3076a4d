internal import CPlatform
internal import CofferPlatform

/// A copy of a program, in memory, that nobody may read: for a program whose answers count.
///
/// The kernel keeps other programs of the user away from a process whose program its user may not read: from its first instruction
/// on, none attaches to it, reads its memory or takes its descriptors (`would_dump` in Linux). Everybody may read the programs
/// of a system, so a child that must be out of reach gets a copy. Its user owns the copy, and could permit reading it, but
/// another program of the user does not reach it: it has no name, and this process, which has its descriptor, is hardened. Root
/// may read every file: a process of root is out of reach only for others.
package struct UnreadableProgram: ~Copyable {
  private let descriptor: Descriptor

  /// Copies a program. Throws an error whose ``SystemError/number`` is `ENOEXEC` if a copy does not help: for a script, of
  /// which the kernel starts the interpreter, which everybody may read; and for a program that the user may not read, whose
  /// process is out of reach without it. Throws another error if the system has no such files, or forbids starting them
  /// (`vm.memfd_noexec`).
  package init(copying path: String) throws(SystemError) {
    let descriptor = unsafe coffer_copy_unreadable(path)
    guard descriptor >= 0 else { throw SystemError(-descriptor, "cannot start \(path)") }
    self.descriptor = Descriptor(owning: descriptor)
  }

  /// The path of the copy for a child of this process, which closes the descriptor when the program starts.
  package var path: String { "/proc/self/fd/\(descriptor.rawValue)" }

  /// Returns the path of a program; a name is looked up in `PATH`. Nil if there is none.
  package static func path(of program: String) -> String? {
    guard !program.contains("/") else { return program }
    return (CurrentProcess.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").lazy
      .map { "\($0)/\(program)" }.first(where: FileManager.default.isExecutableFile)
  }
}
