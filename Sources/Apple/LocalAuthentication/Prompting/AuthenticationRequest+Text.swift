extension AuthenticationRequest.Secret {
  /// The label in front of the input.
  var prompt: String {
    switch self {
    case .passphrase: "Passphrase"
    case .applicationPassword: "Password"
    case .newApplicationPassword: "New password"
    case .repeatedApplicationPassword: "Repeat new password"
    }
  }

  /// The message that is shown after an answer was not accepted.
  var refusal: String {
    switch self {
    case .passphrase: "Wrong passphrase. Try again."
    case .applicationPassword: "Wrong password. Try again."
    case .newApplicationPassword, .repeatedApplicationPassword: "The passwords are empty or do not match. Try again."
    }
  }
}
