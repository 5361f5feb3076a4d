/// What must be proved: who is asked for what.
public enum LAPolicy: Int, Sendable {
  /// A fingerprint or face. No sensor is known on Linux: it cannot be evaluated.
  case deviceOwnerAuthenticationWithBiometrics = 1
  /// The passphrase.
  case deviceOwnerAuthentication = 2
  /// A watch nearby. None is known on Linux: it cannot be evaluated.
  case deviceOwnerAuthenticationWithWatch = 3
  /// A fingerprint, a face or a watch. None is known on Linux: it cannot be evaluated.
  case deviceOwnerAuthenticationWithBiometricsOrWatch = 4

  /// A device nearby, by a newer name.
  public static let deviceOwnerAuthenticationWithCompanion = deviceOwnerAuthenticationWithWatch
  /// A fingerprint, a face or a device nearby, by a newer name.
  public static let deviceOwnerAuthenticationWithBiometricsOrCompanion = deviceOwnerAuthenticationWithBiometricsOrWatch
}

/// The kinds of secrets that a program can give to a context itself.
public enum LACredentialType: Int, Sendable {
  /// The password of an item whose access control asks for an application password.
  case applicationPassword = 0
  /// The PIN of a smart card. Kept, and used by nothing here.
  case smartCardPIN = -3
}

/// What an item under access control is wanted for.
public enum LAAccessControlOperation: Int, Sendable {
  /// To make an item.
  case createItem = 0
  /// To read an item.
  case useItem = 1
  /// To make a key.
  case createKey = 2
  /// To sign with a key.
  case useKeySign = 3
  /// To decrypt with a key.
  case useKeyDecrypt = 4
  /// To agree on a secret with a key.
  case useKeyKeyExchange = 5
}

/// The sensors of Apple's devices.
public enum LABiometryType: Int, Sendable {
  /// No sensor: always so on Linux.
  case none = 0
  /// A fingerprint.
  case touchID = 1
  /// A face.
  case faceID = 2
  /// An iris.
  case opticID = 4
}
