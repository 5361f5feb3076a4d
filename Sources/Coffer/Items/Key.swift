internal import CofferFormat
public import Foundation

/// A cryptographic key: Keychain's class `kSecClassKey`. Its value is the key's external representation.
///
/// Class, application label, application tag, creator, type, both sizes and both dates are its primary key within an access
/// group, with ``KeychainItem/isSynchronizable``.
public struct Key: KeychainItem {
  /// Which half of a pair, or neither (`kSecAttrKeyClass`).
  public enum Kind: Int, Sendable {
    case `public` = 0
    case `private` = 1
    case symmetric = 2
  }

  /// The algorithm (`kSecAttrKeyType`, by Apple's numbers).
  public struct Algorithm: RawRepresentable, Hashable, Sendable {
    /// Apple's number, or the flags as bits.
    public let rawValue: Int
    /// Takes Apple's number, or flags as bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// `kSecAttrKeyTypeRSA`.
    public static let rsa = Algorithm(rawValue: 42)
    /// `kSecAttrKeyTypeECSECPrimeRandom`.
    public static let ellipticCurve = Algorithm(rawValue: 73)
    /// `kSecAttrKeyTypeAES`.
    public static let aes = Algorithm(rawValue: 2_147_483_649)
  }

  /// The class by Keychain's four characters.
  public static let classCode = "keys"
  /// What the properties are kept in.
  public var fields: ItemFields

  /// An item with the attributes that were stored.
  public init(fields: ItemFields) { self.fields = fields }

  /// Names a key.
  ///
  /// - Parameters:
  ///   - label: What tells keys apart by computation: for the halves of a pair, the hash of the public key.
  ///   - tag: Bytes by which the app finds the key again.
  public init(
    _ kind: Kind, algorithm: Algorithm, sizeInBits: Int, applicationLabel: Data = Data(), applicationTag: Data = Data()
  ) {
    fields = ItemFields()
    fields[ItemAttribute<Self, Kind>.kind] = kind
    fields[ItemAttribute<Self, Algorithm>.algorithm] = algorithm
    self.sizeInBits = sizeInBits
    effectiveSizeInBits = sizeInBits
    self.applicationLabel = applicationLabel
    self.applicationTag = applicationTag
  }

  /// Which half of a pair, or neither.
  public var kind: Kind {
    get { fields[ItemAttribute<Self, Kind>.kind] ?? .public }
    set { fields[ItemAttribute<Self, Kind>.kind] = newValue }
  }

  /// The algorithm; nil for a key that was stored without one.
  public var algorithm: Algorithm? {
    get { fields[ItemAttribute<Self, Algorithm>.algorithm] }
    set { fields[ItemAttribute<Self, Algorithm>.algorithm] = newValue }
  }

  /// The size in bits.
  public var sizeInBits: Int {
    get { fields[ItemAttribute<Self, Int>.sizeInBits] ?? 0 }
    set { fields[ItemAttribute<Self, Int>.sizeInBits] = newValue }
  }

  /// The bits that count, for ciphers that ignore some.
  public var effectiveSizeInBits: Int {
    get { fields[ItemAttribute<Self, Int>.effectiveSizeInBits] ?? 0 }
    set { fields[ItemAttribute<Self, Int>.effectiveSizeInBits] = newValue }
  }

  /// What tells keys apart by computation: for the halves of a pair, the hash of the public key.
  public var applicationLabel: Data {
    get { fields[ItemAttribute<Self, Data>.applicationLabel] ?? Data() }
    set { fields[ItemAttribute<Self, Data>.applicationLabel] = newValue }
  }

  /// Bytes by which the app finds the key again.
  public var applicationTag: Data {
    get { fields[ItemAttribute<Self, Data>.applicationTag] ?? Data() }
    set { fields[ItemAttribute<Self, Data>.applicationTag] = newValue }
  }

  /// The creator's four characters as a number.
  public var creator: Int? {
    get { fields[ItemAttribute<Self, Int>.creator] }
    set { fields[ItemAttribute<Self, Int>.creator] = newValue }
  }

