/// The version of the library and its programs.
public enum CofferVersion {
  /// Semantic version, for instance `0.2.0`.
  public static let text = "0.2.0"
}
