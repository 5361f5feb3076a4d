internal import CofferPlatform
internal import HTTPTypes
internal import Hummingbird

/// The page of a browser without a session, which gives the one-time code. It contains nothing of the vault.
enum EntryPage {
  /// With `isTokenWrong`, a code was given that opens nothing.
  static func response(isTokenWrong: Bool) -> Response {
    let words: HTML =
      isTokenWrong
      ? "This address was used already or is wrong. Start \(code { "coffer inspect" }) again."
      : "\(code { "coffer inspect" }) prints an address that opens this page once."
    return .page(
      Frame.plain(title: "Open the vault", script: PageAddress("assets", "enter.js")) {
        p(.id("entry-status"), .role("status")) { words }
        form(.id("entry"), .method(.post), .action(PageAddress("session")), .class("stack")) {
          field("One-time code", "token", hint: "The part of the address after the # sign.") { described in
            input(
              .id("token"), .name("token"), .autocomplete("off"), .noSpellCheck, .noCapitals, .required(), described)
          }
          div(.class("actions")) { submit("Open", style: "primary") }
        }
      }, status: isTokenWrong ? .forbidden : .ok)
  }
}

/// The page that asks for the passphrase of a locked vault. It contains nothing of the vault but the machine's name.
enum UnlockPage {
  /// Leads to `path` when the vault is unlocked. The message, nil before the first attempt, is why it is still locked.
  /// The session goes on.
  static func response(
    _ session: InspectorSession, on machine: String, returningTo path: String, message: String?
  ) -> Response {
    .page(
      Frame.plain(title: "Locked") {
        p { "The vault on \(given(machine, limit: 80)) is locked. The passphrase of that machine unlocks it." }
        div(.role("status")) {
          message.map { Notice(kind: .danger, title: text($0)).html }
        }
        changeForm(PageAddress("unlock"), csrf: session.csrfToken, fields: ["to": path], .class("stack")) {
          secretField("Passphrase", "passphrase", .required(), .autofocus(), .invalid(message != nil))
          div(.class("actions")) { submit("Unlock", style: "primary") }
        }
      }, status: .locked)
  }
}

/// The last page, when the program ends.
enum EndPage {
  /// Takes the reason as a sentence.
  static func response(_ reason: String) -> Response {
    .page(
      Frame.plain(title: "Locked") {
        p(.role("status")) { advice(reason) }
        p(.class("hint")) { "You can close this page." }
      })
  }
}

extension Response {
  static func page(_ document: String, status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status, headers: [.contentType: "text/html; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: document)))
  }

  /// A value for a script. It must not contain a secret, of which copies would stay in memory.
  static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) -> Response {
    let bytes = (try? JSONEncoder().encode(value)) ?? Data("{}".utf8)
    return Response(
      status: status, headers: [.contentType: "application/json"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  /// A file that a browser saves. It must not contain a secret, of which copies would stay in memory. The file's name
  /// has the letters and digits of the title, and the suffix.
  static func download(_ text: String, named title: String, type: String, suffix: String) -> Response {
    let plain = title.unicodeScalars.prefix(60).map { scalar in
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", "-", "_": String(scalar)
      default: "-"
      }
    }.joined()
    let name = plain.allSatisfy { $0 == "-" } ? "certificate" : plain
    return Response(
      status: .ok,
      headers: [.contentType: type, .contentDisposition: "attachment; filename=\"\(name).\(suffix)\""],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }

  /// The answer to a form whose work is done: the page that is shown then, which a reload does not send again.
  static func redirect(to address: PageAddress) -> Response { redirect(to: address.text) }

  /// Leads to a path of this server.
  static func redirect(to path: String) -> Response { Response(status: .seeOther, headers: [.location: path]) }
}
