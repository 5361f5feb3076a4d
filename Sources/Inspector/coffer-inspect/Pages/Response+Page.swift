internal import CofferPlatform
internal import HTTPTypes
internal import Hummingbird

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
  static func redirect(to address: PageAddress) -> Response {
    Response(status: .seeOther, headers: [.location: address.text])
  }
}
