internal import CofferBus

/// A program that has called the service.
struct Caller: Sendable {
  /// The unique name of its connection.
  let connection: String
  /// The name of its program, for people; nil if it is not known.
  let program: String?
  /// The path of its program, by which a person's answer is remembered; nil if nobody is asked about it.
  var leasePath: String?
  /// Whether it is in a process tree that `coffer run --deny-reads` has started: it gets no values.
  var deniesReads = false
  /// Its calls that wait.
  let load = CallLoad(callLimit: 512, byteLimit: 64 << 20)
}
