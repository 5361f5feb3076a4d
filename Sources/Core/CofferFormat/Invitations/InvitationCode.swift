package import CofferCrypto

/// The secret that lets one new machine ask to be enrolled, once: 128 random bits, which two people or two screens
/// share, and a pin of the vault: the beginning of the hash of its genesis.
///
/// The new machine refuses every other vault. Otherwise, whoever has stolen the code could enrol it in a vault of their
/// own, if the host shows it that one. The text begins with `INVITE1`, see ``TypedSecret``, so that it cannot be
/// mistaken for a vault key.
package struct InvitationCode: Sendable {
  /// The random bytes and the pin.
  private let secret: SecretBytes

  private static let randomByteCount = 16
  private static let pinByteCount = 10
  /// The beginning of the text, which is no secret.
  package static let prefix = "INVITE1"
  private static let form = TypedSecret(
    prefix: prefix, secretByteCount: randomByteCount + pinByteCount, checkByteCount: 4,
    checkDomain: .invitationCheck)

  /// The reason why a text is not an invitation's code.
  package typealias ParseError = TypedSecret.ParseError

  /// Generates a random code for the vault of a genesis.
  package static func random(for genesis: EntryHash) -> InvitationCode {
    InvitationCode(
      secret: SecretBytes(
        joining: .random(count: randomByteCount), SecretBytes(copying: genesis.raw.bytes.prefix(pinByteCount))))
  }

  private init(secret: SecretBytes) { self.secret = secret }

  /// Reads a code as typed by a person, see ``TypedSecret/read(_:)``.
  package init(parsing text: SecretText) throws(ParseError) { self.init(secret: try Self.form.read(text)) }

  /// Whether a text begins as codes do, right or mistyped.
  package static func isMeant(by text: SecretText) -> Bool { form.isPrefix(of: text) }

  package var text: SecretText { Self.form.text(of: secret) }

  /// The beginning of the hash of the vault's genesis, 10 bytes.
  package var pin: [UInt8] { unsafe secret.withBytes { unsafe Array($0[Self.randomByteCount...]) } }

  /// Whether the code is for the vault whose genesis has this hash.
  package func isFor(_ genesis: EntryHash) -> Bool { genesis.raw.bytes.starts(with: pin) }

  /// The key from which everything of the invitation is derived. The code has full entropy, so one hash suffices. With
  /// another pin, it is another invitation.
  package var key: InvitationKey { InvitationKey(Hash.key(from: secret, domain: .invitation)) }
}

/// The key of an invitation, which both sides derive from the code.
package struct InvitationKey: Sendable {
  /// What the inviter keeps instead of the code.
  package let key: SymmetricKey

  package init(_ key: SymmetricKey) { self.key = key }

  /// The name of the invitation in the repository and in the log.
  package var id: InvitationID { InvitationID(key.keyedHash16([], domain: .invitationID)) }

  /// Returns the name of a request in the repository. It reveals nothing of the request, and no other request has it.
  /// It is 8 bytes of a keyed hash of the request, and 8 bytes of a keyed hash of these.
  package func label(of request: Bytes32) -> Bytes16 { label(beginningWith: tag(of: request.bytes)) }

  /// Whether a label was made with this key. An attacker with push access can create branches of any other name: only
  /// those with such a label need to be fetched.
  package func hasMade(_ label: Bytes16) -> Bool {
    self.label(beginningWith: Array(label.bytes.prefix(Self.tagByteCount))) == label
  }

  private static let tagByteCount = Bytes16.count / 2

  private func label(beginningWith first: [UInt8]) -> Bytes16 { Bytes16(in: first + tag(of: first), at: 0) }

  private func tag(of bytes: [UInt8]) -> [UInt8] {
    Array(key.keyedHash16(bytes, domain: .invitationLabel).bytes.prefix(Self.tagByteCount))
  }

  /// Seals the request. The answer has a key of its own, so that neither can be shown in place of the other.
  var request: SymmetricKey { key.derived(context: "CfInvReq") }

  /// Seals the answer.
  var answer: SymmetricKey { key.derived(context: "CfInvAns") }
}
