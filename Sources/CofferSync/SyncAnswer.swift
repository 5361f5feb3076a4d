/// The keys of the report of `coffer-sync` that an app gets.
struct SyncAnswer: Decodable {
  let remote: String
  let recordsReceived: Int
  let recordsSent: Int
  let pendingRecords: Int
  let refusedRecords: Int
  let conflictCount: Int
  let retryCount: Int
  let bytesReceived: Int
  let bytesSent: Int
  let seconds: Double
  let problems: [String]
}
