internal import CofferFormat
internal import CofferTrust

extension Membership {
  /// True where the author that a record names may write the record's group, whoever signed it in truth.
  func mayWrite(_ record: Record) -> Bool {
    authors[record.header.author].flatMap { access(of: $0, to: record.header.group) } == .readWrite
  }

  /// Who wrote a record.
  func writer(of record: Record) -> Writer {
    guard let author = authors[record.header.author] else { return Writer(application: nil, device: "unknown") }
    let device = devices[author.device]?.name ?? "unknown"
    return switch author.role {
    case .admin: Writer(application: nil, device: device)
    case .principal(let application, _, _): Writer(application: application.description, device: device)
    }
  }
}
