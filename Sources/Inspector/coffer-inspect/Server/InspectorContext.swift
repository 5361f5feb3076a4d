internal import Hummingbird
internal import NIOCore

/// What the pages know of a request beside its head.
struct InspectorContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The session; nil only for requests that reach no page.
  var session: InspectorSession?
  /// The fields of the request's form; empty for requests without one.
  var form = InspectorForm()
  /// The connection that the request arrived on.
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }
}
