internal import CofferFormat
internal import CofferTrust

extension Membership {
  /// Whether the author that a record names may write the record's group. The signature is not checked.
  func namedAuthorMayWrite(_ record: Record) -> Bool {
    authors[record.header.author].flatMap { access(of: $0, to: record.header.group) } == .readWrite
  }

  /// Returns the author of a verified record, as users know it.
  func writer(of record: Record) -> ItemWriter {
    guard let author = authors[record.header.author] else { return ItemWriter(application: nil, device: "unknown") }
    let device = devices[author.device]?.name ?? "unknown"
    return switch author.role {
    case .admin: ItemWriter(application: nil, device: device)
    case .principal(let application, _, _): ItemWriter(application: application.description, device: device)
    }
  }
}
