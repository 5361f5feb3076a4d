/// The ways in which the owner of the machine can be authenticated.
public enum LAPolicy: Int, Sendable {
  /// Authentication with a biometric sensor. Always fails on Linux, which has none.
  case deviceOwnerAuthenticationWithBiometrics = 1
  /// Authentication with the owner's passphrase.
  case deviceOwnerAuthentication = 2
  /// Authentication with a watch nearby. Always fails on Linux, which supports none.
  case deviceOwnerAuthenticationWithWatch = 3
  /// Authentication with a biometric sensor or a watch. Always fails on Linux, which supports neither.
  case deviceOwnerAuthenticationWithBiometricsOrWatch = 4

  /// Authentication with a companion device: the newer name of the policy for watches.
  public static let deviceOwnerAuthenticationWithCompanion = deviceOwnerAuthenticationWithWatch
  /// Authentication with a biometric sensor or a companion device: the newer name of the policy for both.
  public static let deviceOwnerAuthenticationWithBiometricsOrCompanion = deviceOwnerAuthenticationWithBiometricsOrWatch
}
