internal import CofferFormat
public import CofferPlatform

/// A cryptographic key: Keychain's class `kSecClassKey`. Its value is the key's external representation.
///
/// The primary key within an access group is ``kind``, ``applicationLabel``, ``applicationTag``, ``creator``,
/// ``algorithm``, both sizes, both dates, and ``KeychainItem/isSynchronizable``.
public struct KeychainKey: KeychainItem {
  /// The class of a key (`kSecAttrKeyClass`).
  public enum Kind: Int, Sendable {
    /// The public key of a pair.
    case `public` = 0
    /// The private key of a pair.
    case `private` = 1
    /// A symmetric key.
    case symmetric = 2
  }

  /// The algorithm of a key (`kSecAttrKeyType`).
  public struct Algorithm: RawRepresentable, Hashable, Sendable {
    /// Apple's number.
    public let rawValue: Int
    /// Creates an algorithm from Apple's number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// `kSecAttrKeyTypeRSA`.
    public static let rsa = Algorithm(rawValue: 42)
    /// `kSecAttrKeyTypeECSECPrimeRandom`.
    public static let ellipticCurve = Algorithm(rawValue: 73)
    /// `kSecAttrKeyTypeAES`.
    public static let aes = Algorithm(rawValue: 2_147_483_649)
  }

  /// The class as Keychain's four characters.
  public static let _classCode = "keys"
  /// The storage of the properties.
  public var _fields: _ItemFields

  /// Creates an item from stored attributes.
  public init(_fields: _ItemFields) { self._fields = _fields }

  /// Creates the attributes of a key.
  ///
  /// - Parameters:
  ///   - kind: The class of the key.
  ///   - algorithm: The algorithm.
  ///   - sizeInBits: The size in bits, also used as the effective size.
  ///   - applicationLabel: A computed identifier: for both keys of a pair, the SHA-1 of the public key. Empty by
  ///     default.
  ///   - applicationTag: An identifier that the app chooses. Empty by default.
  public init(
    _ kind: Kind, algorithm: Algorithm, sizeInBits: Int, applicationLabel: Data = Data(), applicationTag: Data = Data()
  ) {
    _fields = _ItemFields()
    _fields[ItemAttribute<Self, Kind>.kind] = kind
    _fields[ItemAttribute<Self, Algorithm>.algorithm] = algorithm
    self.sizeInBits = sizeInBits
    effectiveSizeInBits = sizeInBits
    self.applicationLabel = applicationLabel
    self.applicationTag = applicationTag
  }

  /// The class of the key.
  public var kind: Kind {
    get { _fields[ItemAttribute<Self, Kind>.kind] ?? .public }
    set { _fields[ItemAttribute<Self, Kind>.kind] = newValue }
  }

  /// The algorithm; nil if the key was stored without one.
  public var algorithm: Algorithm? {
    get { _fields[ItemAttribute<Self, Algorithm>.algorithm] }
    set { _fields[ItemAttribute<Self, Algorithm>.algorithm] = newValue }
  }

  /// The size in bits.
  public var sizeInBits: Int {
    get { _fields[ItemAttribute<Self, Int>.sizeInBits] ?? 0 }
    set { _fields[ItemAttribute<Self, Int>.sizeInBits] = newValue }
  }

  /// The effective size in bits, for ciphers that ignore some.
  public var effectiveSizeInBits: Int {
    get { _fields[ItemAttribute<Self, Int>.effectiveSizeInBits] ?? 0 }
    set { _fields[ItemAttribute<Self, Int>.effectiveSizeInBits] = newValue }
  }

  /// A computed identifier: for both keys of a pair, the SHA-1 of the public key.
  public var applicationLabel: Data {
    get { _fields[ItemAttribute<Self, Data>.applicationLabel] ?? Data() }
    set { _fields[ItemAttribute<Self, Data>.applicationLabel] = newValue }
  }

  /// An identifier that the app chooses.
  public var applicationTag: Data {
    get { _fields[ItemAttribute<Self, Data>.applicationTag] ?? Data() }
    set { _fields[ItemAttribute<Self, Data>.applicationTag] = newValue }
  }

  /// The creator, a four-character code as a number.
  public var creator: Int? {
    get { _fields[ItemAttribute<Self, Int>.creator] }
    set { _fields[ItemAttribute<Self, Int>.creator] = newValue }
  }

  /// The date from which the key may be used.
  public var startDate: Date? {
    get { _fields[ItemAttribute<Self, Date>.startDate] }
    set { _fields[ItemAttribute<Self, Date>.startDate] = newValue }
  }

  /// The date until which the key may be used.
  public var endDate: Date? {
    get { _fields[ItemAttribute<Self, Date>.endDate] }
    set { _fields[ItemAttribute<Self, Date>.endDate] = newValue }
  }

  /// The operations that the key may be used for; nil if none is stored.
  public var usage: Usage? {
    get {
      let flags = Usage.codes.compactMap { code, flag in _fields.attributes[code].map { ($0.isDefault, flag) } }
      return flags.isEmpty ? nil : Usage(flags.filter { !$0.0 }.map(\.1))
    }
    set {
      for (code, flag) in Usage.codes {
        _fields.attributes[code] = newValue.map { .number($0.contains(flag) ? 1 : 0) }
      }
    }
  }

  /// The operations that a key may be used for (`kSecAttrCanEncrypt`, `kSecAttrCanSign` and others).
  public struct Usage: OptionSet, Hashable, Sendable {
    /// The operations as bits. The numbers are Coffer's own.
    public let rawValue: Int
    /// Creates a set from bits.
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

extension ItemAttribute where Item == KeychainKey, Value: RawRepresentable, Value.RawValue == Int {
  fileprivate init(number code: AttributeCode) {
    self.init(
      code, encode: { .number(Int64($0.rawValue)) },
      decode: { $0.number.flatMap { Int(exactly: $0) }.flatMap(Value.init(rawValue:)) })
  }
}

extension ItemAttribute where Item == KeychainKey, Value == KeychainKey.Kind {
  /// The class of the key; `kSecAttrKeyClass`.
  public static var kind: Self { Self(number: .keyClass) }
}

extension ItemAttribute where Item == KeychainKey, Value == KeychainKey.Algorithm {
  /// The algorithm; `kSecAttrKeyType`.
  public static var algorithm: Self { Self(number: .type) }
}

extension ItemAttribute where Item == KeychainKey, Value == Int {
  /// The size in bits; `kSecAttrKeySizeInBits`.
  public static var sizeInBits: Self { Self(number: .keySizeInBits) }
  /// The effective size in bits; `kSecAttrEffectiveKeySize`.
  public static var effectiveSizeInBits: Self { Self(number: .effectiveKeySize) }
  /// The creator, a four-character code as a number; `kSecAttrCreator`.
  public static var creator: Self { Self(number: .creator) }
}

extension ItemAttribute where Item == KeychainKey, Value == Data {
  /// A computed identifier; `kSecAttrApplicationLabel`.
  public static var applicationLabel: Self { Self(data: .applicationLabel) }
  /// An identifier that the app chooses; `kSecAttrApplicationTag`.
  public static var applicationTag: Self { Self(data: .applicationTag) }
}

extension ItemAttribute where Item == KeychainKey, Value == Date {
  /// The date from which the key may be used.
  public static var startDate: Self { Self(date: .startDate) }
  /// The date until which the key may be used.
  public static var endDate: Self { Self(date: .endDate) }
}
