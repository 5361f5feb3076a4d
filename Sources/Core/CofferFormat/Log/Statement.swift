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

    /// Whether a program that does not know the kind must stop writing. A withdrawal, a dismissal and a name grant and
    /// remove nothing.
    var isCritical: Bool { ![.withdrawal, .dismissal, .deviceName].contains(self) }
  }

  package var kind: UInt16 { content.kind.rawValue }

  private var content: (kind: Kind, fields: any Coded) {
    switch self {
    case .transportKey(let statement): (.transportKey, statement)
    case .device(let statement): (.device, statement)
    case .appointment(let statement): (.appointment, statement)
    case .app(let statement): (.app, statement)
    case .principal(let statement): (.principal, statement)
    case .groupKey(let statement): (.groupKey, statement)
    case .groupKeyRenewal(let statement): (.groupKeyRenewal, statement)
    case .grant(let statement): (.grant, statement)
    case .revocation(let statement): (.revocation, statement)
    case .succession(let statement): (.succession, statement)
    case .resolution(let statement): (.resolution, statement)
    case .withdrawal(let statement): (.withdrawal, statement)
    case .dismissal(let statement): (.dismissal, statement)
    case .deviceName(let statement): (.deviceName, statement)
    case .groupRequirement(let statement): (.groupRequirement, statement)
    }
  }

  package var isCritical: Bool { content.kind.isCritical }

  /// The bytes of the statement in a log entry.
  package var body: [UInt8] {
    var writer = ByteWriter()
    content.fields.write(to: &writer)
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
    var reader = ByteReader(body, object: ObjectKind.logEntry.name)
    do throws(FormatError) {
      let statement = try Statement(kind, from: &reader)
      try reader.finish()
      return statement
    } catch {
      // Programs that do not know the others accept any body, so no body may make such an entry invalid.
      guard kind.isCritical else { return nil }
      // Only in errors: the runtime's look-up of the name of a case took a fifth of the time of opening a vault.
      throw FormatError(error.code, object: "log entry \(sequence) (\(kind))", field: error.field)
    }
  }

  private init(_ kind: Kind, from reader: inout ByteReader) throws(FormatError) {
    switch kind {
    case .transportKey: self = .transportKey(try TransportKeyStatement(from: &reader))
    case .device: self = .device(try DeviceStatement(from: &reader))
    case .appointment: self = .appointment(try AppointmentStatement(from: &reader))
    case .app: self = .app(try AppStatement(from: &reader))
    case .principal: self = .principal(try PrincipalStatement(from: &reader))
    case .groupKey: self = .groupKey(try GroupKeyStatement(from: &reader))
    case .groupKeyRenewal: self = .groupKeyRenewal(try GroupKeyRenewalStatement(from: &reader))
    case .grant: self = .grant(try GrantStatement(from: &reader))
    case .revocation: self = .revocation(try RevocationStatement(from: &reader))
    case .succession: self = .succession(try SuccessionStatement(from: &reader))
    case .resolution: self = .resolution(try ResolutionStatement(from: &reader))
    case .withdrawal: self = .withdrawal(try WithdrawalStatement(from: &reader))
    case .dismissal: self = .dismissal(try DismissalStatement(from: &reader))
    case .deviceName: self = .deviceName(try DeviceNameStatement(from: &reader))
    case .groupRequirement: self = .groupRequirement(try GroupRequirementStatement(from: &reader))
    }
  }
}
