/// The content of a log entry.
package enum Statement: Hashable, Sendable {
  case transportKey(TransportKeyStatement)
  case device(DeviceStatement)
  case app(AppStatement)
  case principal(PrincipalStatement)
  case groupKey(GroupKeyStatement)
  case grant(GrantStatement)
  case withdrawal(WithdrawalStatement)

  /// The numbers of the kinds. FORMAT.md reserves 7…13 and 15…63 for revocation, succession and
  /// invitations.
  package enum Kind: UInt16, Sendable {
    case transportKey = 1
    case device = 2
    case app = 3
    case principal = 4
    case groupKey = 5
    case grant = 6
    case withdrawal = 14

    /// The kind's name in errors. A switch on purpose: the runtime's look-up of case names took a fifth of the time of
    /// opening a vault.
    var name: String {
      switch self {
      case .transportKey: "transportKey"
      case .device: "device"
      case .app: "app"
      case .principal: "principal"
      case .groupKey: "groupKey"
      case .grant: "grant"
      case .withdrawal: "withdrawal"
      }
    }
  }

  /// The number of the kind.
  package var kind: UInt16 {
    let kind: Kind =
      switch self {
      case .transportKey: .transportKey
      case .device: .device
      case .app: .app
      case .principal: .principal
      case .groupKey: .groupKey
      case .grant: .grant
      case .withdrawal: .withdrawal
      }
    return kind.rawValue
  }

  /// Whether a program that does not know the kind must stop writing. A withdrawal grants and removes nothing.
  package var isCritical: Bool {
    if case .withdrawal = self { false } else { true }
  }

  /// The bytes of the statement in a log entry.
  package var body: [UInt8] {
    var writer = ByteWriter()
    switch self {
    case .transportKey(let statement): statement.write(to: &writer)
    case .device(let statement): statement.write(to: &writer)
    case .app(let statement): statement.write(to: &writer)
    case .principal(let statement): statement.write(to: &writer)
    case .groupKey(let statement): statement.write(to: &writer)
    case .grant(let statement): statement.write(to: &writer)
    case .withdrawal(let statement): statement.write(to: &writer)
    }
    return writer.bytes
  }

  /// Returns the statement of an entry, or nil if it means nothing to this program.
  package static func parse(_ entry: LogEntry) throws(FormatError) -> Statement? {
    guard let kind = Kind(rawValue: entry.kind) else { return nil }
    var reader = ByteReader(entry.body, object: "log entry \(entry.sequence) (\(kind.name))")
    let statement: Statement
    switch kind {
    case .transportKey: statement = .transportKey(try TransportKeyStatement(from: &reader))
    case .device: statement = .device(try DeviceStatement(from: &reader))
    case .app: statement = .app(try AppStatement(from: &reader))
    case .principal: statement = .principal(try PrincipalStatement(from: &reader))
    case .groupKey: statement = .groupKey(try GroupKeyStatement(from: &reader))
    case .grant: statement = .grant(try GrantStatement(from: &reader))
    case .withdrawal: return WithdrawalStatement(body: entry.body).map(Statement.withdrawal)
    }
    try reader.finish()
    return statement
  }
}
