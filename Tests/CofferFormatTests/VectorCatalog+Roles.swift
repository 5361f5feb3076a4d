import CofferCrypto
import CofferFormatSamples
import CofferKeys

@testable import CofferFormat

extension VectorCatalog {
  /// Machines with their roles, what admins deliver to them, and the file with the key that opens it.
  mutating func addRoles() throws {
    let entry = try fixture.entries()[1]
    let inputs = inputs(of: fixture.admin).merging(["delivery key": hex(fixture.delivery.secret)]) { $1 }
    func body(_ kind: UInt16) throws -> [UInt8] {
      let found = try fixture.statements().last { $0.kind == kind }
      guard let found else { throw MalformedVector(what: "statement \(kind)") }
      return found.body
    }
    let member = DeviceStatement(
      keys: fixture.device.publicKeys, role: .member(delivery: fixture.delivery.publicKey), name: "laptop")
    let (machine, appointment, principal) = (Statement.device(member).body, try body(12), try body(4))
    // Keys 64, then the role.
    let roleIsFour = altered(machine, at: 64, to: 4)
    let unnamed = DeviceStatement(
      keys: fixture.device.publicKeys, role: .member(delivery: fixture.delivery.publicKey), name: "")
    let refused: [(String, UInt16, [UInt8], String)] = [
      ("device-role-is-four", 9, roleIsFour, "invalidValue"),
      ("device-without-a-name", 9, Statement.device(unnamed).body, "invalidValue"),
      ("member-truncated", 9, machine.dropLast(), "truncated"),
      ("member-trailing-byte", 9, machine + [0], "trailingBytes"),
      ("appointment-truncated", 12, appointment.dropLast(), "truncated"),
      ("appointment-trailing-byte", 12, appointment + [0], "trailingBytes"),
      // Device 16, then the public keys.
      ("appointment-of-other-keys", 12, altered(appointment, at: 16, to: ~appointment[16]), "authenticationFailed"),
      (
        "appointment-that-does-not-open", 12, altered(appointment, at: 100, to: ~appointment[100]),
        "authenticationFailed"
      ),
      ("principal-by-delivery-truncated", 4, principal.dropLast(), "truncated"),
      ("principal-by-delivery-trailing-byte", 4, principal + [0], "trailingBytes"),
      // App 32, device 16, public keys 64, then whether the keys are delivered.
      ("principal-by-delivery-as-without", 4, altered(principal, at: 112, to: 0), "trailingBytes"),
      ("principal-delivery-is-two", 4, altered(principal, at: 112, to: 2), "invalidValue"),
      ("principal-of-other-keys", 4, altered(principal, at: 48, to: ~principal[48]), "authenticationFailed"),
    ]
    for (name, kind, body, code) in refused {
      try add(
        "log-\(name)", "log entry", signed(entry: entry, kind: kind, isCritical: true, body: body), inputs, expect: code
      )
    }
    try addDeliveryFiles()
  }

  private mutating func addDeliveryFiles() throws {
    let genesis = fixture.genesis.hash
    let open = try DeliveryFile(genesis: genesis, key: fixture.delivery, passphrase: nil).secretBytes()
    try add("delivery-file", "delivery file", open)
    try add("delivery-file-truncated", "delivery file", open.dropLast(), expect: "truncated")
    try add("delivery-file-trailing-byte", "delivery file", open + [0], expect: "trailingBytes")
    try add("delivery-file-newer-version", "delivery file", altered(open, at: 4, to: 2), expect: "unsupportedVersion")
    try add("delivery-file-protection-2", "delivery file", altered(open, at: 37, to: 2), expect: "invalidValue")
    let passphrase = SecretText(copying: "korrektes Pferd".utf8)
    let sealed = try DeliveryFile(
      genesis: genesis, key: fixture.delivery, passphrase: passphrase, cost: .floor
    ).secretBytes()
    let inputs = ["passphrase": "korrektes Pferd"]
    try add("delivery-file-passphrase", "delivery file", sealed, inputs)
    try add(
      "delivery-file-wrong-passphrase", "delivery file", sealed, ["passphrase": "x"], expect: "authenticationFailed")
    // The slot of another file of the same vault, under the same passphrase.
    let admin = try AdminFile(genesis: genesis, key: fixture.admin, passphrase: passphrase, cost: .floor).secretBytes()
    try add(
      "delivery-file-with-the-slot-of-an-admin-file", "delivery file", Array(sealed[..<38] + admin[38...]), inputs,
      expect: "authenticationFailed")
  }
}
