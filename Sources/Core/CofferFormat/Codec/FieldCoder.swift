package import CofferCrypto

/// Writes the fields of a value, or reads them.
///
/// Each function states one field: it writes the value that it is given and returns it, or reads one if it is given
/// nil. An initializer that calls them therefore states the fields of a type, and their order, once.
package struct FieldCoder {
  package let isWriting: Bool
  package var writer: ByteWriter
  package var reader: ByteReader

  /// Creates a coder that writes after what `writer` has written. Errors name the object as `object`.
  package init(writing writer: ByteWriter, object: String = "") {
    isWriting = true
    self.writer = writer
    reader = ByteReader([], object: object)
  }

  /// Creates a coder that reads from where `reader` is.
  package init(reading reader: ByteReader) {
    isWriting = false
    writer = ByteWriter(reserving: 0)
    self.reader = reader
  }

  /// Returns an error about `field` of this object.
  package func failure(_ field: String, _ code: FormatError.Code = .invalidValue) -> FormatError {
    reader.failure(code, field)
  }

  /// Throws unless the format allows what was read. What is written was checked by whoever made it.
  package func require(_ isValid: Bool, _ field: String) throws(FormatError) {
    guard isWriting || isValid else { throw failure(field) }
  }

  // MARK: Fields

  /// Writes a value and returns it, or reads it if it is nil.
  package mutating func value<Value>(
    _ value: Value?, _ write: (inout ByteWriter, Value) -> Void, _ read: (inout ByteReader) throws(FormatError) -> Value
  ) throws(FormatError) -> Value {
    guard let value else {
      precondition(!isWriting, "a field without a value")
      return try read(&reader)
    }
    write(&writer, value)
    return value
  }

  package mutating func u8(_ number: UInt8?, _ field: String) throws(FormatError) -> UInt8 {
    try value(number, { $0.u8($1) }, { (reader) throws(FormatError) in try reader.u8(field) })
  }

  package mutating func u16(_ number: UInt16?, _ field: String) throws(FormatError) -> UInt16 {
    try value(number, { $0.u16($1) }, { (reader) throws(FormatError) in try reader.u16(field) })
  }

  package mutating func u32(_ number: UInt32?, _ field: String) throws(FormatError) -> UInt32 {
    try value(number, { $0.u32($1) }, { (reader) throws(FormatError) in try reader.u32(field) })
  }

  package mutating func u64(_ number: UInt64?, _ field: String) throws(FormatError) -> UInt64 {
    try value(number, { $0.u64($1) }, { (reader) throws(FormatError) in try reader.u64(field) })
  }

  package mutating func place(_ number: UInt64?, _ field: String) throws(FormatError) -> UInt64 {
    try value(number, { $0.u64($1) }, { (reader) throws(FormatError) in try reader.place(field) })
  }

  package mutating func time(_ time: Timestamp?, _ field: String) throws(FormatError) -> Timestamp {
    try value(
      time, { $0.i64($1.microseconds) },
      { (reader) throws(FormatError) in Timestamp(microseconds: try reader.i64(field)) })
  }

  package mutating func bool(_ flag: Bool?, _ field: String) throws(FormatError) -> Bool {
    try value(flag, { $0.bool($1) }, { (reader) throws(FormatError) in try reader.bool(field) })
  }

  package mutating func id<ID: Identifier>(_ id: ID?, _ field: String) throws(FormatError) -> ID {
    try value(id, { $0.fixed($1.raw) }, { (reader) throws(FormatError) in ID(try reader.bytes16(field)) })
  }

  package mutating func bytes32(_ bytes: Bytes32?, _ field: String) throws(FormatError) -> Bytes32 {
    try value(bytes, { $0.fixed($1) }, { (reader) throws(FormatError) in try reader.bytes32(field) })
  }

  package mutating func hash<Hash: ObjectHash>(_ hash: Hash?, _ field: String) throws(FormatError) -> Hash {
    Hash(try bytes32(hash?.raw, field))
  }

  package mutating func fixed(_ bytes: [UInt8]?, count: Int, _ field: String) throws(FormatError) -> [UInt8] {
    try value(bytes, { $0.fixed($1) }, { (reader) throws(FormatError) in try reader.fixed(count, field) })
  }

  package mutating func data(_ bytes: [UInt8]?, _ field: String, cap: Int) throws(FormatError) -> [UInt8] {
    try value(bytes, { $0.data($1) }, { (reader) throws(FormatError) in try reader.data(field, cap: cap) })
  }

  package mutating func string(_ text: String?, _ field: String, cap: Int) throws(FormatError) -> String {
    try value(text, { $0.string($1) }, { (reader) throws(FormatError) in try reader.string(field, cap: cap) })
  }

  /// The number of one of several cases.
  package mutating func choice<Choice: RawRepresentable<UInt8>>(
    _ choice: Choice?, _ field: String
  ) throws(FormatError) -> Choice {
    guard let choice = Choice(rawValue: try u8(choice?.rawValue, field)) else { throw failure(field) }
    return choice
  }

  package mutating func publicKeys(_ keys: PartyPublicKeys?, _ field: String) throws(FormatError) -> PartyPublicKeys {
    try value(keys, { $0.publicKeys($1) }, { (reader) throws(FormatError) in try reader.publicKeys(field) })
  }

  package mutating func signer(_ signer: LogEntry.Signer?) throws(FormatError) -> LogEntry.Signer {
    try value(signer, { $0.signer($1) }, { (reader) throws(FormatError) in try reader.signer() })
  }

  // MARK: Several fields

  package mutating func coded<Value: Coded>(_ known: Value?) throws(FormatError) -> Value {
    try value(known, { $1.write(to: &$0) }, { (reader) throws(FormatError) in try Value(from: &reader) })
  }

  package mutating func optional<Value>(
    _ known: Value?, _ field: String, _ code: (inout FieldCoder, Value?) throws(FormatError) -> Value
  ) throws(FormatError) -> Value? {
    try bool(isWriting ? known != nil : nil, field) ? try code(&self, known) : nil
  }

  package mutating func list<Element: Coded>(
    _ elements: [Element]?, _ field: String, cap: Int
  ) throws(FormatError) -> [Element] {
    try value(elements, { $0.list($1) }, { (reader) throws(FormatError) in try reader.list(field, cap: cap) })
  }

  /// A list in which each element is greater than the one before it by a key.
  package mutating func ascendingList<Element: Coded>(
    _ elements: [Element]?, _ field: String, cap: Int, by key: (Element) -> some Comparable
  ) throws(FormatError) -> [Element] {
    try value(
      elements, { $0.list($1) },
      { (reader) throws(FormatError) in try reader.ascendingList(field, cap: cap, by: key) })
  }
}

/// A value whose fields an initializer states once, for writing and for reading.
package protocol Fielded: Coded {
  /// Writes the fields of a value and copies it, or reads them if it is nil.
  init(_ known: Self?, _ coder: inout FieldCoder) throws(FormatError)
}

extension Fielded {
  package func write(to writer: inout ByteWriter) {
    // The bytes move into the coder and back, so that they are not copied.
    var coder = FieldCoder(writing: ByteWriter(reserving: 0))
    swap(&coder.writer, &writer)
    // Only reading can fail.
    _ = try? Self(self, &coder)
    swap(&coder.writer, &writer)
  }

  package init(from reader: inout ByteReader) throws(FormatError) {
    var coder = FieldCoder(reading: reader)
    try self.init(nil, &coder)
    reader = coder.reader
  }
}
