/// The folders that an ELF program names for its libraries (DT_RPATH and DT_RUNPATH). The loader searches them also for a
/// setgid program.
package enum ELFLibraryPath {
  /// Why the folders are not known.
  package enum Flaw: Error, Hashable, Sendable {
    /// The file is no ELF program, such as a script.
    case notELF
    /// The file is damaged, or for a machine of 32 bits or another byte order.
    case unsupported
  }

  private static let loadSegment: UInt64 = 1
  private static let dynamicSegment: UInt64 = 2
  private static let stringTable: UInt64 = 5
  private static let libraryPaths: Set<UInt64> = [15, 29]
  private static let maximumCount = 4096

  /// Returns the folders in the order in which the program names them. `read` returns the bytes of the file at an offset, as
  /// many as it has up to the count.
  package static func folders(
    _ read: (_ offset: UInt64, _ count: Int) -> [UInt8]
  ) throws(Flaw) -> [String] {
    let header = read(0, 64)
    guard header.starts(with: [0x7f, 0x45, 0x4c, 0x46]) else { throw .notELF }
    // 64 bits, little-endian.
    guard header.count == 64, header[4] == 2, header[5] == 1 else { throw .unsupported }
    let (start, size, count) = (number(header, 32, 8), number(header, 54, 2), Int(number(header, 56, 2)))
    guard size == 56, count <= maximumCount, start < 1 << 40 else { throw .unsupported }
    let segments = read(start, count * 56)
    guard segments.count == count * 56 else { throw .unsupported }
    var loads: [(address: UInt64, offset: UInt64, byteCount: UInt64)] = []
    var dynamic: (offset: UInt64, byteCount: UInt64)?
    for place in stride(from: 0, to: segments.count, by: 56) {
      let (offset, address) = (number(segments, place + 8, 8), number(segments, place + 16, 8))
      let byteCount = number(segments, place + 32, 8)
      switch number(segments, place, 4) {
      case loadSegment: loads.append((address, offset, byteCount))
      case dynamicSegment: dynamic = (offset, byteCount)
      default: break
      }
    }
    // A static program searches nothing.
    guard let dynamic else { return [] }
    guard dynamic.byteCount <= UInt64(maximumCount * 16) else { throw .unsupported }
    let entries = read(dynamic.offset, Int(dynamic.byteCount))
    var table: UInt64?
    var names: [UInt64] = []
    for place in stride(from: 0, through: entries.count - 16, by: 16) {
      let (tag, value) = (number(entries, place, 8), number(entries, place + 8, 8))
      if tag == 0 { break }
      if tag == stringTable { table = value }
      if libraryPaths.contains(tag) { names.append(value) }
    }
    var folders: [String] = []
    for name in names {
      guard let table, case (let address, false) = table.addingReportingOverflow(name),
        let load = loads.first(where: { address >= $0.address && address - $0.address < $0.byteCount }),
        case (let offset, false) = load.offset.addingReportingOverflow(address - load.address)
      else { throw .unsupported }
      let bytes = read(offset, maximumCount)
      guard let end = bytes.firstIndex(of: 0) else { throw .unsupported }
      folders += String(decoding: bytes[..<end], as: UTF8.self).split(separator: ":", omittingEmptySubsequences: false)
        .map(String.init)
    }
    return folders
  }

  private static func number(_ bytes: [UInt8], _ place: Int, _ count: Int) -> UInt64 {
    bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
