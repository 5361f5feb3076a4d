import Coffer

let login = InternetPassword(server: "sync.example.com", account: "jane", protocol: .https, label: "Sync server")

do {
  let vault = try Vault.open(.bytes(PackageResources.Notes_entitlements))
  // Shared with the other apps of the suite.
  try vault.set("s3cret", for: login, in: "com.example.suite")
  // No group named: the app's own, which no other app reads.
  try vault.set("draft-4711", for: GenericPassword(service: "drafts", account: "latest"))
  print("Notes: saved")
} catch {
  print("Notes: \(error)")
}
