package import CofferCrypto
package import CofferFormat

/// An enrolled machine in the membership log.
package struct Device: Hashable, Sendable {
  /// What the owner of a machine may do.
  package enum Role: Hashable, Sendable {
    /// May change the membership, and reads and writes every group, with the keys of this author.
    case admin(AuthorID)
    /// May use the apps that were granted to the machine.
    case member
    /// May read with a headless credential, and never write. From this time on, no new key is sealed to it.
    case readOnly(expires: Timestamp)
  }

  package let id: DeviceID
  package let keys: PartyPublicKeys
  /// The key to which admins seal what they deliver to the machine; nil for one that may only read, and for the first
  /// machine until root has stated its key.
  package let deliveryKey: BoxKey?
  /// The present role. A revoked machine is a member without any right.
  package internal(set) var role: Role
  /// The owner's name for the machine.
  package internal(set) var name: String
  /// The time of enrolment, by the clock of the machine that enrolled it.
  package let enrolled: Timestamp
  /// Who enrolled the machine.
  package let signer: LogEntry.Signer
  /// The revocation of this machine; nil if it is in the vault.
  package internal(set) var revocation: LogPosition?
  /// The last segment of each of its streams that counts after its revocation.
  package internal(set) var lastSegments: [StreamID: StreamPosition] = [:]

  /// The admin on this machine; nil for a member.
  package var admin: AuthorID? { if case .admin(let id) = role { id } else { nil } }

  /// Whether it is an admin's machine that was not removed: such a machine may begin epochs.
  package var isAdmin: Bool { admin != nil && revocation == nil }

  /// Whether the machine may only read.
  package var isReadOnly: Bool { expires != nil }

  /// The time from which on no new key is sealed to it; nil for a machine that may write.
  package var expires: Timestamp? { if case .readOnly(let expires) = role { expires } else { nil } }

  /// Whether no new key is sealed to the machine at a time.
  package func isExpired(at time: Timestamp) -> Bool { expires.map { time > $0 } ?? false }

  /// Whether a segment of this machine counts.
  func allows(_ position: StreamPosition) -> Bool {
    guard !isReadOnly else { return false }
    guard revocation != nil else { return true }
    guard let last = lastSegments[position.stream] else { return false }
    return position.number < last.number || position == last
  }
}

extension Membership {
  /// Whether the revocation of its machine has ended a stream before a position.
  package func hasEnded(before position: StreamPosition) -> Bool {
    devices.values.contains { device in
      device.lastSegments[position.stream].map { $0.number < position.number } ?? false
    }
  }
}

/// The machines of a vault and their roles. Only root makes an admin.
extension Membership {
  /// Applies the enrolment of a machine, or the name and the delivery key of the first one, which the genesis enrols
  /// without them.
  mutating func apply(_ statement: DeviceStatement, of entry: LogEntry) throws(TrustError) {
    func failure(_ code: TrustError.Code, _ detail: String) -> TrustError {
      TrustError(code, at: entry.sequence, detail)
    }
    let id = DeviceID(vault: vault, keys: statement.keys)
    let known = devices[id]
    let role: Device.Role
    switch statement.role {
    case .member: role = .member
    case .admin(let keys, _):
      guard entry.signer == .root else { throw failure(.notAuthorised, "only root enrols an admin") }
      role = .admin(AuthorID(vault: vault, keys: keys))
    case .invited(let invitation, _):
      guard invitations[invitation] == nil else { throw failure(.contradiction, "its invitation was used before") }
      role = .member
    case .readOnly(let expires): role = .readOnly(expires: expires)
    }
    // The genesis enrols the first machine without a delivery key, which root states once.
    guard known.map({ $0.isAdmin && $0.role == role && $0.deliveryKey == nil }) ?? true else {
      throw failure(.contradiction, "it enrols a machine a second time")
    }
    if case .admin(let admin) = role, let known = authors[admin], known.role != .admin(id) {
      throw failure(.contradiction, "its admin's keys are in use")
    }
    devices[id] = Device(
      id: id, keys: statement.keys, deliveryKey: statement.deliveryKey, role: role, name: statement.name,
      enrolled: entry.time, signer: known?.signer ?? entry.signer)
    switch statement.role {
    case .member: break
    case .admin(let keys, _):
      if known == nil { add(AuthorID(vault: vault, keys: keys), keys, on: id, delivery: nil, by: entry.signer) }
    case .invited(let invitation, _): invitations[invitation] = id
    case .readOnly(let expires): expiries[id] = expires
    }
  }

  /// Applies another name of a machine. Programs that do not know the statement accept every entry with it, so one with
  /// a name that the machine may not have is valid, and changes nothing.
  mutating func apply(_ statement: DeviceNameStatement) {
    guard let device = devices[statement.device], device.revocation == nil else { return }
    let isInUse = devices.values.contains { other in
      other.id != device.id && other.revocation == nil && other.name.utf8.elementsEqual(statement.name.utf8)
    }
    if !isInUse { devices[device.id]?.name = statement.name }
  }

  /// Applies the appointment of a member.
  mutating func apply(_ statement: AppointmentStatement, of entry: LogEntry) throws(TrustError) {
    func failure(_ code: TrustError.Code, _ detail: String) -> TrustError {
      TrustError(code, at: entry.sequence, detail)
    }
    guard entry.signer == .root else { throw failure(.notAuthorised, "only root makes a machine an admin") }
    guard let device = devices[statement.device], device.revocation == nil else {
      throw failure(.contradiction, "its machine is not enrolled, or was revoked")
    }
    guard device.role == .member else { throw failure(.contradiction, "its machine is not a member") }
    guard device.deliveryKey != nil else { throw failure(.contradiction, "its machine has no delivery key") }
    let id = AuthorID(vault: vault, keys: statement.adminKeys)
    guard authors[id] == nil else { throw failure(.contradiction, "its keys are in use") }
    devices[device.id]?.role = .admin(id)
    add(id, statement.adminKeys, on: device.id, delivery: statement.delivery, by: entry.signer)
  }

  /// Returns the apps that can have a credential on a machine: on an admin all that are registered, on a member those
  /// that admins have delivered to it, and on a read-only machine those of its credential.
  package func offeredApps(on machine: DeviceID?) -> Set<ApplicationID> {
    guard let machine, let device = devices[machine], device.admin == nil else { return Set(apps.keys) }
    guard !device.isReadOnly else { return Set(holders(on: machine).compactMap { authors[$0]?.application }) }
    return Set(apps.keys.filter { !delivered($0, to: machine).isEmpty })
  }

  /// Returns an app's authors that have rights and whose keys were delivered to a machine, in ascending order.
  package func delivered(_ application: ApplicationID, to machine: DeviceID) -> [Author] {
    holders(of: application).sorted().compactMap { authors[$0] }.filter { $0.device == machine && $0.delivery != nil }
  }

  private mutating func add(
    _ id: AuthorID, _ keys: PartyPublicKeys, on device: DeviceID, delivery: DeliveredKeys?, by signer: LogEntry.Signer
  ) {
    authors[id] = Author(id: id, keys: keys, role: .admin(device), delivery: delivery, signer: signer)
    admins.insert(id)
  }
}
