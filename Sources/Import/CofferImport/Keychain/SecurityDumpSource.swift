internal import CofferSystem

/// The output of `security dump-keychain -d` of macOS.
package struct SecurityDumpSource: EntrySource {
  private let input: SourceInput

  package init(_ input: SourceInput) { self.input = input }

  package func read(into sink: inout EntrySink) throws {
    let bytes = try input.contents(for: &sink)
    var item: DumpedItem?
    var hasItem = false
    var isData = false
    var number = 0
    var start = 0
    while start <= bytes.count {
      let line = bytes[start...].prefix { $0 != UInt8(ascii: "\n") }
      start = line.endIndex + 1
      number += 1
      if isData {
        isData = false
        item?.value = DumpedItem.bytes(line)
      } else if line.starts(with: "keychain: ".utf8) {
        try item?.add(to: &sink)
        item = nil
      } else if line.starts(with: "class: ".utf8) {
        try item?.add(to: &sink)
        item = DumpedItem(itemClass: line.dropFirst(7), line: number)
        hasItem = true
      } else if line.elementsEqual("data:".utf8) {
        isData = item != nil
      } else if line.starts(with: "    ".utf8) {
        item?.add(attribute: line.dropFirst(4))
      }
    }
    try item?.add(to: &sink)
    guard hasItem else {
      throw ImportError.malformed("output of security dump-keychain", "it has no line that begins with \"class:\"")
    }
  }
}
