package import CofferFormat

extension Timestamp {
  /// Reads a time from a setting of the store: decimal microseconds. Returns nil for other bytes.
  package init?(stored bytes: [UInt8]) {
    guard let microseconds = Int64(String(decoding: bytes, as: UTF8.self)) else { return nil }
    self.init(microseconds: microseconds)
  }

  /// The time as the settings of the store keep it: decimal microseconds.
  package var stored: [UInt8] { Array(String(microseconds).utf8) }
}
