/// Binary property lists that may be malformed: objects by number, the first outermost.
enum BinaryList {
  static func bytes(_ objects: [[UInt8]]) -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for object in objects {
      offsets.append(bytes.count)
      bytes += object
    }
    let table = bytes.count
    for offset in offsets { bytes += bigEndian(offset, width: 3) }
    bytes += [0, 0, 0, 0, 0, 0, 3, 2]
    return bytes + [objects.count, 0, table].flatMap { bigEndian($0, width: 8) }
  }

  static func text(_ text: String) -> [UInt8] { header(0x50, count: text.utf8.count) + text.utf8 }

  static func utf16(_ units: [UInt16]) -> [UInt8] {
    header(0x60, count: units.count) + units.flatMap { bigEndian(Int($0), width: 2) }
  }

  static func array(_ objects: [Int]) -> [UInt8] {
    header(0xA0, count: objects.count) + objects.flatMap { bigEndian($0, width: 2) }
  }

  static func dictionary(keys: [Int], values: [Int]) -> [UInt8] {
    header(0xD0, count: keys.count) + (keys + values).flatMap { bigEndian($0, width: 2) }
  }

  private static func header(_ kind: UInt8, count: Int) -> [UInt8] {
    count < 15 ? [kind | UInt8(count)] : [kind | 0xF, 0x11] + bigEndian(count, width: 2)
  }

  private static func bigEndian(_ value: Int, width: Int) -> [UInt8] {
    (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }
}
