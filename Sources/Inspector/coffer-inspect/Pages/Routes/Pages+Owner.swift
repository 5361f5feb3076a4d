internal import HTTPTypes

/// The pages that only the owner sees. An app, with `--app`, sees its own groups and nothing else of the vault.
extension Pages {
  /// Throws the failure of a page that only the owner sees, if the pages are those of an app.
  func requireOwner() throws(PageFailure) {
    guard inspector.isOwner else { throw Self.ownerOnly }
  }

  /// The failure of a request of an app for what only the owner sees. It says nothing of whether that exists.
  static let ownerOnly = PageFailure(
    .forbidden, "Only the owner sees this", "coffer inspect was started with --app and shows what that app may see",
    suggestion: "start it without --app: coffer inspect")
}
