internal import CofferPlatform
internal import HTTPTypes
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes
internal import NIOHTTPTypesHTTP1

/// How a connection becomes requests: Hummingbird's, with a ``ConnectionGuard`` before it.
struct InspectorConnection: ServerChildChannel, HTTPChannelHandler {
  typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

  /// The largest head of a request in bytes, in all and of one field.
  static let maximumHeadByteCount = 16 << 10

  let responder: Responder
  let limit: ConnectionLimit

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> { Self.setUp(channel, limit) }

  /// Adds the handlers of a new connection.
  static func setUp(_ channel: any Channel, _ limit: ConnectionLimit) -> EventLoopFuture<Value> {
    guard limit.add(channel) else { return refuse(channel) }
    return channel.eventLoop.makeCompletedFuture {
      var limits = NIOHTTPDecoderLimitConfiguration()
      limits.maxHeaderFieldSize = maximumHeadByteCount
      limits.maxHeaderListSize = maximumHeadByteCount
      limits.maxHeaderFieldCount = 100
      let pipeline = channel.pipeline.syncOperations
      try pipeline.configureHTTPServerPipeline(
        withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: true,
        withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limits)
      try pipeline.addHandler(ConnectionGuard())
      try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
      return try NIOAsyncChannel(
        wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
    }
  }

  /// Closes a connection that gets no answer, without the state that a closed connection leaves in the kernel.
  private static func refuse(_ channel: any Channel) -> EventLoopFuture<Value> {
    let reset =
      (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
      ?? channel.eventLoop.makeSucceededVoidFuture()
    return reset.flatMap { channel.close() }.flatMapThrowing { throw ChannelError.eof }
  }

  func handle(value channel: Value, logger: Logger) async { await handleHTTP(asyncChannel: channel, logger: logger) }
}

/// Watches one connection: limits its times, closes it after requests that could be read in two ways, gives every
/// response the headers that protect it, also those to requests that reach no page, and wipes the bodies of responses.
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

/// The headers of every response.
enum ResponseHeaders {
  /// Nothing is loaded from elsewhere, embedded elsewhere, stored, or told to others.
  static let all: [(name: String, value: String)] = [
    (
      "content-security-policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
        + "base-uri 'none'; frame-ancestors 'none'"
    ),
    ("cache-control", "no-store"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-embedder-policy", "require-corp"),
    ("cross-origin-resource-policy", "same-origin"),
    (
      "permissions-policy",
      "accelerometer=(), autoplay=(), camera=(), display-capture=(), encrypted-media=(), fullscreen=(), geolocation=(), "
        + "gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), publickey-credentials-get=(), "
        + "screen-wake-lock=(), serial=(), usb=(), xr-spatial-tracking=()"
    ),
  ]
}
