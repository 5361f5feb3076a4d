internal import CofferBus
internal import CofferSystem
internal import CofferVault
internal import Synchronization

/// The methods of `org.freedesktop.Secret.Prompt`. Each prompt ends with one signal `Completed`, whatever happens.
extension AppService {
  /// Creates a prompt, and returns its path.
  func addPrompt(_ action: PendingPrompt.Action, for caller: Caller) throws(ServiceError) -> String {
    guard prompts.values.count(where: { $0.owner == caller.connection }) < ServiceLimits.prompts else {
      throw .limit("a program has at most \(ServiceLimits.prompts) prompts; dismiss some")
    }
    let name = "p\(nextNumber())"
    prompts[name] = PendingPrompt(owner: caller.connection, program: caller.program, action: action)
    return ObjectAddress.prompt(name).path
  }

  /// Asks, unless somebody is being asked already, or nobody has to be asked any more.
  func begin(_ name: String) {
    guard let prompt = prompts[name], prompt.cancellation == nil else { return }
    do {
      switch try items.unlocking() {
      case nil: finish(name)
      case .immediate?:
        try items.completeUnlock(nil)
        finish(name)
      case .asking(let question)?: ask(question, name, prompt)
      }
    } catch {
      report(error)
      complete(name, nil)
    }
  }

  private func ask(_ question: UnlockQuestion, _ name: String, _ prompt: PendingPrompt) {
    let cancellation = PendingPrompt.Cancellation()
    guard let worker else { return complete(name, nil) }
    items.access.beginQuestion()
    let program = prompt.program
    let isStarted = BlockingThread.start {
      let outcome: Result<UnlockQuestion.Result, VaultError>
      do throws(VaultError) {
        outcome = .success(try question.ask(for: program, isCancelled: { cancellation.isCancelled }))
      } catch {
        outcome = .failure(error)
      }
      worker.perform { $0.receive(outcome, of: name) }
    }
    guard isStarted else {
      items.access.endQuestion()
      return complete(name, nil)
    }
    prompts[name]?.cancellation = cancellation
  }

  /// Takes the answer of a person, perhaps after the prompt has ended.
  private func receive(_ outcome: Result<UnlockQuestion.Result, VaultError>, of name: String) {
    items.access.endQuestion()
    do {
      try items.completeUnlock(try outcome.get())
      finish(name)
      // One answer is enough.
      finishAskedPrompts()
    } catch {
      if error.code != .authenticationCancelled { report(error) }
      complete(name, nil)
    }
    checkForChanges()
  }

  /// Completes the prompts for which a person is being asked, after an unlock. Their dialogs are closed.
  func finishAskedPrompts() {
    for (name, prompt) in prompts where prompt.cancellation != nil { finish(name) }
  }

  /// Does what follows an unlock, and completes the prompt.
  private func finish(_ name: String) {
    guard let prompt = prompts[name] else { return }
    do {
      try items.refresh()
      guard !items.isLocked else { return complete(name, nil) }
      switch prompt.action {
      case .unlock(let paths): complete(name, .paths(try unlockedPaths(paths)))
      case .createCollection(let label, let alias):
        complete(name, .path(try createCollection(label: label, alias: alias, reusing: true)))
      case .deleteItem(let path):
        if let address = ObjectAddress(path: path) { try delete(itemForChange(at: address)) }
        complete(name, .text(""))
      }
    } catch {
      report(error)
      complete(name, nil)
    }
  }

  /// Ends a prompt: with a result, or dismissed if that is nil. The dialog, if there is one, is closed.
  func complete(_ name: String, _ result: BusValue?) {
    guard let prompt = prompts.removeValue(forKey: name) else { return }
    prompt.cancellation?.cancel()
    let empty: BusValue =
      switch prompt.action {
      case .unlock: .paths([])
      case .createCollection: .path(ServiceName.noObject)
      case .deleteItem: .text("")
      }
    signal(
      ObjectAddress.prompt(name).path, ServiceName.prompt, "Completed",
      [.flag(result == nil), .variant(result ?? empty)], to: prompt.owner)
  }

  private func report(_ error: any Error) {
    let text = (error as? VaultError)?.description ?? ServiceError(translating: error).text
    StandardError.line("coffer-secret-service: \(text.sanitizedForTerminal(limit: 1_000))")
  }
}

/// A prompt that a call has returned, until it is completed.
struct PendingPrompt {
  /// What follows the unlock.
  enum Action {
    /// Nothing: the objects with these paths are unlocked.
    case unlock([String])
    case createCollection(label: String, alias: String)
    case deleteItem(path: String)
  }

  /// The connection that has got the prompt, and gets its signal.
  let owner: String
  let program: String?
  let action: Action
  /// Set while somebody is being asked.
  var cancellation: Cancellation?

  /// Tells another thread that nobody waits any more.
  final class Cancellation: Sendable {
    private let flag = Atomic(false)

    var isCancelled: Bool { flag.load(ordering: .relaxed) }

    func cancel() { flag.store(true, ordering: .relaxed) }
  }
}
