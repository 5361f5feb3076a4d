/// What an ELF program or library tells the loader to load with it, and where to look. The loader obeys also for a setgid
/// program.
package struct ELFLinkage: Hashable, Sendable {
  /// The loader (PT_INTERP); nil for a library and a static program.
  package private(set) var interpreter: String?
  /// The names or paths of other libraries: those that it needs, and those that take the place of its own functions, or watch
  /// the loader (DT_NEEDED, DT_FILTER, DT_AUXILIARY, DT_AUDIT, DT_DEPAUDIT).
  package private(set) var libraries: [String] = []
  /// The folders in which it looks for them (DT_RPATH, DT_RUNPATH).
  package private(set) var folders: [String] = []

  /// Why that is not known.
  package enum Flaw: Error, Hashable, Sendable {
    /// The file is no ELF program, such as a script.
    case notELF
    /// The file is damaged, or for a machine of 32 bits or another byte order.
    case unsupported
  }

  private static let loadSegment: UInt64 = 1
  private static let dynamicSegment: UInt64 = 2
  private static let interpreterSegment: UInt64 = 3
  private static let stringTable: UInt64 = 5
  private static let libraryTags: Set<UInt64> = [1, 0x7fff_ffff, 0x7fff_fffd, 0x6fff_fefc, 0x6fff_fefb]
  private static let folderTags: Set<UInt64> = [15, 29]
  private static let maximumCount = 4096

  /// Reads a file. `read` returns its bytes at an offset, as many as it has up to the count.
  package init(_ read: (_ offset: UInt64, _ count: Int) -> [UInt8]) throws(Flaw) {
    let header = read(0, 64)
    guard header.starts(with: [0x7f, 0x45, 0x4c, 0x46]) else { throw .notELF }
    // 64 bits, little-endian.
    guard header.count == 64, header[4] == 2, header[5] == 1 else { throw .unsupported }
    let (start, size) = (Self.number(header, 32, 8), Self.number(header, 54, 2))
    let count = Int(Self.number(header, 56, 2))
    guard size == 56, count <= Self.maximumCount, start < 1 << 40 else { throw .unsupported }
    let segments = read(start, count * 56)
    guard segments.count == count * 56 else { throw .unsupported }
    var loads: [(address: UInt64, offset: UInt64, byteCount: UInt64)] = []
    var dynamic: (address: UInt64, byteCount: UInt64)?
    for place in stride(from: 0, to: segments.count, by: 56) {
      let (offset, address) = (Self.number(segments, place + 8, 8), Self.number(segments, place + 16, 8))
      let byteCount = Self.number(segments, place + 32, 8)
      switch Self.number(segments, place, 4) {
      case Self.loadSegment: loads.append((address, offset, byteCount))
      case Self.dynamicSegment: dynamic = (address, byteCount)
      case Self.interpreterSegment:
        // The kernel would take the first one.
        guard interpreter == nil else { throw .unsupported }
        interpreter = try Self.text(at: offset, read)
      default: break
      }
    }
    // A static program loads nothing.
    guard let dynamic else { return }
    guard dynamic.byteCount <= UInt64(Self.maximumCount * 16) else { throw .unsupported }
    /// Returns where the file has what the loader finds at an address.
    func offset(of address: UInt64) throws(Flaw) -> UInt64 {
      guard let load = loads.first(where: { address >= $0.address && address - $0.address < $0.byteCount }),
        case (let offset, false) = load.offset.addingReportingOverflow(address - load.address)
      else { throw .unsupported }
      return offset
    }
    let entries = read(try offset(of: dynamic.address), Int(dynamic.byteCount))
    var table: UInt64?
    var names: [(isFolder: Bool, place: UInt64)] = []
    for place in stride(from: 0, through: entries.count - 16, by: 16) {
      let (tag, value) = (Self.number(entries, place, 8), Self.number(entries, place + 8, 8))
      if tag == 0 { break }
      if tag == Self.stringTable { table = value }
      if Self.folderTags.contains(tag) { names.append((true, value)) }
      if Self.libraryTags.contains(tag) { names.append((false, value)) }
    }
    for (isFolder, name) in names {
      guard let table, case (let address, false) = table.addingReportingOverflow(name) else { throw .unsupported }
      let text = try Self.text(at: offset(of: address), read)
      if isFolder {
        folders += text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      } else {
        libraries.append(text)
      }
    }
  }

  private static func text(
    at offset: UInt64, _ read: (_ offset: UInt64, _ count: Int) -> [UInt8]
  ) throws(Flaw) -> String {
    let bytes = read(offset, maximumCount)
    guard let end = bytes.firstIndex(of: 0) else { throw .unsupported }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }

  private static func number(_ bytes: [UInt8], _ place: Int, _ count: Int) -> UInt64 {
    bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
