import Coffer

let logins = ItemQuery<InternetPassword>(in: "com.example.suite").matching(.server, "sync.example.com")

do {
  let vault = try Vault.open(.bytes(PackageResources.Backup_entitlements))
  for login in try vault.list(logins).items {
    let password = try vault.string(for: login.item)
    print(
      "Backup: \(login.account), \(password?.count ?? 0) characters, by \(login.writer.application ?? "the owner")"
    )
  }
  // It reads the group and may not write it.
  try vault.set("forged", for: InternetPassword(server: "sync.example.com", account: "jane"), in: "com.example.suite")
} catch {
  print("Backup: \(error)")
}
