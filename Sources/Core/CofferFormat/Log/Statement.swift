/// The content of a log entry.
package enum Statement: Hashable, Sendable {
  case transportKey(TransportKeyStatement)
  case device(DeviceStatement)
  case appointment(AppointmentStatement)
  case app(AppStatement)
  case principal(PrincipalStatement)
  case groupKey(GroupKeyStatement)
  case groupKeyRenewal(GroupKeyRenewalStatement)
  case grant(GrantStatement)
  case revocation(RevocationStatement)
  case succession(SuccessionStatement)
  case resolution(ResolutionStatement)
  case withdrawal(WithdrawalStatement)
  case dismissal(DismissalStatement)
  case deviceName(DeviceNameStatement)
  case groupRequirement(GroupRequirementStatement)

  /// The numbers of the kinds. FORMAT.md reserves 2, 3, 16 to 18 and 21 to 63.
  package enum Kind: UInt16, CaseIterable, Sendable {
    case transportKey = 1
    case principal = 4
    case groupKey = 5
    case grant = 6
    case revocation = 7
    case app = 8
    case device = 9
    case succession = 10
    case groupKeyRenewal = 11
    case appointment = 12
    case resolution = 13
    case withdrawal = 14
    case dismissal = 15
    case deviceName = 19
    case groupRequirement = 20

    /// The kind's name in errors. A switch on purpose: the runtime's look-up of case names took a fifth of the time of
    /// opening a vault.
    var name: String {
      switch self {
      case .transportKey: "transportKey"
      case .device: "device"
      case .appointment: "appointment"
      case .app: "app"
      case .principal: "principal"
      case .groupKey: "groupKey"
      case .groupKeyRenewal: "groupKeyRenewal"
      case .revocation: "revocation"
      case .succession: "succession"
      case .grant: "grant"
      case .resolution: "resolution"
      case .withdrawal: "withdrawal"
      case .dismissal: "dismissal"
      case .deviceName: "deviceName"
      case .groupRequirement: "groupRequirement"
      }
    }
  }

  package var kind: UInt16 {
    let kind: Kind =
      switch self {
      case .transportKey: .transportKey
      case .device: .device
      case .appointment: .appointment
      case .app: .app
      case .principal: .principal
      case .groupKey: .groupKey
      case .groupKeyRenewal: .groupKeyRenewal
      case .revocation: .revocation
      case .succession: .succession
      case .grant: .grant
      case .resolution: .resolution
      case .withdrawal: .withdrawal
      case .dismissal: .dismissal
      case .deviceName: .deviceName
      case .groupRequirement: .groupRequirement
      }
    return kind.rawValue
  }

  /// Whether a program that does not know the kind must stop writing. A withdrawal, a dismissal and a name grant and
  /// remove nothing.
  package var isCritical: Bool {
    switch self {
    case .withdrawal, .dismissal, .deviceName: false
    default: true
    }
  }

  /// The bytes of the statement in a log entry.
  package var body: [UInt8] {
    var writer = ByteWriter()
    switch self {
    case .transportKey(let statement): statement.write(to: &writer)
    case .device(let statement): statement.write(to: &writer)
    case .appointment(let statement): statement.write(to: &writer)
    case .app(let statement): statement.write(to: &writer)
    case .principal(let statement): statement.write(to: &writer)
    case .groupKey(let statement): statement.write(to: &writer)
    case .groupKeyRenewal(let statement): statement.write(to: &writer)
    case .grant(let statement): statement.write(to: &writer)
    case .revocation(let statement): statement.write(to: &writer)
    case .succession(let statement): statement.write(to: &writer)
    case .resolution(let statement): statement.write(to: &writer)
    case .withdrawal(let statement): statement.write(to: &writer)
    case .dismissal(let statement): statement.write(to: &writer)
    case .deviceName(let statement): statement.write(to: &writer)
    case .groupRequirement(let statement): statement.write(to: &writer)
    }
    return writer.bytes
  }

  /// Returns the statement of an entry, or nil if it means nothing to this program.
  package static func parse(_ entry: LogEntry) throws(FormatError) -> Statement? {
    try parse(kind: entry.kind, body: entry.body, of: entry.sequence)
  }

  /// Returns the statement that ``kind`` and ``body`` were taken from, or nil if it means nothing to this program. The
  /// number of its log entry is for errors.
  package static func parse(kind: UInt16, body: [UInt8], of sequence: UInt64) throws(FormatError) -> Statement? {
    guard let kind = Kind(rawValue: kind) else { return nil }
    var reader = ByteReader(body, object: "log entry \(sequence) (\(kind.name))")
    let statement: Statement
    switch kind {
    case .transportKey: statement = .transportKey(try TransportKeyStatement(from: &reader))
    case .device: statement = .device(try DeviceStatement(from: &reader))
    case .appointment: statement = .appointment(try AppointmentStatement(from: &reader))
    case .app: statement = .app(try AppStatement(from: &reader))
    case .principal: statement = .principal(try PrincipalStatement(from: &reader))
    case .groupKey: statement = .groupKey(try GroupKeyStatement(from: &reader))
    case .groupKeyRenewal: statement = .groupKeyRenewal(try GroupKeyRenewalStatement(from: &reader))
    case .revocation: statement = .revocation(try RevocationStatement(from: &reader))
    case .succession: statement = .succession(try SuccessionStatement(from: &reader))
    case .grant: statement = .grant(try GrantStatement(from: &reader))
    case .resolution: statement = .resolution(try ResolutionStatement(from: &reader))
    case .groupRequirement: statement = .groupRequirement(try GroupRequirementStatement(from: &reader))
    case .withdrawal: return WithdrawalStatement(body: body).map(Statement.withdrawal)
    case .dismissal: return DismissalStatement(body: body).map(Statement.dismissal)
    case .deviceName: return DeviceNameStatement(body: body).map(Statement.deviceName)
    }
    try reader.finish()
    return statement
  }
}
