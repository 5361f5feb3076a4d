import CofferCrypto
import CofferFormatSamples

@testable import CofferFormat

extension VectorCatalog {
  /// Dismissals of items, and bodies that dismiss nothing.
  mutating func addDismissals() throws {
    let entry = try fixture.entries()[1]
    let admin = inputs(of: fixture.admin)
    func body(_ items: [UInt8] = [1], count: [UInt8]? = nil, reason: [UInt8] = [UInt8]("closed".utf8)) -> [UInt8] {
      var writer = ByteWriter()
      writer.fixed(fixture.genesis.hash.raw)
      writer.fixed(count ?? [0, 0, 0, UInt8(items.count)])
      for number in items { writer.fixed([UInt8](repeating: 7, count: 16) + [UInt8](repeating: number, count: 16)) }
      writer.data(reason)
      return writer.bytes
    }
    let bodies: [(String, [UInt8])] = [
      ("taken-back", body(reason: [])), ("of-nothing", body([])), ("items-descending", body([2, 1])),
      ("item-twice", body([1, 1])), ("of-16385-items", body(count: [0, 0, 64, 1])), ("truncated", body().dropLast()),
      ("trailing-byte", body() + [0]), ("reason-of-256-bytes", body(reason: [UInt8](repeating: 97, count: 256))),
      ("reason-of-257-bytes", body(reason: [UInt8](repeating: 97, count: 257))),
      ("reason-not-utf-8", body(reason: [0x61, 0xff])), ("reason-with-escape", body(reason: [0x1b, 0x5b, 0x32, 0x4a])),
      ("empty", []),
    ]
    for (name, body) in bodies {
      let bytes = signed(entry: entry, kind: 15, isCritical: false, body: body)
      try add("log-dismissal-\(name)", "log entry", bytes, admin)
    }
  }
}
