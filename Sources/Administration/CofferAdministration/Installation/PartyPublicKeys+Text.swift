internal import Coffer
package import CofferCrypto
internal import CofferFormat

extension PartyPublicKeys {
  /// The keys in hexadecimal, for the argument of a program.
  package var hexadecimal: String { verifying.raw.hex + box.raw.hex }

  /// Reads the keys; nil for anything but 64 bytes in hexadecimal.
  package init?(hexadecimal text: String) {
    guard text.utf8.count == 128, let raw = bytes(hexadecimal: text), let verifying = Bytes32(raw.prefix(32)),
      let box = Bytes32(raw.suffix(32))
    else { return nil }
    self.init(verifying: VerifyingKey(verifying), box: BoxKey(box))
  }
}
