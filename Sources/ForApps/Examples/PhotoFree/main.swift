import Coffer

// The free app. Its entitlements let it read the group in which PhotoPro keeps the receipt, and not write it: what
// PhotoFree forged would be refused by every reader. What the owner of the vault copies there from another vault, or
// writes without the shop, is no receipt for this vault.
let purchase = GenericPassword(service: "store.example.com", account: "photo-pro")
let purchases = "com.example.photo.purchases"

do throws(VaultError) {
  let vault = try Vault.open(.bytes(PackageResources.PhotoFree_entitlements))

  switch CommandLine.arguments.dropFirst().first {
  case nil:
    if try vault.receipt(for: purchase, in: purchases) != nil,
      let stored = try vault.storedItem(for: purchase, in: purchases)
    {
      print(
        "Pro unlocked: all filters (bought in \(stored.writer.application ?? "the vault") on \(stored.writer.device))")
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
