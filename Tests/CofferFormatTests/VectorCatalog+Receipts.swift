import CofferCrypto
import CofferFormatSamples

@testable import CofferFormat

extension VectorCatalog {
  /// Receipts, the key of a shop, and the vault as the shop knows it.
  mutating func addReceipts() throws {
    let shop = try fixture.shop().publicKey
    let inputs = ["verifying key": shop.raw.hex]
    let receipt = try fixture.receipt()
    let bytes = receipt.bytes
    try add("receipt", "receipt", bytes, inputs)
    try add("receipt-without-an-expiry", "receipt", fixture.receipt(expires: false).bytes, inputs)
    try add("receipt-refund", "receipt", fixture.receipt(isRefund: true).bytes, inputs)
    // kind 5, product 4 + 9, buyer 16, time 8, expiry 1 + 8, refund 1, note 4 + 10, signature 64.
    let refused: [(String, [UInt8], String)] = [
      ("truncated", bytes.dropLast(), "truncated"), ("trailing-byte", bytes + [0], "trailingBytes"),
      ("newer-version", altered(bytes, at: 4, to: 2), "unsupportedVersion"),
      ("other-kind", altered(bytes, at: 3, to: 0x76), "otherKind"),
      ("product-too-long", altered(bytes, at: 7, to: 2), "tooLarge"),
      ("without-a-product", Array(bytes[..<8]) + [0] + bytes[18...], "invalidValue"),
      ("that-ends-when-it-begins", altered(bytes, at: 50, to: bytes[50] - 1), "invalidValue"),
      ("expiry-is-two", altered(bytes, at: 42, to: 2), "invalidValue"),
      ("refund-is-two", altered(bytes, at: 51, to: 2), "invalidValue"),
      ("note-too-long", altered(bytes, at: 53, to: 1), "tooLarge"),
      ("for-another-buyer", altered(bytes, at: 20, to: ~bytes[20]), "badSignature"),
    ]
    for (name, bytes, code) in refused { try add("receipt-\(name)", "receipt", bytes, inputs, expect: code) }
    try add(
      "receipt-of-another-shop", "receipt", bytes,
      ["verifying key": fixture.device.signing.publicKey.raw.hex], expect: "badSignature")
    try add("receipt-as-text", "receipt text", [], ["text": receipt.text])
    try add(
      "receipt-as-text-in-lines", "receipt text", [],
      ["text": " \(receipt.text.prefix(40))\n\(receipt.text.dropFirst(40))\n"])
    try add(
      "receipt-as-text-without-its-prefix", "receipt text", [],
      ["text": String(receipt.text.dropFirst("coffer-receipt-1:".count))], expect: "otherKind")
    try add("buyer", "buyer", fixture.genesis.bytes, inputs)
    let key = VendorKey.random(.shop)
    let text = unsafe key.text.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
    try add("shop-key", "shop key", [], ["text": text])
    try add(
      "shop-key-with-the-prefix-of-a-team-key", "shop key", [],
      ["text": text.replacing("COFFERSHOP1", with: "COFFERTEAM1")], expect: "malformed")
  }
}
