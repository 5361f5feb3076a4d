import CofferFormatSamples

@testable import CofferFormat

extension VectorCatalog {
  /// Names of machines, and bodies that name none.
  mutating func addDeviceNames() throws {
    let entry = try fixture.entries()[1]
    let admin = inputs(of: fixture.admin)
    func body(_ name: [UInt8]) -> [UInt8] {
      var writer = ByteWriter()
      writer.fixed(fixture.deviceID.raw)
      writer.data(name)
      return writer.bytes
    }
    let name = body([UInt8]("laptop".utf8))
    let bodies: [(String, [UInt8])] = [
      ("truncated", name.dropLast()), ("trailing-byte", name + [0]), ("without-a-name", body([])), ("empty", []),
      ("of-128-bytes", body([UInt8](repeating: 97, count: 128))),
      ("of-129-bytes", body([UInt8](repeating: 97, count: 129))), ("not-utf-8", body([0x61, 0xff])),
      ("with-a-control", body([0x1b, 0x5b, 0x32, 0x4a])), ("with-line-separator", body([UInt8]("a\u{2028}b".utf8))),
      ("with-bidi-control", body([UInt8]("a\u{202e}b".utf8))),
    ]
    for (name, body) in bodies {
      let bytes = signed(entry: entry, kind: 19, isCritical: false, body: body)
      try add("log-device-name-\(name)", "log entry", bytes, admin)
    }
  }
}
