import Coffer

// The paid app. It writes the purchase marker into the group that its sister reads.
let purchase = GenericPassword(service: "store.example.com", account: "photo-pro", label: "Photo Pro")
let purchases = "com.example.photo.purchases"

do throws(VaultError) {
  let vault = try Vault.open(.bytes(PackageResources.PhotoPro_entitlements))

  switch CommandLine.arguments.dropFirst().first {
  case nil:
    let isBought = try vault.value(for: purchase, in: purchases) != nil
    print(isBought ? "Photo Pro: all filters" : "Photo Pro: not bought yet; run PhotoPro buy")
  case "buy":
    // A real store's receipt would go here, signed by the store.
    try vault.set("receipt-4711", for: purchase, in: purchases)
    // No group named: the app's own, which no other app reads.
    let account = GenericPassword(service: "accounts.example.com", account: "jane@example.com")
    try vault.set("session-of-jane", for: account)
    print("Thank you for buying Photo Pro.")
  case "refund":
    print(try vault.delete(purchase, in: purchases) ? "Photo Pro is refunded." : "There is nothing to refund.")
  case let other?:
    fail("PhotoPro: unknown command \(other); use none, buy or refund", code: 2)
  }
} catch {
  fail("PhotoPro: \(error)", code: 1)
}
