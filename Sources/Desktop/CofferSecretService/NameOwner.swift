package import CofferBus
internal import CofferPlatform
internal import CofferSystem

/// The program that owns the name of the secret service.
package struct NameOwner: Sendable {
  /// The unique name of its connection.
  package let connection: String
  /// Its process; nil if the bus does not say.
  package let process: Int32?
  /// The path of its program; nil if the system does not show it.
  package let program: String?
  /// The name of its process, which the kernel keeps: at most 15 bytes.
  package var name: String? { process.flatMap { ProcessLineage.member($0)?.name } }

  /// Asks the bus; nil if nobody owns the name.
  package static func current(on bus: SessionBus) throws(BusError) -> NameOwner? {
    guard let connection = try bus.owner(of: ServiceName.bus) else { return nil }
    guard let process = bus.process(of: connection) else {
      return NameOwner(connection: connection, process: nil, program: nil)
    }
    let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
    return NameOwner(connection: connection, process: process, program: program)
  }

  /// Whether the program is this one, perhaps in an earlier version: by its path or, if that is hidden, by its name.
  package var isThisProgram: Bool {
    // A program that keeps secrets, as this one, does not show its path.
    guard let program else { return name != nil && name == ProcessLineage.member(getpid())?.name }
    // The kernel says so if the file was replaced by an update.
    let suffix = " (deleted)"
    let path = program.hasSuffix(suffix) ? String(program.dropLast(suffix.count)) : program
    return path == CurrentProcess.executablePath
  }

  /// The program and its process, for people.
  package var words: String {
    let shown = (program ?? name).map { $0.sanitizedForTerminal(limit: 200) } ?? "another program"
    return process.map { "\(shown) (process \($0))" } ?? shown
  }
}
