internal import CofferPlatform
internal import CofferSystem

/// The export of 1Password 8, a 1pux archive: JSON, and the files that belong to its items.
package struct OnePasswordSource: EntrySource {
  private let input: SourceInput

  package init(_ input: SourceInput) { self.input = input }

  private static let format = "1pux archive"

  package func read(into sink: inout EntrySink) throws {
    let archive = try ZipArchive.open(input)
    sink.limitItems(ofFileWith: archive.byteCount)
    guard let member = archive.members.first(where: { $0.name == "export.data" }) else {
      throw ImportError.malformed(Self.format, "export.data is missing")
    }
    // Zeros pack a thousand times better than any export.
    let limit = min(InputFile.textLimit, (4 << 20) + 32 * archive.byteCount)
    guard let bytes = try archive.contents(of: member, limit: limit) else {
      throw ImportError.malformed(Self.format, "export.data is damaged or too large")
    }
    let accounts = try JSONFile.value(bytes, what: Self.format)["accounts"]?.elements ?? []
    let vaults = accounts.flatMap { $0["vaults"]?.elements ?? [] }
    try sink.count(vaults.reduce(0) { $0 + ($1["items"]?.elements.count ?? 0) })
    let files = Dictionary(
      archive.members.compactMap { member in
        member.name.hasPrefix("files/")
          ? (member.name.dropFirst(6).split(separator: "_", maxSplits: 1).first.map(String.init) ?? "", member) : nil
      }, uniquingKeysWith: { first, _ in first })
    for vault in vaults {
      let name = vault["attrs"]?["name"]?.text ?? ""
      for (index, element) in (vault["items"]?.elements ?? []).enumerated() {
        // Versions before 8.4 wrap each item, and list files beside them.
        let item = element["item"] ?? element
        guard item["details"] != nil || item["overview"] != nil else {
          let file = element["file"]?["attrs"]?["name"]?.text
          try sink.skip(
            "\(name)/\(file ?? "item \(index + 1)")",
            because: file == nil ? "it has neither details nor an overview" : "it is a file that belongs to no item")
          continue
        }
        var found = OnePasswordItem(item, vault: name)
        for document in found.documents {
          var contents: [UInt8]?
          if let member = files[document.id], found.entry.hasRoom(forAttachment: member.byteCount, within: sink.room) {
            contents = try archive.contents(of: member, limit: DecryptionProgram.maximumByteCount)
          }
          if let contents {
            found.entry.attachments.append(ForeignEntry.Attachment(name: document.name, contents: contents))
          } else {
            try sink.skip(
              "\(name)/\(found.entry.title): \(document.name)",
              because: "the archive has no such file, or one that is damaged or too large, or the entry has too many")
          }
        }
        try sink.add(found.entry)
      }
    }
  }
}
