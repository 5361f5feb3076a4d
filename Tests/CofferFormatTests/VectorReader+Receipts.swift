import CofferCrypto

@testable import CofferFormat

extension VectorReader {
  func fields(of receipt: ReceiptStatement, verifiedBy key: VerifyingKey?) throws -> [String: String] {
    if let key { try require(receipt.isSigned(by: key)) }
    let contents = receipt.contents
    return [
      "product": contents.product, "buyer": contents.buyer.raw.hex, "issued": "\(contents.issued.microseconds)",
      "expires": contents.expires.map { "\($0.microseconds)" } ?? "none", "refund": "\(contents.isRefund)",
      "note": contents.note,
    ]
  }

  func buyerFields(of genesis: Genesis) throws -> [String: String] {
    ["buyer": BuyerID(genesis: genesis.hash, shop: try verifyingKey()).raw.hex]
  }

  func shopKeyFields() throws -> [String: String] {
    let key = try VendorKey(.shop, parsing: SecretText(copying: text("text").utf8))
    let written = unsafe key.text.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
    return ["text": written, "public key": try key.signing().publicKey.raw.hex]
  }
}
