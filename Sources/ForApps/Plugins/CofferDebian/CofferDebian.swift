import Foundation
import PackagePlugin

/// `swift package coffer-debian`: writes the files with which a Debian package installs an app, so that no other
/// program of the same user can read its keys.
@main
struct CofferDebian: CommandPlugin {
  private struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  func performCommand(context: PluginContext, arguments: [String]) async throws {
    var extractor = ArgumentExtractor(arguments)
    func option(_ name: String) throws -> String {
      let values = extractor.extractOption(named: name)
      guard values.count == 1, let value = values.first, !value.isEmpty else {
        throw Failure(
          description:
            "usage: swift package coffer-debian --program /usr/bin/PROGRAM --entitlements FILE --output FOLDER")
      }
      return value
    }
    let program = try option("program")
    let root = context.package.directoryURL
    let plist = URL(fileURLWithPath: try option("entitlements"), relativeTo: root)
    let output = URL(fileURLWithPath: try option("output"), relativeTo: root)
    guard extractor.remainingArguments.isEmpty else {
      throw Failure(description: "unknown arguments: \(extractor.remainingArguments.joined(separator: " "))")
    }
    let files = try PackageFiles(program: program, entitlements: Data(contentsOf: plist))
    try files.write(to: output)
    print("Wrote the files of \(files.bundleID) to \(output.path)")
  }
}
