/// Reads comma-separated values (RFC 4180): fields in quotes may have commas, newlines and doubled quotes.
struct CSVReader {
  private static let comma = UInt8(ascii: ",")
  private static let quote = UInt8(ascii: "\"")
  private static let newline = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")
  private static let maximumFieldCount = 256

  private let bytes: [UInt8]
  private var place = 0
  /// The line at which the last row began.
  private(set) var line = 0
  private var nextLine = 1

  init(_ bytes: [UInt8]) {
    let mark = InputFile.byteOrderMark
    self.bytes = bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
  }

  /// Returns the next row that is not empty; nil at the end. Throws for a quote that does not end, and for more fields
  /// than any export has.
  mutating func next() throws(ImportError) -> [[UInt8]]? {
    while place < bytes.count {
      line = nextLine
      let row = try row()
      if row != [[]] { return row }
    }
    return nil
  }

  private mutating func row() throws(ImportError) -> [[UInt8]] {
    var row: [[UInt8]] = []
    while true {
      guard row.count < Self.maximumFieldCount else {
        throw ImportError.malformed("CSV", "line \(line) has more than \(Self.maximumFieldCount) fields")
      }
      row.append(try field())
      guard place < bytes.count else { return row }
      let end = bytes[place]
      place += 1
      if end == Self.comma { continue }
      if end == Self.carriageReturn, place < bytes.count, bytes[place] == Self.newline { place += 1 }
      nextLine += 1
      return row
    }
  }

  private mutating func field() throws(ImportError) -> [UInt8] {
    guard place < bytes.count, bytes[place] == Self.quote else { return plainField() }
    place += 1
    var field: [UInt8] = []
    while place < bytes.count {
      let byte = bytes[place]
      place += 1
      if byte == Self.quote {
        guard place < bytes.count, bytes[place] == Self.quote else {
          // What follows the quote up to the comma belongs to no field of any program; it is kept.
          return field + plainField()
        }
        place += 1
      } else if byte == Self.newline {
        nextLine += 1
      }
      field.append(byte)
    }
    throw ImportError.malformed("CSV", "the quotes of a field in line \(line) do not end")
  }

  private mutating func plainField() -> [UInt8] {
    let ends: [UInt8] = [Self.comma, Self.newline, Self.carriageReturn]
    let end = bytes[place...].firstIndex(where: ends.contains) ?? bytes.count
    defer { place = end }
    return Array(bytes[place..<end])
  }
}
