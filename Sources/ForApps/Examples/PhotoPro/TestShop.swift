import Coffer

/// Stands for the server of the vendor, so that the example needs none. A real app has only the public key, in its
/// plist: it sends `vault.receiptBuyer` with the order, and redeems what the shop answers.
enum TestShop {
  private static let key = "COFFERSHOP1-DV02-N487-QQ95-D3D7-ZQFH-BZRJ-GK5P-GD5M-82GB-DP32-RNRB-RBKH-99KJ-598Q"

  static func receipt(for buyer: String, isRefund: Bool = false) throws(VaultError) -> String {
    try Receipt.issue(
      product: purchase.account, buyer: buyer, isRefund: isRefund, note: "receipt-4711", signedBy: key
    ).text
  }
}
