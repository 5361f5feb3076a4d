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