  /// From when on the key is to be used.
  public var startDate: Date? {
    get { fields[ItemAttribute<Self, Date>.startDate] }
    set { fields[ItemAttribute<Self, Date>.startDate] = newValue }
  }

  /// Until when the key is to be used.
  public var endDate: Date? {
    get { fields[ItemAttribute<Self, Date>.endDate] }
    set { fields[ItemAttribute<Self, Date>.endDate] = newValue }
  }

  /// What the key is for; nil where nothing was said.
  public var usage: Usage? {
    get {
      let flags = Usage.codes.compactMap { code, flag in fields.attributes[code].map { ($0.isDefault, flag) } }
      return flags.isEmpty ? nil : Usage(flags.filter { !$0.0 }.map(\.1))
    }
    set {
      for (code, flag) in Usage.codes {
        fields.attributes[code] = newValue.map { .number($0.contains(flag) ? 1 : 0) }
      }
    }
  }

  /// What a key is for (`kSecAttrCanEncrypt` and its siblings).
  public struct Usage: OptionSet, Hashable, Sendable {
    /// Apple's number, or the flags as bits.
    public let rawValue: Int
    /// Takes Apple's number, or flags as bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Encrypts; `kSecAttrCanEncrypt`.
    public static let encrypt = Usage(rawValue: 1)
    /// Decrypts; `kSecAttrCanDecrypt`.
    public static let decrypt = Usage(rawValue: 2)
    /// Derives other keys; `kSecAttrCanDerive`.
    public static let derive = Usage(rawValue: 4)
    /// Signs; `kSecAttrCanSign`.
    public static let sign = Usage(rawValue: 8)
    /// Verifies signatures; `kSecAttrCanVerify`.
    public static let verify = Usage(rawValue: 16)
    /// Wraps other keys; `kSecAttrCanWrap`.
    public static let wrap = Usage(rawValue: 32)
    /// Unwraps other keys; `kSecAttrCanUnwrap`.
    public static let unwrap = Usage(rawValue: 64)

    fileprivate static let codes: [(AttributeCode, Usage)] = [
      (.canEncrypt, .encrypt), (.canDecrypt, .decrypt), (.canDerive, .derive), (.canSign, .sign),
      (.canVerify, .verify), (.canWrap, .wrap), (.canUnwrap, .unwrap),
    ]
  }
}

extension ItemAttribute where Item == Key, Value: RawRepresentable, Value.RawValue == Int {
  fileprivate init(number code: AttributeCode) {
    self.init(
      code, encode: { .number(Int64($0.rawValue)) },
      decode: { $0.number.flatMap { Int(exactly: $0) }.flatMap(Value.init(rawValue:)) })
  }
}

extension ItemAttribute where Item == Key, Value == Key.Kind {
  /// Which half of a pair, or neither; `kSecAttrKeyClass`.
  public static var kind: Self { Self(number: .keyClass) }
}

extension ItemAttribute where Item == Key, Value == Key.Algorithm {
  /// The algorithm; `kSecAttrKeyType`.
  public static var algorithm: Self { Self(number: .type) }
}

extension ItemAttribute where Item == Key, Value == Int {
  /// The size in bits; `kSecAttrKeySizeInBits`.
  public static var sizeInBits: Self { Self(number: .keySizeInBits) }
  /// The bits that count; `kSecAttrEffectiveKeySize`.
  public static var effectiveSizeInBits: Self { Self(number: .effectiveKeySize) }
  /// The creator's four characters as a number; `kSecAttrCreator`.
  public static var creator: Self { Self(number: .creator) }
}

extension ItemAttribute where Item == Key, Value == Data {
  /// What tells keys apart by computation; `kSecAttrApplicationLabel`.
  public static var applicationLabel: Self { Self(data: .applicationLabel) }
  /// Bytes by which the app finds the key again; `kSecAttrApplicationTag`.
  public static var applicationTag: Self { Self(data: .applicationTag) }
}

extension ItemAttribute where Item == Key, Value == Date {
  /// From when on the key is to be used.
  public static var startDate: Self { Self(date: .startDate) }
  /// Until when the key is to be used.
  public static var endDate: Self { Self(date: .endDate) }
}
