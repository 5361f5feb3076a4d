internal import Dispatch

extension Vault {
  /// Where calls wait for the disk and for other writers: threads of their own, so that the few that run every task of the
  /// program go on.
  private static let threads = DispatchQueue(label: "Coffer vault", qos: .userInitiated, attributes: .concurrent)

  /// Runs `body` on a thread that may block. It is not interrupted when the task is cancelled: what was begun is done.
  func waiting<Result: Sendable>(
    _ body: @escaping @Sendable () throws(VaultError) -> Result
  ) async throws(VaultError) -> Result {
    try await Self.waitingToOpen(body)
  }

  /// As ``waiting(_:)``, while there is no vault yet.
  static func waitingToOpen<Result: Sendable>(
    _ body: @escaping @Sendable () throws(VaultError) -> Result
  ) async throws(VaultError) -> Result {
    let outcome: Swift.Result<Result, VaultError> = await withCheckedContinuation { continuation in
      threads.async {
        do throws(VaultError) {
          continuation.resume(returning: .success(try body()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try outcome.get()
  }

  /// As ``waiting(_:)``, for a body that throws errors of the caller's own.
  func waitingForAny<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      Self.threads.async { continuation.resume(with: Swift.Result { try body() }) }
    }
  }
}
