import CofferFormatSamples

@testable import CofferFormat

extension VectorCatalog {
  /// Requirements of groups, and bodies that are none.
  mutating func addGroupRequirements() throws {
    let entry = try fixture.entries()[1]
    let admin = inputs(of: fixture.admin)
    let bodies: [(name: String, body: [UInt8], expect: String)] = [
      ("none", body(0), "accept"), ("lease", body(1), "accept"), ("unknown", body(3), "invalidValue"),
      ("truncated", body(2).dropLast(), "truncated"), ("trailing-byte", body(2) + [0], "trailingBytes"),
    ]
    for (name, body, expect) in bodies {
      let bytes = signed(entry: entry, kind: 20, isCritical: true, body: body)
      try add("log-group-requirement-\(name)", "log entry", bytes, admin, expect: expect)
    }
  }

  private func body(_ requirement: UInt8) -> [UInt8] {
    var writer = ByteWriter()
    writer.fixed(fixture.group.raw)
    writer.u8(requirement)
    return writer.bytes
  }
}
