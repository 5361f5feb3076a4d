internal import Coffer
internal import CofferFormat
internal import Foundation

extension ItemAttributes {
  /// Creates the attributes that the keychain stores for a key.
  init(key: SecKey) {
    let size = AttributeValue.number(Int64(key.publicKey.sizeInBits))
    let isPrivate = key.keyClass == .private
    let isRSA = key.publicKey.type == .rsa
    func flag(_ isSet: Bool) -> AttributeValue { .number(isSet ? 1 : 0) }
    self.init([
      .keyClass: AttributeValue.string(key.keyClass.rawValue).normalised(for: .number),
      .type: AttributeValue.string(key.publicKey.type.rawValue).normalised(for: .number),
      .keySizeInBits: size, .effectiveKeySize: size, .applicationLabel: .data([UInt8](key.applicationLabel)),
      .isPermanent: flag(true), .isPrivate: flag(isPrivate), .isExtractable: flag(true), .canSign: flag(isPrivate),
      .canVerify: flag(!isPrivate), .canEncrypt: flag(!isPrivate && isRSA), .canDecrypt: flag(isPrivate && isRSA),
      .canDerive: flag(isPrivate && !isRSA),
    ])
  }

  /// Adds the attributes of another item that are not set in this one.
  mutating func merge(_ other: ItemAttributes) { values.merge(other.values) { own, _ in own } }
}
