/// The value of ``Store/logStamp``. Valid inside the access in which it was read, and comparable with other stamps.
package struct LogStamp: Hashable, Sendable {
  let dataVersion: Int64
  let changes: UInt64
}
