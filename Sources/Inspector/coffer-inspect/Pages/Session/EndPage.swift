internal import Hummingbird

/// The last page, when the program ends.
enum EndPage {
  /// Takes the reason as a sentence.
  static func response(_ reason: String) -> Response {
    .page(
      Frame.plain(
        title: "Locked",
        content: joined {
          h1 { "Locked" }
          p(.role("status")) { advice(reason) }
          p(.class("hint")) { "You can close this page." }
        }))
  }
}
