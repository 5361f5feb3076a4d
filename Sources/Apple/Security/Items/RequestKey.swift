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
    var keys: [String: RequestKey] = [
      text(kSecClass): .itemClass, text(kSecAttrAccessible): .accessible, text(kSecAttrAccessControl): .accessControl,
      text(kSecAttrAccessGroup): .accessGroup, text(kSecAttrSynchronizable): .synchronizable,
      text(kSecAttrTokenID): .unsupportedStorage, text(kSecAttrSyncViewHint): .unsupportedStorage,
      text(kSecUseDataProtectionKeychain): .ignored,
      text(kSecMatchLimit): .limit, text(kSecMatchPolicy): .match(.policy), text(kSecMatchItemList): .match(.itemList),
      text(kSecMatchSearchList): .ignored, text(kSecMatchIssuers): .match(.issuers),
      text(kSecMatchEmailAddressIfPresent): .match(.emailAddress), text(kSecMatchTrustedOnly): .match(.trustedOnly),
      text(kSecMatchValidOnDate): .match(.validOnDate), text(kSecMatchHostOrSubdomainOfHost): .match(.host),
      text(kSecMatchSubjectContains): .match(.subject(.anywhere)),
      text(kSecMatchSubjectStartsWith): .match(.subject(.start)),
      text(kSecMatchSubjectEndsWith): .match(.subject(.end)),
      text(kSecMatchSubjectWholeString): .match(.subject(.whole)),
      text(kSecMatchCaseInsensitive): .match(.option(.caseInsensitive)),
      text(kSecMatchDiacriticInsensitive): .match(.option(.diacriticInsensitive)),
      text(kSecMatchWidthInsensitive): .match(.option(.widthInsensitive)),
      text(kSecReturnData): .returns(.data), text(kSecReturnAttributes): .returns(.attributes),
      text(kSecReturnRef): .returns(.reference), text(kSecReturnPersistentRef): .returns(.persistentReference),
      text(kSecUseItemList): .use(.itemList), text(kSecUseKeychain): .ignored,
      text(kSecUseOperationPrompt): .use(.operationPrompt), text(kSecUseNoAuthenticationUI): .use(.noAuthenticationUI),
      text(kSecUseAuthenticationUI): .use(.authenticationUI),
      text(kSecUseAuthenticationContext): .use(.authenticationContext), text(kSecValueData): .data,
      text(kSecValueRef): .reference, text(kSecValuePersistentRef): .persistentReference,
    ]
    for itemClass in ItemClass.allCases {
      for code in itemClass.attributes where keys[code.name] == nil && code != .persistentReference {
        keys[code.name] = .attribute(code)
      }
    }
    return keys
  }()

  private static func text(_ name: CFString) -> String { String(name) }
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
  var name: CFString {
    switch self {
    case .items(.genericPassword): kSecClassGenericPassword
    case .items(.internetPassword): kSecClassInternetPassword
    case .items(.certificate): kSecClassCertificate
    case .items(.key): kSecClassKey
    case .identities: kSecClassIdentity
    }
  }

  func has(_ code: AttributeCode) -> Bool {
    switch self {
    case .items(let itemClass): itemClass.attributes.contains(code)
    case .identities: ItemClass.certificate.attributes.contains(code) || ItemClass.key.attributes.contains(code)
    }
  }
}
