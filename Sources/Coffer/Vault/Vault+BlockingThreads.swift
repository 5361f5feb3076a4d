internal import CofferVault
internal import Dispatch

/// Threads for calls that wait for the disk and for other writers, so that Swift's cooperative thread pool is not
/// blocked.
extension Vault {
  private static let threads = DispatchQueue(label: "Coffer vault", qos: .userInitiated, attributes: .concurrent)

  /// Runs `body` on a thread that may block. It is not interrupted when the task is cancelled.
  func onBlockingThread<Result: Sendable>(
    _ body: @escaping @Sendable () throws(VaultError) -> Result
  ) async throws(VaultError) -> Result {
    try await Self.onBlockingThread(body)
  }

  /// Runs `body` on a thread that may block. It is not interrupted when the task is cancelled.
  static func onBlockingThread<Result: Sendable>(
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

  /// Runs a body that throws the caller's own errors on a thread that may block.
  func onBlockingThreadRethrowing<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      Self.threads.async { continuation.resume(with: Swift.Result { try body() }) }
    }
  }
}
