internal import Foundation
internal import Security

/// The module's answer, in the model's values.
struct KeychainAnswer {
  /// One element of the result.
  struct Element {
    var returned: ModelReturned
    /// An attribute that the model does not cover.
    var reference: [UInt8]?
    var created: Date?
    var modified: Date?
  }

  enum Result {
    case nothing
    case one(Element)
    case several([Element])
  }

  let status: OSStatus
  let result: Result

  /// Calls the module as the app whose vault is the current one.
  init(_ call: KeychainCall, _ ledger: ReferenceLedger) {
    let query = ledger.foundation(call.query)
    var object: CFTypeRef?
    switch call.function {
    case .add: status = unsafe SecItemAdd(query, &object)
    case .copyMatching: status = unsafe SecItemCopyMatching(query, &object)
    case .update: status = SecItemUpdate(query, ledger.foundation(call.newValues))
    case .delete: status = SecItemDelete(query)
    }
    if let array = object as? NSArray {
      result = .several(array.map { Element($0, ledger) })
    } else {
      result = object.map { .one(Element($0, ledger)) } ?? .nothing
    }
  }

  var elements: [Element] {
    switch result {
    case .nothing: []
    case .one(let element): [element]
    case .several(let elements): elements
    }
  }
}

extension KeychainAnswer.Element {
  init(_ object: Any, _ ledger: ReferenceLedger) {
    guard let dictionary = object as? NSDictionary else {
      let value = ModelValue(result: object)
      // A value could have the length of a reference, but no value of these tests has.
      if case .bytes(let bytes) = value, bytes.count == 20 {
        self.init(returned: .value(.reference(ledger.item(of: bytes))), reference: bytes)
      } else {
        self.init(returned: .value(value))
      }
      return
    }
    var values: ModelDictionary = [:]
    for (key, object) in dictionary {
      values[(key as? String) ?? "a key that is no string"] = ModelValue(result: object)
    }
    self.init(returned: .dictionary([:]))
    if case .bytes(let bytes) = values["v_PersistentRef"], bytes.count == 20 {
      reference = bytes
      values["v_PersistentRef"] = .reference(ledger.item(of: bytes))
    }
    created = dictionary["cdat"] as? Date
    modified = dictionary["mdat"] as? Date
    if created != nil { values["cdat"] = .null }
    if modified != nil { values["mdat"] = .null }
    returned = .dictionary(values)
  }
}

extension ModelValue {
  /// Converts an object of a result. Numbers and Booleans are one type: numeric attributes accept both.
  init(result object: Any) {
    switch object {
    case let text as NSString: self = .text(ModelText(String(text)))
    case let data as NSData: self = .bytes(Array(Data(data)))
    case let number as NSNumber: self = .number(number.int64Value)
    case let date as NSDate: self = .date(date.timeIntervalSinceReferenceDate)
    case let control as SecAccessControl where control.flags.isEmpty:
      self = .accessControl(ModelText(control.protection))
    default: self = .unexpected("\(type(of: object))")
    }
  }
}

extension ReferenceLedger {
  fileprivate func foundation(_ dictionary: ModelDictionary) -> CFDictionary {
    NSDictionary(dictionary: dictionary.mapValues(object))
  }

  private func object(_ value: ModelValue) -> NSObject {
    switch value {
    case .text(let text): NSString(string: text.string)
    case .bytes(let bytes): NSData(data: Data(bytes))
    case .number(let number): NSNumber(value: number)
    case .boolean(let truth): NSNumber(value: truth)
    case .date(let seconds): NSDate(timeIntervalSinceReferenceDate: seconds)
    case .list: NSArray()
    case .null, .unexpected, .reference(nil): NSNull()
    case .accessControl(let protection):
      SecAccessControlCreateWithFlags(nil, NSString(string: protection.string), [], nil) ?? NSNull()
    case .reference(let item?): NSData(data: Data(bytes(of: item) ?? []))
    }
  }
}
