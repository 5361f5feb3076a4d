internal import CofferFormat

/// A key of a Keychain call's dictionary, known by its text.
enum RequestKey: Sendable {
  case itemClass
  /// An attribute that is stored as it comes.
  case attribute(AttributeCode)
  case accessible
  case accessControl
  case accessGroup
  case synchronizable
  /// An attribute of places that Coffer has not: a token, a view of Apple's synchronisation.
  case place
  case match(Match)
  case limit
  case returns(ReturnTypes)
  case use(Use)
  case data
  case reference
  case persistentReference
  /// Accepted, and means nothing here.
  case ignored

  /// What narrows a search beside attributes.
  enum Match: Sendable {
    case policy, itemList, issuers, emailAddress, trustedOnly, validOnDate, host
    case subject(SubjectCondition.Place)
    case option(SubjectCondition.Option)
  }

  /// How a call is carried out.
  enum Use: Sendable {
    case itemList, operationPrompt, noAuthenticationUI, authenticationUI, authenticationContext
  }

  /// The key of this name; nil where there is none.
  init?(_ name: String) {
    guard let key = Self.keys[name] else { return nil }
    self = key
  }

  private static let keys: [String: RequestKey] = {
    var keys: [String: RequestKey] = [
      text(kSecClass): .itemClass, text(kSecAttrAccessible): .accessible, text(kSecAttrAccessControl): .accessControl,
      text(kSecAttrAccessGroup): .accessGroup, text(kSecAttrSynchronizable): .synchronizable,
      text(kSecAttrTokenID): .place, text(kSecAttrSyncViewHint): .place, text(kSecUseDataProtectionKeychain): .ignored,
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

/// What a call hands out.
struct ReturnTypes: OptionSet, Sendable {
  let rawValue: UInt8

  static let data = ReturnTypes(rawValue: 1)
  static let attributes = ReturnTypes(rawValue: 2)
  static let reference = ReturnTypes(rawValue: 4)
  static let persistentReference = ReturnTypes(rawValue: 8)

  /// True where the item's value is needed.
  var needValues: Bool { !isDisjoint(with: [.data, .reference]) }

  var isSingle: Bool { rawValue.nonzeroBitCount == 1 }
}
