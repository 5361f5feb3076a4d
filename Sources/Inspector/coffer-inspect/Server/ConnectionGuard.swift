internal import NIOCore
internal import NIOHTTP1

/// Watches one connection: limits its times, closes it after requests that could be read in two ways, gives every response
/// the headers that protect it, also those to requests that reach no page, and wipes the bodies of responses.
final class ConnectionGuard: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// How long a connection may take to send the head of its first request.
  static let firstHeadTime = TimeAmount.seconds(10)
  /// How long a connection may be without a request, and take for the head of the next one.
  static let nextHeadTime = TimeAmount.seconds(60)
  /// How long a connection may take for the body of a request.
  static let bodyTime = TimeAmount.seconds(30)
  /// How long an answer may take, and a connection to read it.
  static let answerTime = TimeAmount.seconds(300)

  private var deadline: Scheduled<Void>?
  private var isReceiving = false
  private var isRefused = false
  private var openRequests = 0
  private var closesAfterResponse = false

  func handlerAdded(context: ChannelHandlerContext) { allow(Self.firstHeadTime, context) }

  func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

  func channelInactive(context: ChannelHandlerContext) {
    deadline?.cancel()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isRefused else { return }
    switch unwrapInboundIn(data) {
    case .head(let head):
      if let status = Self.refusal(of: head) {
        return refuse(status, context)
      }
      openRequests += 1
      isReceiving = true
      allow(Self.bodyTime, context)
    case .body: break
    case .end:
      isReceiving = false
      allow(Self.answerTime, context)
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(var head):
      if head.headers[canonicalForm: "connection"].contains("close") { closesAfterResponse = true }
      // The rest of a request that was answered before it was read is not read.
      if isReceiving || closesAfterResponse {
        closesAfterResponse = true
        head.headers.replaceOrAdd(name: "connection", value: "close")
      }
      for (name, value) in ResponseHeaders.all { head.headers.replaceOrAdd(name: name, value: value) }
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .body(let body):
      // Every answer is made for one request and in its own buffer, so that what it says is nowhere when it was sent.
      let promise = promise ?? context.eventLoop.makePromise()
      if case .byteBuffer(let buffer) = body { promise.futureResult.whenComplete { _ in buffer.wipe() } }
      context.write(data, promise: promise)
    case .end:
      openRequests = max(openRequests - 1, 0)
      if closesAfterResponse {
        context.writeAndFlush(data, promise: promise)
        context.close(promise: nil)
      } else {
        context.write(data, promise: promise)
        if openRequests == 0 { allow(Self.nextHeadTime, context) }
      }
    }
  }

  /// Closes the connection unless its next step comes in time.
  private func allow(_ time: TimeAmount, _ context: ChannelHandlerContext) {
    deadline?.cancel()
    let channel = context.channel
    deadline = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
  }

  /// Returns the status for a head that no browser sends; nil for one that is read on.
  static func refusal(of head: HTTPRequestHead) -> HTTPResponseStatus? {
    guard head.version == .http1_1 else { return .httpVersionNotSupported }
    // The form for proxies, in which the address names a host too, is refused, and so are two hosts.
    guard head.uri.utf8.first == UInt8(ascii: "/"), head.headers["host"].count == 1 else { return .badRequest }
    // Two programs that read the length of a body differently could be made to see different requests.
    let lengths = head.headers["content-length"].count
    let encodings = head.headers["transfer-encoding"].count
    guard lengths + encodings <= 1 else { return .badRequest }
    return nil
  }

  private func refuse(_ status: HTTPResponseStatus, _ context: ChannelHandlerContext) {
    isRefused = true
    // An answer now would come before those to earlier requests.
    guard openRequests == 0 else { return context.close(promise: nil) }
    closesAfterResponse = true
    let head = HTTPResponseHead(version: .http1_1, status: status, headers: ["content-length": "0"])
    write(context: context, data: wrapOutboundOut(.head(head)), promise: nil)
    write(context: context, data: wrapOutboundOut(.end(nil)), promise: nil)
  }
}
