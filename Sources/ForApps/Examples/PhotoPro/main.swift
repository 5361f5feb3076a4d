import Coffer

// The paid app. It keeps the receipt in the group that its sister reads.
let purchase = GenericPassword(service: "store.example.com", account: "photo-pro", label: "Photo Pro")
let purchases = "com.example.photo.purchases"

do throws(VaultError) {
  let vault = try Vault.open(.bytes(PackageResources.PhotoPro_entitlements))

  switch CommandLine.arguments.dropFirst().first {
  case nil:
    let isBought = try vault.receipt(for: purchase, in: purchases) != nil
    print(isBought ? "Photo Pro: all filters" : "Photo Pro: not bought yet; run PhotoPro buy")
  case "buy":
    try vault.redeem(TestShop.receipt(for: vault.receiptBuyer), for: purchase, in: purchases)
    // No group named: the app's own, which no other app reads.
    let account = GenericPassword(service: "accounts.example.com", account: "jane@example.com")
    try vault.set("session-of-jane", for: account)
    print("Thank you for buying Photo Pro.")
  case "order":
    // What the app sends to the shop.
    print(try vault.receiptBuyer)
  case "redeem":
    let receipt = try vault.redeem(readLine() ?? "", for: purchase, in: purchases)
    print(receipt.isRefund ? "Photo Pro is refunded." : "Thank you for buying Photo Pro.")
  case "refund":
    guard try vault.receipt(for: purchase, in: purchases) != nil else {
      print("There is nothing to refund.")
      break
    }
    try vault.redeem(TestShop.receipt(for: vault.receiptBuyer, isRefund: true), for: purchase, in: purchases)
    print("Photo Pro is refunded.")
  case let other?:
    fail("PhotoPro: unknown command \(other); use none, buy, order, redeem or refund", code: 2)
  }
} catch {
  fail("PhotoPro: \(error)", code: 1)
}
