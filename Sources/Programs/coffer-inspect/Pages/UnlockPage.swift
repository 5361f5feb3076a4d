internal import HTTPTypes
internal import Hummingbird

/// The page that asks for the passphrase of a locked vault. It contains nothing of the vault.
enum UnlockPage {
  static func response(_ session: InspectorSession, returningTo path: String, message: String?) -> Response {
    PlainPage.response(
      title: "Locked",
      body: """
        <p role="status">\(PlainPage.escape(message ?? ""))</p>
        <form method="post" action="/unlock"><input type="hidden" name="csrf" value="\(session.csrfToken)">
        <input type="hidden" name="to" value="\(PlainPage.escape(path))">
        <label>Passphrase <input type="password" name="passphrase" autocomplete="off" required></label>
        <button>Unlock</button></form>
        """, status: .locked)
  }
}
