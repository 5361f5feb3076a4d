private import Foundation

/// A small disk in place of a folder: a file system in memory with what the folder contains, which only the programs
/// see that ``wrapper`` runs. It needs no root, and ends with this object.
package final class SmallDisk {
  /// The program, with arguments, that runs a program which sees the disk.
  package let wrapper: [String]
  private let directory: TemporaryDirectory
  private let holder: SpawnedProgram

  /// The folder, as programs see it that ``wrapper`` does not run. git does not find itself there.
  private let outsidePath: String

  private var filler: String { outsidePath + "/filler" }

  /// - Parameters:
  ///   - folder: The folder. Its contents are copied to the disk.
  ///   - megabytes: The size of the disk.
  /// - Throws: An error if the system permits no mounts, not even to a user in a namespace of its own.
  package init(replacing folder: String, megabytes: Int = 8) throws {
    directory = try TemporaryDirectory()
    let log = directory.path("log")
    let (unshare, nsenter) = try Self.namespaces()
    let output = try {
      try Data().write(to: URL(fileURLWithPath: log))
      return try FileHandle(forWritingTo: URL(fileURLWithPath: log))
    }()
    try FileManager.default.createDirectory(atPath: directory.path("disk"), withIntermediateDirectories: false)
    holder = try SpawnedProgram(
      unshare + [
        "sh", "-ec",
        """
        mount -t tmpfs -o "size=${3}m,mode=700" tmpfs "$2"
        cp -a "$1"/. "$2"
        mount --bind "$2" "$1"
        echo mounted
        exec sleep 100000
        """, "sh", folder, directory.path("disk"), "\(megabytes)",
      ], output: output.fileDescriptor)
    try output.close()
    let holder = holder
    func text() -> String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }
    try waitUntil("the disk is mounted") { !holder.isRunning || text() == "mounted\n" }
    guard holder.isRunning else {
      throw SpawnedProgram.Failure(description: "a small disk cannot be mounted: \(text())")
    }
    outsidePath = "/proc/\(holder.identifier)/root\(folder)"
    wrapper = nsenter + ["--target", "\(holder.identifier)"]
  }

  deinit { holder.end(signal: 9) }

  /// Returns the programs that begin and enter a namespace of mounts: as root, or as a user who is root in it.
  private static func namespaces() throws -> (unshare: [String], nsenter: [String]) {
    let asRoot = ["unshare", "--mount"]
    if (try? Command.run(arguments: asRoot + ["true"])) != nil { return (asRoot, ["nsenter", "--mount"]) }
    let asUser = ["unshare", "--user", "--map-root-user", "--mount"]
    do {
      try Command.run(arguments: asUser + ["true"])
    } catch {
      throw SpawnedProgram.Failure(
        description: "tests of a full disk need a namespace of mounts, as root or as a user: \(error)")
    }
    return (asUser, ["nsenter", "--user", "--preserve-credentials", "--mount"])
  }

  /// Fills the disk.
  ///
  /// - Parameter kilobytes: What is left free.
  /// - Throws: An error if more is left.
  package func fill(leaving kilobytes: Int = 0) throws {
    free()
    // It ends when nothing is left.
    _ = try? Command.run("dd", "if=/dev/zero", "of=\(filler)", "bs=1024")
    if kilobytes > 0 { try Command.run("truncate", "--size=-\(kilobytes)K", filler) }
    let left = try FileManager.default.attributesOfFileSystem(forPath: outsidePath)[.systemFreeSize] as? Int
    guard let left, left <= kilobytes << 10 else {
      throw SpawnedProgram.Failure(description: "the disk is not full: \(left ?? -1) bytes are left")
    }
  }

  /// Frees what ``fill(leaving:)`` has taken.
  package func free() { try? FileManager.default.removeItem(atPath: filler) }
}
