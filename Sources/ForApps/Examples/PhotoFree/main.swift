import Coffer

// The free app. Its entitlements let it read the group in which PhotoPro leaves the purchase marker, and not write it:
// a marker that PhotoFree forged would be refused by every reader.
let purchase = GenericPassword(service: "store.example.com", account: "photo-pro")
let purchases = "com.example.photo.purchases"

do throws(VaultError) {
  let vault = try Vault.open(.bytes(PackageResources.PhotoFree_entitlements))

  switch CommandLine.arguments.dropFirst().first {
  case nil:
    if let marker = try vault.storedItem(for: purchase, in: purchases) {
      print(
        "Pro unlocked: all filters (bought in \(marker.writer.application ?? "the vault") on \(marker.writer.device))")
    } else {
      print("free: 3 filters")
    }
  case "peek":
    // What a curious program would try: the paid app's own group.
    let notes = try vault.string(
      for: GenericPassword(service: "accounts.example.com", account: "jane@example.com"), in: "com.example.photo.pro")
    print("read the paid app's session: \(notes ?? "none")")
  case "forge":
    try vault.set("bought", for: purchase, in: purchases)
    print("forged a purchase")
  case let other?:
    fail("PhotoFree: unknown command \(other); use none, peek or forge", code: 2)
  }
} catch {
  fail("PhotoFree: \(error)", code: 1)
}
