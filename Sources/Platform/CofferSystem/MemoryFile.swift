internal import CPlatform

/// A file that exists in memory only, until the programs that have inherited it have ended. Nobody can change it, and only
/// its user can read it. On Linux only.
package struct MemoryFile: Sendable {
  /// Stays open until this process ends.
  private let descriptor: Int32

  private init(descriptor: Int32) { self.descriptor = descriptor }

  /// Creates a file with these bytes.
  package static func create(_ bytes: [UInt8]) throws(SystemError) -> MemoryFile {
    let descriptor = unsafe coffer_create_memory_file("coffer", bytes, bytes.count)
    guard descriptor >= 0 else { throw SystemError(-descriptor, "cannot create a file in memory") }
    return MemoryFile(descriptor: descriptor)
  }

  /// Returns the path by which other programs of the user open the file as well, as long as the process has not closed it.
  package func path(inProcess process: Int32) -> String { "/proc/\(process)/fd/\(descriptor)" }

  /// The path with room for the number of a process that does not exist yet.
  package var unnamedPath: String { "\(Self.unnamedPathPrefix)\(descriptor)" }

  /// What such paths begin with.
  static let unnamedPathPrefix = "/proc/0000000000/fd/"
}
