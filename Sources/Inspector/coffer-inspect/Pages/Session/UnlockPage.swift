internal import HTTPTypes
internal import Hummingbird

/// The page that asks for the passphrase of a locked vault. It contains nothing of the vault.
enum UnlockPage {
  /// Leads to `path` when the vault is unlocked. The message, nil before the first attempt, is why it is still locked.
  /// The session goes on.
  static func response(_ session: InspectorSession, returningTo path: String, message: String?) -> Response {
    .page(
      Frame.plain(
        title: "Locked",
        content: joined {
          h1 { "Locked" }
          p { "The keys of the vault are not in memory. This machine’s passphrase unlocks it." }
          div(.role("status")) {
            message.map { Notice(kind: .danger, title: text($0)).html }
          }
          changeForm(PageAddress("unlock"), csrf: session.csrfToken, fields: ["to": path], .class("stack")) {
            secretField("Passphrase", "passphrase", .required(), .autofocus(), .invalid(message != nil))
            div(.class("actions")) { submit("Unlock", style: "primary") }
          }
        }), status: .locked)
  }
}
