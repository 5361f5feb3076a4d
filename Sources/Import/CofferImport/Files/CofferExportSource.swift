internal import CofferPlatform
internal import CofferSystem

/// The file of `coffer export json`: all items with all attributes.
package struct CofferExportSource: EntrySource {
  private let input: SourceInput

  package init(_ input: SourceInput) { self.input = input }

  private struct Export: Decodable {
    let format: String
    let version: Int
    let items: [ImportLine]
  }

  package func read(into sink: inout EntrySink) throws {
    let export: Export
    let bytes = try input.contents(for: &sink)
    do {
      export = try JSONDecoder().decode(Export.self, from: Data(bytes))
    } catch {
      throw ImportError.malformed("file of coffer export json", "it is not JSON, or has no items")
    }
    guard export.format == "coffer-export", export.version == 1 else {
      throw ImportError.malformed("file of coffer export json", "it has another format or version")
    }
    try sink.count(export.items.count)
    for (index, item) in export.items.enumerated() {
      guard item.itemClass != nil, item.attributes != nil else {
        try sink.skip("item \(index + 1)", because: "it has no class or no attributes")
        continue
      }
      try sink.add(item)
    }
  }
}
