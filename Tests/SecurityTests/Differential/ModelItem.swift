/// The value of an attribute in the form used for comparison.
enum ModelIdentity: Hashable {
  case nothing
  case bytes([UInt8])
  /// Equal to bytes unless a rule is altered.
  case text([UInt8])
  case number(Int64)
  case date(Double)
}

extension ModelRules {
  /// Returns the form in which an attribute stores a given value.
  func stored(_ value: ModelValue, for attribute: String) -> ModelValue {
    guard ModelSchema.kind(of: attribute) == .number else { return value }
    switch value {
    case .boolean(let truth): return .number(truth ? 1 : 0)
    case .text(let text): return readsNumericText ? text.number.map(ModelValue.number) ?? value : value
    default: return value
    }
  }

  func identity(of value: ModelValue?) -> ModelIdentity {
    switch value {
    case .text(let text):
      if text.utf8.isEmpty && takesEmptyForAbsent { return .nothing }
      if !tellsNumbersFromDigits, let number = text.number { return .number(number) }
      if !tellsComposedTextApart && text.string == "\u{e9}" { return .bytes(Array("e\u{301}".utf8)) }
      return comparesTextByBytes ? .bytes(text.utf8) : .text(text.utf8)
    case .bytes(let bytes): return bytes.isEmpty && takesEmptyForAbsent ? .nothing : .bytes(bytes)
    case .number(let number): return number == 0 && takesEmptyForAbsent ? .nothing : .number(number)
    case .date(let seconds): return seconds == 0 && takesEmptyForAbsent ? .nothing : .date(seconds)
    default: return .nothing
    }
  }
}

/// An item of the model.
struct ModelItem {
  /// The items are numbered in the order of addition; the number represents the persistent reference.
  var number: Int
  let itemClass: String
  /// The group's full name.
  var group: String
  var isSynchronizable: Bool
  var protection: ModelText
  /// The attributes of the class that were set, in the form in which they are stored.
  var attributes: ModelDictionary
  var value: [UInt8]

  struct PrimaryKey: Hashable {
    let itemClass: String
    let group: String
    let isSynchronizable: Bool
    let identities: [ModelIdentity]
  }

  func primaryKey(_ rules: ModelRules) -> PrimaryKey {
    var names = ModelSchema.primaryKeys[itemClass] ?? []
    if !rules.ignoresLabelInPrimaryKey { names.append("labl") }
    return PrimaryKey(
      itemClass: itemClass, group: rules.keepsGroupsApart ? group : "",
      isSynchronizable: rules.keepsTwins && isSynchronizable,
      identities: names.map { rules.identity(of: attributes[$0]) })
  }

  /// Returns the attributes that `kSecReturnAttributes` returns. The dates are null: they are checked by separate
  /// rules.
  func returnedAttributes(_ rules: ModelRules) -> ModelDictionary {
    var returned = attributes
    if rules.returnsAbsentPrimaryKey {
      for name in ModelSchema.primaryKeys[itemClass] ?? [] where returned[name] == nil {
        returned[name] = ModelSchema.absent(ModelSchema.kind(of: name))
      }
    }
    returned["class"] = .text(ModelText(itemClass))
    returned["agrp"] = .text(ModelText(group))
    returned["sync"] = .number(isSynchronizable ? 1 : 0)
    returned["pdmn"] = .text(protection)
    returned["accc"] = .accessControl(protection)
    returned["cdat"] = .null
    returned["mdat"] = .null
    return returned
  }

  /// Returns what a call returns for this item; nil if it asks for nothing.
  func returned(_ keys: Set<String>, _ rules: ModelRules) -> ModelReturned? {
    let value = keys.contains("r_Data") ? ModelValue.bytes(self.value) : nil
    let reference = keys.contains("r_PersistentRef") ? ModelValue.reference(number) : nil
    if keys.contains("r_Attributes") || (value != nil && reference != nil) {
      var dictionary = keys.contains("r_Attributes") ? returnedAttributes(rules) : [:]
      dictionary["v_Data"] = value
      dictionary["v_PersistentRef"] = reference
      return .dictionary(dictionary)
    }
    return (value ?? reference).map(ModelReturned.value)
  }
}
