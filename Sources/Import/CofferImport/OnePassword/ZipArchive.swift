internal import CofferSystem
internal import CofferZlib

/// A zip archive (APPNOTE 6.3): the names and sizes of its members, which are read one by one.
///
/// Only what exports contain is read: members that are stored or deflated, in one file, without encryption. The central
/// directory alone says what there is, and the sizes in it are limits for what is unpacked.
struct ZipArchive: ~Copyable {
  /// A file in the archive.
  struct Member: Equatable {
    let name: String
    let byteCount: Int
    fileprivate let packedByteCount: Int
    fileprivate let checksum: UInt32
    fileprivate let method: UInt16
    fileprivate let offset: Int
  }

  private static let maximumMemberCount = 65_535
  private static let maximumDirectoryByteCount = 16 << 20
  /// The largest ratio of a member's sizes: deflate cannot pack better than 1 to 1032.
  private static let maximumRatio = 1_032

  private let file: InputFile
  let members: [Member]

  var byteCount: Int { file.byteCount }

  private init(_ file: consuming InputFile, _ members: [Member]) {
    self.file = file
    self.members = members
  }

  /// Reads the directory of an archive.
  static func open(_ input: SourceInput) throws(ImportError) -> ZipArchive {
    let file = try input.open(limit: 4 << 30)
    let tail = try file.bytes(at: max(file.byteCount - 65_557, 0), count: min(file.byteCount, 65_557))
    guard let end = endRecord(in: tail) else { throw malformed("its end is missing") }
    let count = Int(tail.u16(end + 10))
    let (size, offset) = (Int(tail.u32(end + 12)), Int(tail.u32(end + 16)))
    guard count < maximumMemberCount, size <= maximumDirectoryByteCount, offset + size <= file.byteCount else {
      throw malformed("its directory is too long or not in it")
    }
    let directory = try file.bytes(at: offset, count: size)
    let members = try Self.members(directory, count: count, archiveByteCount: file.byteCount)
    return ZipArchive(file, members)
  }

  private static func malformed(_ detail: String) -> ImportError { .malformed("1pux archive", detail) }

  private static func endRecord(in tail: [UInt8]) -> Int? {
    guard tail.count >= 22 else { return nil }
    // A comment may follow, which says how long it is.
    return (0...(tail.count - 22)).reversed().first { place in
      tail.u32(place) == 0x0605_4b50 && place + 22 + Int(tail.u16(place + 20)) == tail.count
    }
  }

  private static func members(
    _ directory: [UInt8], count: Int, archiveByteCount: Int
  ) throws(ImportError) -> [Member] {
    var members: [Member] = []
    var names: Set<String> = []
    var place = 0
    for _ in 0..<count {
      guard place + 46 <= directory.count, directory.u32(place) == 0x0201_4b50 else {
        throw malformed("its directory is damaged")
      }
      let nameCount = Int(directory.u16(place + 28))
      let next = place + 46 + nameCount + Int(directory.u16(place + 30)) + Int(directory.u16(place + 32))
      guard next <= directory.count,
        let name = String(validating: directory[(place + 46)..<(place + 46 + nameCount)], as: UTF8.self)
      else { throw malformed("its directory is damaged") }
      let member = Member(
        name: name, byteCount: Int(directory.u32(place + 24)), packedByteCount: Int(directory.u32(place + 20)),
        checksum: directory.u32(place + 16), method: directory.u16(place + 10), offset: Int(directory.u32(place + 42)))
      guard directory.u16(place + 8) & 1 == 0, member.method == 0 || member.method == 8 else {
        throw malformed("a member is encrypted or packed in an unknown way")
      }
      guard member.offset + member.packedByteCount <= archiveByteCount,
        member.byteCount <= max(member.packedByteCount, 1) * maximumRatio,
        member.method == 8 || member.byteCount == member.packedByteCount
      else { throw malformed("the sizes of a member contradict each other") }
      // Names are only compared, and never become paths; those that would leave a folder are still refused.
      guard !name.split(separator: "/").contains(".."), !name.hasPrefix("/"), names.insert(name).inserted else {
        throw malformed("a member has a name that is used twice or leads out of the archive")
      }
      members.append(member)
      place = next
    }
    return members
  }

  /// Returns the contents of a member; nil if they are damaged or more than `limit`.
  func contents(of member: Member, limit: Int) throws(ImportError) -> [UInt8]? {
    // Deflate never makes contents much larger.
    guard member.byteCount <= limit, member.packedByteCount <= limit + 65_536 else { return nil }
    let header = try file.bytes(at: member.offset, count: 30)
    guard header.count == 30, header.u32(0) == 0x0403_4b50 else { return nil }
    let start = member.offset + 30 + Int(header.u16(26)) + Int(header.u16(28))
    let packed = try file.bytes(at: start, count: member.packedByteCount)
    guard packed.count == member.packedByteCount else { return nil }
    let contents = member.method == 0 ? packed : Inflation.unpack(packed, .raw, limit: member.byteCount)
    guard let contents, contents.count == member.byteCount, Inflation.checksum(of: contents) == member.checksum else {
      return nil
    }
    return contents
  }
}

extension [UInt8] {
  /// A little-endian number of two bytes.
  fileprivate func u16(_ place: Int) -> UInt16 { UInt16(self[place]) | UInt16(self[place + 1]) << 8 }

  /// A little-endian number of four bytes.
  fileprivate func u32(_ place: Int) -> UInt32 { UInt32(u16(place)) | UInt32(u16(place + 2)) << 16 }
}
