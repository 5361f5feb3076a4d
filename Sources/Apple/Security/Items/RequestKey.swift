internal import CofferFormat

/// A key of a Keychain call's dictionary.
enum RequestKey: Sendable {
  case itemClass
  /// An attribute whose value is stored unmodified.
  case attribute(AttributeCode)
  case accessible
  case accessControl
  case accessGroup
  case synchronizable
  /// An attribute for storage that is not supported: a token or a view of iCloud Keychain.
  case unsupportedStorage
  case match(Match)
  case limit
  case returns(ReturnTypes)
  case use(Use)
  case data
  case reference
  case persistentReference
  /// A key that is accepted without effect.
  case ignored

  /// The search conditions other than attributes.
  enum Match: Sendable {
    case policy, itemList, issuers, emailAddress, trustedOnly, validOnDate, host
    case subject(SubjectCondition.Place)
    /// A difference that the comparison of subjects ignores.
    case option(String.CompareOptions)
  }

  /// The options of a call.
  enum Use: Sendable {
    case itemList, operationPrompt, noAuthenticationUI, authenticationUI, authenticationContext
  }

  /// Creates the key with a name; nil if the name is unknown.
  init?(_ name: String) {
    guard let key = Self.keys[name] else { return nil }
    self = key
  }

  private static let keys: [String: RequestKey] = {
    let special: [NSString: RequestKey] = [
      kSecClass: .itemClass, kSecAttrAccessible: .accessible, kSecAttrAccessControl: .accessControl,
      kSecAttrAccessGroup: .accessGroup, kSecAttrSynchronizable: .synchronizable, kSecAttrTokenID: .unsupportedStorage,
      kSecAttrSyncViewHint: .unsupportedStorage, kSecUseDataProtectionKeychain: .ignored, kSecMatchLimit: .limit,
      kSecMatchPolicy: .match(.policy), kSecMatchItemList: .match(.itemList), kSecMatchSearchList: .ignored,
      kSecMatchIssuers: .match(.issuers), kSecMatchEmailAddressIfPresent: .match(.emailAddress),
      kSecMatchTrustedOnly: .match(.trustedOnly), kSecMatchValidOnDate: .match(.validOnDate),
      kSecMatchHostOrSubdomainOfHost: .match(.host), kSecMatchSubjectContains: .match(.subject(.anywhere)),
      kSecMatchSubjectStartsWith: .match(.subject(.start)), kSecMatchSubjectEndsWith: .match(.subject(.end)),
      kSecMatchSubjectWholeString: .match(.subject(.whole)),
      kSecMatchCaseInsensitive: .match(.option(.caseInsensitive)),
      kSecMatchDiacriticInsensitive: .match(.option(.diacriticInsensitive)),
      kSecMatchWidthInsensitive: .match(.option(.widthInsensitive)), kSecReturnData: .returns(.data),
      kSecReturnAttributes: .returns(.attributes), kSecReturnRef: .returns(.reference),
      kSecReturnPersistentRef: .returns(.persistentReference), kSecUseItemList: .use(.itemList),
      kSecUseKeychain: .ignored, kSecUseOperationPrompt: .use(.operationPrompt),
      kSecUseNoAuthenticationUI: .use(.noAuthenticationUI), kSecUseAuthenticationUI: .use(.authenticationUI),
      kSecUseAuthenticationContext: .use(.authenticationContext), kSecValueData: .data, kSecValueRef: .reference,
      kSecValuePersistentRef: .persistentReference,
    ]
    var keys = Dictionary(uniqueKeysWithValues: special.map { (String($0.key), $0.value) })
    for itemClass in ItemClass.allCases {
      for code in itemClass.attributes where keys[code.name] == nil && code != .persistentReference {
        keys[code.name] = .attribute(code)
      }
    }
    return keys
  }()
}

/// An item class of Keychain calls: one of the vault's classes, or identities, which are joins of keys and
/// certificates.
enum RequestedClass: Hashable, Sendable {
  case items(ItemClass)
  case identities

  private static let identityCode = fourCharacterCode("idnt")

  /// Creates the class with a four-character code; nil if the code is unknown.
  init?(code: UInt32) {
    if code == Self.identityCode {
      self = .identities
    } else {
      guard let itemClass = ItemClass(rawValue: code) else { return nil }
      self = .items(itemClass)
    }
  }

  /// Creates the class with a name, a value of `kSecClass`; nil if the name is unknown.
  init?(_ name: String) {
    guard name.utf8.count == 4 else { return nil }
    self.init(code: fourCharacterCode(name))
  }

  /// The four-character code.
  var code: UInt32 {
    switch self {
    case .items(let itemClass): itemClass.rawValue
    case .identities: Self.identityCode
    }
  }

  /// The value of `kSecClass`.
  var name: CFString { NSString(string: String(decoding: fourCharacters(of: code), as: UTF8.self)) }

  func has(_ code: AttributeCode) -> Bool {
    switch self {
    case .items(let itemClass): itemClass.attributes.contains(code)
    case .identities: ItemClass.certificate.attributes.contains(code) || ItemClass.key.attributes.contains(code)
    }
  }
}
