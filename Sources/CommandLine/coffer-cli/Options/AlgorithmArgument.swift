internal import ArgumentParser
internal import Coffer

/// An algorithm of one-time codes, with or without a hyphen.
struct AlgorithmArgument: ExpressibleByArgument {
  let algorithm: OneTimePassword.Algorithm

  init?(argument: String) {
    let name = argument.uppercased().replacing("-", with: "")
    guard let algorithm = OneTimePassword.Algorithm(rawValue: name) else { return nil }
    self.algorithm = algorithm
  }
}
