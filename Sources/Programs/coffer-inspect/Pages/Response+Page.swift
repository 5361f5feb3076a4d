internal import Foundation
internal import HTTPTypes
internal import Hummingbird

extension Response {
  /// A document.
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

  /// The answer to a form whose work is done: the page that is shown then, which a reload does not send again.
  static func redirect(to address: PageAddress) -> Response {
    Response(status: .seeOther, headers: [.location: address.text])
  }
}
