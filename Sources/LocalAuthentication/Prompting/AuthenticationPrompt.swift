internal import Synchronization

/// The prompter of this process.
public enum AuthenticationPrompt {
  private static let current = Mutex<(any AuthenticationPrompter)?>(nil)

  /// The prompter that asks the user; nil, the default, for none.
  public static var prompter: (any AuthenticationPrompter)? {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }
}
