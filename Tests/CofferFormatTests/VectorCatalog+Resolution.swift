import CofferCrypto
import CofferFormatSamples

@testable import CofferFormat

extension VectorCatalog {
  /// Statements that end a fork, and bodies that are none.
  mutating func addResolutions() throws {
    let entry = try fixture.entries()[1]
    func body(_ numbers: [UInt8], count: [UInt8]? = nil, keys: [(UInt32, UInt32)] = []) -> [UInt8] {
      var writer = ByteWriter()
      writer.fixed(count ?? [0, 0, 0, UInt8(numbers.count)])
      for number in numbers { writer.fixed([UInt8](repeating: number, count: 32)) }
      writer.list(keys) { writer, key in
        writer.fixed(fixture.group.raw)
        writer.u32(key.0)
        writer.fixed([UInt8](repeating: 5, count: 32))
        writer.u32(key.1)
        writer.fixed([UInt8](repeating: 6, count: 104))
      }
      return writer.bytes
    }
    let cases: [(String, [UInt8], String)] = [
      ("of-one-entry", body([1]), "accept"), ("of-nothing", body([]), "invalidValue"),
      ("descending", body([2, 1]), "invalidValue"), ("entry-twice", body([1, 1]), "invalidValue"),
      ("of-1025-entries", body([1], count: [0, 0, 4, 1]), "tooLarge"),
      ("truncated", body([1, 2]).dropLast(), "truncated"),
      ("with-two-keys", body([1], keys: [(2, 3), (3, 3)]), "accept"),
      ("keys-descending", body([1], keys: [(3, 3), (2, 3)]), "invalidValue"),
      ("key-twice", body([1], keys: [(2, 3), (2, 4)]), "invalidValue"),
      ("key-of-generation-zero", body([1], keys: [(0, 3)]), "invalidValue"),
      ("key-wrapped-by-zero", body([1], keys: [(2, 0)]), "invalidValue"),
      ("key-truncated", body([1], keys: [(2, 3)]).dropLast(), "truncated"),
      ("trailing-byte", body([1]) + [0], "trailingBytes"),
    ]
    for (name, body, code) in cases {
      let bytes = signed(entry: entry, kind: 13, isCritical: true, body: body)
      try add("log-resolution-\(name)", "log entry", bytes, inputs(of: fixture.admin), expect: code)
    }
  }
}
