package import CofferFormat

/// A value that a setting can have.
package protocol SettingValue {
  /// Reads the value. Nil for bytes that are not one: such a setting counts as not set.
  init?(stored: [UInt8])
  var stored: [UInt8] { get }
}

extension SettingValue where Self: LosslessStringConvertible {
  package init?(stored: [UInt8]) {
    guard let text = String(validating: stored, as: UTF8.self) else { return nil }
    self.init(text)
  }

  package var stored: [UInt8] { Array(description.utf8) }
}

extension String: SettingValue {}
extension Int: SettingValue {}
extension UInt64: SettingValue {}

extension SettingValue where Self: Coded {
  package init?(stored: [UInt8]) {
    guard let values = [Self](stored: stored), values.count == 1 else { return nil }
    self = values[0]
  }

  package var stored: [UInt8] { [self].stored }
}

extension EntryHash: SettingValue {}
extension StreamID: SettingValue {}

/// The encodings of the elements, one after another.
extension Array: SettingValue where Element: Coded {
  package init?(stored: [UInt8]) {
    self = []
    var reader = ByteReader(stored, object: "setting")
    while reader.remaining > 0 {
      guard let element = try? Element(from: &reader) else { return nil }
      append(element)
    }
  }

  package var stored: [UInt8] {
    var writer = ByteWriter(reserving: count * 64)
    for element in self { element.write(to: &writer) }
    return writer.bytes
  }
}

/// Decimal microseconds.
extension Timestamp: SettingValue {
  package init?(stored: [UInt8]) {
    guard let microseconds = Int64(String(decoding: stored, as: UTF8.self)) else { return nil }
    self.init(microseconds: microseconds)
  }

  package var stored: [UInt8] { Array(String(microseconds).utf8) }
}

extension StoreAccess where Self: ~Copyable {
  /// Returns the value of a setting; nil if it is not set, or has another kind of value.
  package func value<Value: SettingValue>(
    _ setting: Setting, as type: Value.Type = Value.self
  ) throws(StoreError) -> Value? {
    try self.setting(setting).flatMap { Value(stored: $0) }
  }
}

extension StoreWriter {
  /// Sets a setting. An empty list removes it, as nil does.
  package func set<Value: SettingValue>(_ setting: Setting, to value: Value?) throws(StoreError) {
    let stored = value?.stored
    try setSetting(setting, stored?.isEmpty ?? true ? nil : stored)
  }
}
