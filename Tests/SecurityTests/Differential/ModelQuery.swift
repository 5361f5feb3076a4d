internal import Security

/// A dictionary of a call as the rules read it.
struct ModelQuery {
  /// The role of the dictionary, which decides which of its keys count.
  enum Place { case add, search, change, newValues }

  enum Synchronizable: Hashable { case unsaid, any, only(Bool) }

  var itemClass: String?
  /// Attributes of the class, in the form in which they are stored.
  var attributes: ModelDictionary = [:]
  /// Attributes that `NSNull` removes.
  var cleared: Set<String> = []
  /// The groups; nil means all groups.
  var group: String?
  var synchronizable = Synchronizable.unsaid
  var protection: ModelText?
  var accessControl: ModelText?
  /// Whether the query asks for a date on which no item was created or changed.
  var namesOtherDate = false
  var value: [UInt8]?
  var reference: Int?
  /// Whether the query has a reference to an item that never existed.
  var isForeignReference = false
  var returnKeys: Set<String> = []
  /// The limit; nil means no limit.
  var limit: Int? = 1
  /// Every error of the dictionary; the rules do not decide which of several is returned.
  var errors: Set<OSStatus> = []

  init(
    _ dictionary: ModelDictionary, _ place: Place, classOfReference: String? = nil, classOfNewValues: String? = nil,
    _ rules: ModelRules
  ) {
    itemClass = classOfReference
    limit = rules.limitsToOne ? 1 : nil
    if place == .newValues {
      itemClass = classOfNewValues
      if dictionary.isEmpty { errors.insert(errSecParam) }
    } else {
      readReference(dictionary["v_PersistentRef"])
      readClass(dictionary["class"])
    }
    for (key, value) in dictionary where key != "v_PersistentRef" {
      if key == "class" {
        if place == .newValues { errors.insert(errSecNoSuchAttr) }
      } else if ModelSchema.useKeys.contains(key) {
        continue
      } else if ModelSchema.returnKeys.contains(key) {
        if place == .add || place == .search { readReturn(key, value) }
      } else if ModelSchema.matchKeys.contains(key) {
        if place == .search && key == "m_Limit" { readLimit(value) }
        if place == .change && key == "m_Limit" && !rules.deletesAllMatches { readLimit(value) }
      } else if key == "v_Data" {
        if place == .add || place == .newValues { readValue(value) }
      } else if key.utf8.count == 4 {
        readAttribute(key, value, place, rules)
      } else {
        errors.insert(errSecParam)
      }
    }
    let hasAttributes = dictionary.contains { key, value in
      key.utf8.count == 4 && key != "nleg" && !(key == "sync" && value == .text("syna"))
    }
    if dictionary["v_PersistentRef"] != nil && hasAttributes { errors.insert(errSecParam) }
    if place == .add { checkAdd() }
  }

  private mutating func readReference(_ value: ModelValue?) {
    switch value {
    case nil: break
    case .reference(let number?): reference = number
    // A class and the 16 bytes of an identifier.
    case .bytes(let bytes) where bytes.count == 20:
      isForeignReference = true
    default: errors.insert(errSecParam)
    }
  }

  private mutating func readClass(_ value: ModelValue?) {
    switch value {
    case nil where reference == nil && !isForeignReference: errors.insert(errSecParam)
    case nil: break
    case .text(let text) where ModelSchema.classes.contains(text.string): itemClass = text.string
    case .text: errors.insert(errSecNoSuchClass)
    // The rules do not say whether a number is an unknown class or a missing one.
    default: errors.formUnion([errSecNoSuchClass, errSecParam])
    }
  }

  private mutating func readReturn(_ key: String, _ value: ModelValue) {
    switch value {
    case .boolean(true): returnKeys.insert(key)
    case .boolean(false): break
    default: errors.insert(errSecParam)
    }
  }

  private mutating func readLimit(_ value: ModelValue) {
    switch value {
    case .number(let number): limit = number < 0 ? nil : Int(number)
    case .text("m_LimitOne"): limit = 1
    case .text("m_LimitAll"): limit = nil
    default: errors.insert(errSecParam)
    }
  }

  private mutating func readValue(_ value: ModelValue) {
    if case .bytes(let bytes) = value { self.value = bytes } else { errors.insert(errSecParam) }
  }

  private mutating func readAttribute(_ key: String, _ value: ModelValue, _ place: Place, _ rules: ModelRules) {
    switch key {
    case "agrp": if case .text(let name) = value { group = name.string } else { errors.insert(errSecParam) }
    case "sync": readSynchronizable(value, place)
    case "pdmn": if case .text(let text) = value { protection = text } else { errors.insert(errSecParam) }
    case "accc": if case .accessControl(let text) = value { accessControl = text } else { errors.insert(errSecParam) }
    case "cdat", "mdat":
      if case .date = value { namesOtherDate = true } else { errors.insert(errSecParam) }
    default: readOwnAttribute(key, value, place, rules)
    }
  }

  private mutating func readSynchronizable(_ value: ModelValue, _ place: Place) {
    switch value {
    case .boolean(let truth): synchronizable = .only(truth)
    case .number(0), .text("0"): synchronizable = .only(false)
    case .number(1), .text("1"): synchronizable = .only(true)
    case .text("syna") where place == .add: synchronizable = .only(false)
    case .text("syna") where place != .newValues: synchronizable = .any
    default: errors.insert(errSecParam)
    }
  }

  private mutating func readOwnAttribute(_ key: String, _ value: ModelValue, _ place: Place, _ rules: ModelRules) {
    guard let itemClass else { return }
    guard ModelSchema.attributes[itemClass]?.contains(key) == true else {
      errors.insert(errSecNoSuchAttr)
      return
    }
    switch (ModelSchema.kind(of: key), value) {
    case (_, .null) where place == .newValues: cleared.insert(key)
    case (.blob, .text), (.blob, .bytes), (.blob, .number), (.number, .number), (.number, .boolean), (.number, .text),
      (.date, .date):
      attributes[key] = rules.stored(value, for: key)
    default: errors.insert(errSecParam)
    }
  }

  private mutating func checkAdd() {
    if let protection, let accessControl, protection != accessControl { errors.insert(errSecParam) }
  }

  func matches(_ item: ModelItem, _ rules: ModelRules) -> Bool {
    if isForeignReference || namesOtherDate { return false }
    if let reference { return item.number == reference }
    guard item.itemClass == itemClass else { return false }
    switch synchronizable {
    case .unsaid: if rules.searchesUnsynchronizedOnly && item.isSynchronizable { return false }
    case .any: break
    case .only(let wanted): if item.isSynchronizable != wanted { return false }
    }
    if rules.filtersByProtection, let protection, protection != item.protection { return false }
    return attributes.allSatisfy { rules.identity(of: $1) == rules.identity(of: item.attributes[$0]) }
  }
}
