internal import CofferVault
internal import Dispatch

/// Threads for calls that wait for the disk and for other writers, so that Swift's cooperative thread pool is not
/// blocked.
extension Vault {
  private static let threads = DispatchQueue(label: "Coffer vault", qos: .userInitiated, attributes: .concurrent)

  /// Runs `body` on a thread that may block. It is not interrupted when the task is cancelled.
  package func onBlockingThread<Result: Sendable>(
    _ body: @escaping @Sendable () throws(VaultError) -> Result
  ) async throws(VaultError) -> Result {
    try await Self.onBlockingThread(body)
  }

  /// Runs `body` on a thread that may block. It is not interrupted when the task is cancelled.
  static func onBlockingThread<Result: Sendable>(
    _ body: @escaping @Sendable () throws(VaultError) -> Result
  ) async throws(VaultError) -> Result {
    // The thread belongs to no task, so it gets the task's default vault for the time of `body`.
    let taskDefault = taskDefault
    let outcome: Swift.Result<Result, VaultError> = await withCheckedContinuation { continuation in
      threads.async {
        let outcome = $taskDefault.withValue(taskDefault) { () -> Swift.Result<Result, VaultError> in
          do throws(VaultError) {
            return .success(try body())
          } catch {
            return .failure(error)
          }
        }
        continuation.resume(returning: outcome)
      }
    }
    return try outcome.get()
  }

  /// Runs a body that throws the caller's own errors on a thread that may block.
  func onBlockingThreadRethrowing<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    let taskDefault = Self.taskDefault
    return try await withCheckedThrowingContinuation { continuation in
      Self.threads.async {
        continuation.resume(with: Swift.Result { try Self.$taskDefault.withValue(taskDefault, operation: body) })
      }
    }
  }
}
