internal import Coffer
internal import CofferFormat
internal import Foundation

extension ItemAttributes {
  init(key: SecKey) {
    let size = AttributeValue.number(Int64(key.publicKey.sizeInBits))
    self.init([
      .keyClass: AttributeValue.string(key.keyClass.rawValue).normalised(for: .number),
      .type: AttributeValue.string(key.publicKey.type.rawValue).normalised(for: .number),
      .keySizeInBits: size, .effectiveKeySize: size, .applicationLabel: .data([UInt8](key.applicationLabel)),
    ])
    for (code, isSet) in key.flags { self[code] = .number(isSet ? 1 : 0) }
  }

  /// Adds the attributes of another item that are not set in this one.
  mutating func merge(_ other: ItemAttributes) { self = other.merging(self) }
}
