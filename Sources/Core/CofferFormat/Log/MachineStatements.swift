package import CofferCrypto

/// The enrolment of a machine.
package struct DeviceStatement: Hashable, Coded {
  /// What the machine becomes. Admins seal what they deliver to it to its delivery key.
  package enum Role: Hashable, Sendable {
    case member(delivery: BoxKey)
    /// An admin, whose changes of membership these keys sign.
    case admin(PartyPublicKeys, delivery: BoxKey)
    /// A member that has asked with an invitation, of which no other entry may make use.
    case invited(InvitationID, delivery: BoxKey)
    /// The holder of a headless credential: nothing that it signs counts, and no new key is sealed to it after this
    /// time.
    case readOnly(expires: Timestamp)
  }

  /// The machine's keys for sync.
  package let keys: PartyPublicKeys
  package let role: Role
  /// The owner's name for the machine: see ``isValid(name:)``.
  package let name: String

  package init(keys: PartyPublicKeys, role: Role, name: String) {
    self.keys = keys
    self.role = role
    self.name = name
  }

  /// The key to which admins seal what they deliver to the machine; nil for one that only reads.
  package var deliveryKey: BoxKey? {
    switch role {
    case .member(let key), .admin(_, let key), .invited(_, let key): key
    case .readOnly: nil
    }
  }

  package func write(to writer: inout ByteWriter) {
    writer.publicKeys(keys)
    switch role {
    case .member: writer.u8(0)
    case .admin(let keys, _):
      writer.u8(1)
      writer.publicKeys(keys)
    case .invited(let invitation, _):
      writer.u8(2)
      writer.fixed(invitation.raw)
    case .readOnly(let expires):
      writer.u8(3)
      writer.i64(expires.microseconds)
    }
    if let deliveryKey { writer.fixed(deliveryKey.raw) }
    writer.string(name)
  }

  package init(from reader: inout ByteReader) throws(FormatError) {
    func deliveryKey() throws(FormatError) -> BoxKey { BoxKey(try reader.bytes32("delivery key")) }
    keys = try reader.publicKeys("keys")
    switch try reader.u8("role") {
    case 0: role = .member(delivery: try deliveryKey())
    case 1: role = .admin(try reader.publicKeys("admin keys"), delivery: try deliveryKey())
    case 2: role = .invited(InvitationID(try reader.bytes16("invitation")), delivery: try deliveryKey())
    case 3: role = .readOnly(expires: Timestamp(microseconds: try reader.i64("expires")))
    default: throw reader.failure(.invalidValue, "role")
    }
    name = try reader.string("name", cap: Limits.deviceNameByteCount)
    guard Self.isValid(name: name) else { throw reader.failure(.invalidValue, "name") }
  }

  /// Returns true for a name of 1…128 bytes on a single line, without control characters.
  package static func isValid(name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= Limits.deviceNameByteCount
      && !name.unicodeScalars.contains {
        [.control, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
          || $0.properties.isBidiControl
      }
  }
}

/// Gives an enrolled machine another name. It grants and removes nothing.
package struct DeviceNameStatement: Hashable, Fielded {
  package let device: DeviceID
  /// The new name: see ``DeviceStatement/isValid(name:)``.
  package let name: String

  package init(device: DeviceID, name: String) {
    self.device = device
    self.name = name
  }

  package init(_ known: DeviceNameStatement?, _ coder: inout FieldCoder) throws(FormatError) {
    device = try coder.id(known?.device, "device")
    name = try coder.string(known?.name, "name", cap: Limits.deviceNameByteCount)
    try coder.require(DeviceStatement.isValid(name: name), "name")
  }
}

/// Makes a member an admin.
package struct AppointmentStatement: Hashable, Fielded {
  /// The machine.
  package let device: DeviceID
  /// The keys that sign its changes of membership.
  package let adminKeys: PartyPublicKeys
  /// The secret halves.
  package let delivery: DeliveredKeys

  package init(device: DeviceID, adminKeys: PartyPublicKeys, delivery: DeliveredKeys) {
    self.device = device
    self.adminKeys = adminKeys
    self.delivery = delivery
  }

  package init(_ known: AppointmentStatement?, _ coder: inout FieldCoder) throws(FormatError) {
    device = try coder.id(known?.device, "device")
    adminKeys = try coder.publicKeys(known?.adminKeys, "admin keys")
    delivery = try DeliveredKeys(known?.delivery, &coder)
  }
}

/// The secret keys of an admin or a principal, sealed to the delivery key of the machine that is to have them.
package struct DeliveredKeys: Hashable, Fielded {
  /// A libsodium sealed box of 64 secret bytes, 112 bytes long.
  package let box: [UInt8]

  /// Seals keys for a machine, to its delivery key. Throws ``CryptoError/invalidPublicKey`` if that cannot be used.
  package init(sealing keys: PartyKeys, to recipient: BoxKey) throws(CryptoError) {
    box = try recipient.seal(keys.secret)
  }

  package init(_ known: DeliveredKeys?, _ coder: inout FieldCoder) throws(FormatError) {
    box = try coder.fixed(known?.box, count: AddressedBox.boxByteCount, "sealed secret keys")
  }

  /// Opens the keys with the machine's delivery key. Throws ``CryptoError/authenticationFailed`` if the box was sealed
  /// to another key, or contains other keys than `expected`, which the statement names.
  package func open(with key: AgreementKey, expecting expected: PartyPublicKeys) throws(CryptoError) -> PartyKeys {
    let keys = try PartyKeys(secret: key.open(box))
    guard keys.publicKeys == expected else { throw .authenticationFailed }
    return keys
  }
}
