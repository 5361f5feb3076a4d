// swift-tools-version: 6.2

import Foundation
import PackageDescription

// Warnings are errors in our own builds (Scripts/test and CI set COFFER_STRICT), never in a build that
// only depends on this package: a newer compiler's new warning must not break a user.
let isStrict = Context.environment["COFFER_STRICT"] == "1"

// The tests start tens of thousands of processes. By default, code asks the runtime for a generic type by its name, and the
// first time for each type, the runtime compares all conformances of the program: with this option, code names them itself.
let typeAccess = ["-Xfrontend", "-disable-concrete-type-metadata-mangled-name-accessors"]

let settings: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
  ] + (isStrict ? [.treatAllWarnings(as: .error), .unsafeFlags(typeAccess)] : [])

// What the programs contain is optimized in our own builds: without that, generic code looks up its types at each call, which
// took a fifth of the time of the tests. Assertions stay. The commands and the pages themselves are not: each runs once in a
// process, and optimizing them took as long as compiling all that they call.
let optimized: [SwiftSetting] =
  settings + (isStrict ? [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))] : [])

// What only the programs import. Without the trait, an app that depends on this package fetches none of it.
let programs = TargetDependencyCondition.when(traits: ["Programs"])
let argumentParser = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser", condition: programs)
// Tests alone use GRDB itself: it imports Foundation, with 38 MB of ICU's data, for which no program has a use.
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
// SQLite's own functions, as GRDB links them.
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let asn1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log", condition: programs)
// Hummingbird's router and connections, over NIO's sockets: the inspector binds two addresses at one port, which
// Hummingbird's own server does not.
let web: [Target.Dependency] = [
  .product(name: "Hummingbird", package: "hummingbird", condition: programs),
  .product(name: "HummingbirdCore", package: "hummingbird", condition: programs),
  .product(name: "HTTPTypes", package: "swift-http-types", condition: programs),
  .product(name: "NIOCore", package: "swift-nio", condition: programs),
  .product(name: "NIOHTTP1", package: "swift-nio", condition: programs),
  .product(name: "NIOPosix", package: "swift-nio", condition: programs),
  .product(name: "NIOHTTPTypes", package: "swift-nio-extras", condition: programs),
  .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras", condition: programs),
]

let package = Package(
  name: "coffer",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Coffer", targets: ["Coffer"]),
    .library(name: "CofferCertificates", targets: ["CofferCertificates"]),
    .library(name: "CofferOneTimeCodes", targets: ["CofferOneTimeCodes"]),
    .library(name: "CofferSync", targets: ["CofferSync"]),
    .library(name: "CofferAdministration", targets: ["CofferAdministration"]),
    .library(name: "CofferTesting", targets: ["CofferTesting"]),
    .plugin(name: "CofferDebian", targets: ["CofferDebian"]),
    .executable(name: "coffer", targets: ["CofferProgram"]),
    .executable(name: "coffer-sync", targets: ["CofferSyncProgram"]),
    .executable(name: "coffer-transport", targets: ["CofferTransportProgram"]),
    .executable(name: "coffer-inspect", targets: ["CofferInspectProgram"]),
    .executable(name: "coffer-agent", targets: ["CofferAgentProgram"]),
    .executable(name: "coffer-import", targets: ["CofferImportProgram"]),
  ],
  traits: [.trait(name: "Programs", description: "Builds the programs, with the packages that only they import.")],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-asn1", from: "1.7.0"),
    // For SHA-1 of public keys, by which Keychain pairs keys and certificates, for the keys of Apple's API, and for the HMAC
    // of one-time codes.
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    // The HTTP server of the inspector, without its readers of configuration.
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.1"),
  ],
  targets: [
    .systemLibrary(
      name: "CSodium", pkgConfig: "libsodium",
      providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
    .systemLibrary(
      name: "CGit2", pkgConfig: "libgit2",
      providers: [.apt(["libgit2-dev"]), .brew(["libgit2"])]),
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl",
      providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
    .systemLibrary(
      name: "CQREncode", pkgConfig: "libqrencode",
      providers: [.apt(["libqrencode-dev"]), .brew(["qrencode"])]),
    .systemLibrary(
      name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"]), .brew(["expat"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .systemLibrary(
      name: "CArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"]), .brew(["argon2"])]),
    .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"]), .brew(["dbus"])]),
    // Not "CSystem": swift-system, which many packages bring in, has a target of that name.
    .target(name: "CPlatform"),
    // Instructions that Swift and C cannot express.
    .target(name: "CRegisters"),
    // A function that a program may lack.
    .target(name: "CSandbox"),

    // The C library and FoundationEssentials, by the names that they have on each system.
    .target(name: "CofferPlatform", swiftSettings: optimized),
    .target(name: "CofferSystem", dependencies: ["CofferPlatform", "CPlatform"], swiftSettings: optimized),
    .target(name: "CofferCrypto", dependencies: ["CSodium", "CRegisters"], swiftSettings: optimized),
    .target(name: "CofferFormat", dependencies: ["CofferCrypto"], swiftSettings: optimized),
    .target(
      name: "CofferTrust", dependencies: ["CofferFormat", "CofferCrypto", "CofferSystem", "CofferPlatform"],
      swiftSettings: optimized),
    .target(
      name: "CofferStore", dependencies: ["CofferFormat", "CofferCrypto", "CofferSystem", "CofferPlatform", sqlite],
      swiftSettings: optimized),
    // A vault's folder, store and folded log: everything that a sync needs, and nothing that opens an item.
    .target(
      name: "CofferVault",
      dependencies: ["CofferTrust", "CofferStore", "CofferFormat", "CofferCrypto", "CofferSystem", "CofferPlatform"],
      swiftSettings: optimized),
    // Everything that opens items: group keys, and the credentials of apps and admins. CofferExchange must never depend
    // on it.
    .target(
      name: "CofferKeys", dependencies: ["CofferTrust", "CofferFormat", "CofferCrypto", "CofferSystem"],
      swiftSettings: optimized),
    .target(name: "CofferX509", dependencies: ["CofferPlatform", asn1, crypto], swiftSettings: optimized),
    .target(
      name: "CofferQRCode", dependencies: ["CofferPlatform", "CQREncode", "CofferCrypto"], swiftSettings: optimized),
    // What keys do wherever they are, where programs reach the agent that keeps them, and what they say to each other.
    .target(
      name: "CofferAgent",
      dependencies: ["CofferVault", "CofferTrust", "CofferFormat", "CofferCrypto", "CofferSystem", "CofferPlatform"],
      swiftSettings: optimized),
    .target(
      name: "Coffer",
      dependencies: [
        "CofferAgent", "CofferVault", "CofferKeys", "CofferTrust", "CofferStore", "CofferFormat", "CofferCrypto",
        "CofferSystem", "CofferPlatform", "CSandbox",
      ],
      swiftSettings: optimized),
    // Certificates in DER. Apps without them need not compile swift-crypto, which takes as long as all of Coffer.
    .target(
      name: "CofferCertificates",
      dependencies: ["Coffer", "CofferVault", "CofferX509", "CofferFormat", "CofferPlatform"],
      swiftSettings: optimized),
    // The codes of seeds that items have. HMAC with SHA-1 comes from swift-crypto too.
    .target(name: "CofferOneTimeCodes", dependencies: ["Coffer", "CofferPlatform", crypto], swiftSettings: optimized),
    // What changes and shows the membership of a vault: everything that the programs do and apps do not.
    .target(
      name: "CofferAdministration",
      dependencies: [
        "Coffer", "CofferVault", "CofferKeys", "CofferTrust", "CofferStore", "CofferFormat", "CofferCrypto",
        "CofferSystem", "CofferPlatform",
      ],
      swiftSettings: optimized),
    // What an app's tests import: faults of a vault in memory, and what would keep a program from being installed.
    .target(
      name: "CofferTesting", dependencies: ["Coffer", "CofferVault", "CofferPlatform"], swiftSettings: optimized),
    // Dialogs of pinentry.
    .target(
      name: "CofferPrompt", dependencies: ["CofferVault", "CofferCrypto", "CofferSystem", "CofferPlatform"],
      swiftSettings: optimized),
    // What an app imports to sync its vault. It runs coffer-sync: nothing that an app links uses the network.
    .target(
      name: "CofferSync", dependencies: ["Coffer", "CofferVault", "CofferSystem", "CofferPlatform"],
      swiftSettings: optimized),
    .plugin(
      name: "CofferDebian",
      capability: .command(
        intent: .custom(
          verb: "coffer-debian", description: "Writes the files with which a Debian package installs an app."),
        permissions: [
          .writeToPackageDirectory(reason: "It writes the scripts and the entitlements of the Debian package.")
        ]),
      path: "Sources/ForApps/Plugins/CofferDebian"),
    // What packs of git hosts and exports of other programs contain.
    .target(name: "CofferZlib", dependencies: ["CZlib"], swiftSettings: optimized),
    .target(
      name: "CofferGit", dependencies: ["CGit2", "CofferZlib", "CofferSystem", "CofferPlatform", crypto],
      swiftSettings: optimized),
    // HTTP, and passwords for it. In a program of its own: libcurl and its 30 libraries would double the start-up time of
    // a sync over ssh, and nothing that reads a server's headers and certificates needs the keys of a device.
    .target(
      name: "CofferTransport", dependencies: ["CCurl", "CofferSystem", "CofferPlatform"], swiftSettings: optimized),
    .target(
      name: "CofferExchange",
      dependencies: [
        "CofferVault", "CofferGit", "CofferTrust", "CofferStore", "CofferFormat", "CofferCrypto", "CofferSystem",
        "CofferPlatform",
        logging,
      ],
      swiftSettings: optimized),
    // D-Bus: calls that wait, for the importer, and a loop that serves calls, for the secret service.
    .target(name: "CofferBus", dependencies: ["CDBus", "CofferSystem", "CofferPlatform"], swiftSettings: optimized),
    // The readers of other programs' formats. They link libraries that no program with a key should: a reader that is taken
    // over by a file holds no key, although it runs with the rights of its user.
    .target(
      name: "CofferImport",
      dependencies: [
        "CExpat", "CofferZlib", "CArgon2", "CofferBus", "CofferSystem", "CofferPlatform", crypto,
        .product(name: "CryptoExtras", package: "swift-crypto", condition: programs),
      ],
      swiftSettings: optimized),

    // What people look at in a vault: pages and commands show the same, in the same words and order.
    .target(
      name: "CofferInspection",
      dependencies: [
        "CofferOneTimeCodes", "CofferAdministration", "CofferCertificates", "Coffer", "CofferVault", "CofferX509",
        "CofferTrust",
        "CofferStore",
        "CofferFormat",
        "CofferCrypto",
        "CofferSystem", "CofferPlatform",
      ],
      resources: [.embedInCode("Words/common_passwords.txt"), .embedInCode("Words/eff_large_wordlist.txt")],
      swiftSettings: optimized),
    // How the programs talk to a person at a terminal, and run each other.
    .target(
      name: "CofferTerminal",
      dependencies: [
        "CofferAdministration", "CofferAgent", "Coffer", "CofferVault", "CofferTrust", "CofferFormat", "CofferCrypto",
        "CofferSystem", "CofferPlatform",
        argumentParser,
      ],
      swiftSettings: optimized),

    // What `coffer import` and `export`, and the pages of both, do with what `coffer-import` has read.
    .target(
      name: "CofferTransfer",
      dependencies: [
        "CofferInspection", "CofferOpenSSL", "CofferX509", "Coffer", "CofferVault", "CofferTrust", "CofferFormat",
        "CofferCrypto", "CofferSystem", "CofferPlatform",
      ],
      swiftSettings: optimized),

    // The programs' folders and modules differ from the libraries' in more than case: macOS disks fold it.
    .executableTarget(
      name: "CofferProgram",
      dependencies: [
        "CofferOneTimeCodes", "CofferCertificates", "CofferInspection", "CofferTransfer", "CofferTerminal",
        "CofferAgent", "CofferPrompt", "CofferQRCode", "CofferOpenSSL", "CofferX509", "CofferAdministration",
        "Coffer", "CofferVault",
        "CofferTrust", "CofferFormat", "CofferCrypto", "CofferSystem", "CofferPlatform", argumentParser,
      ],
      path: "Sources/CommandLine/coffer-cli", swiftSettings: settings),
    .executableTarget(
      name: "CofferInspectProgram",
      dependencies: [
        "CofferInspection", "CofferTransfer", "CofferTerminal", "CofferAgent", "CofferQRCode", "CofferAdministration",
        "Coffer", "CofferVault", "CofferTrust", "CofferCrypto", "CofferSystem", "CofferPlatform",
        argumentParser, logging,
      ] + web,
      path: "Sources/Inspector/coffer-inspect",
      resources: [
        .embedInCode("Assets/enter.js"), .embedInCode("Assets/health.css"), .embedInCode("Assets/health.js"),
        .embedInCode("Assets/icon.svg"), .embedInCode("Assets/inspector.css"), .embedInCode("Assets/inspector.js"),
        .embedInCode("Assets/items.css"), .embedInCode("Assets/overview.css"), .embedInCode("Assets/palette.js"),
        .embedInCode("Assets/widths.css"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "CofferSyncProgram",
      dependencies: [
        "CofferExchange", "CofferVault", "CofferGit", "CofferSystem", "CofferPlatform", argumentParser, logging,
      ],
      path: "Sources/Sync/coffer-sync", swiftSettings: optimized),
    // Keeps keys for the commands of a user. It uses no network.
    .executableTarget(
      name: "CofferAgentProgram",
      dependencies: [
        "CofferAgent", "CofferPrompt", "Coffer", "CofferVault", "CofferTrust", "CofferFormat", "CofferCrypto",
        "CofferSystem", "CofferPlatform", argumentParser,
      ],
      path: "Sources/Agent/coffer-agent", swiftSettings: optimized),
    .executableTarget(
      name: "CofferTransportProgram", dependencies: ["CofferTransport", "CofferSystem", "CofferPlatform"],
      path: "Sources/Sync/coffer-transport", swiftSettings: optimized),
    .executableTarget(
      name: "CofferImportProgram", dependencies: ["CofferImport", "CofferSystem", "CofferPlatform"],
      path: "Sources/Import/coffer-import", swiftSettings: optimized),
    .executableTarget(
      name: "PhotoFree", dependencies: ["Coffer"], path: "Sources/ForApps/Examples/PhotoFree",
      resources: [.embedInCode("PhotoFree.entitlements")], swiftSettings: optimized),
    .executableTarget(
      name: "PhotoPro", dependencies: ["Coffer"], path: "Sources/ForApps/Examples/PhotoPro",
      resources: [.embedInCode("PhotoPro.entitlements")], swiftSettings: optimized),

    // Threads for tests that wait, in the bundle of all tests.
    .target(name: "CTestThreads", path: "Tests/Threads"),
    .target(name: "CTestProcesses", path: "Tests/Processes"),
    // Calls of the C library that fail.
    .target(name: "CTestFaults", path: "Tests/Faults"),
    .testTarget(
      name: "CofferSystemTests", dependencies: ["CofferSystem", "CofferTestSupport", "CTestThreads"],
      swiftSettings: settings),
    .testTarget(
      name: "CofferX509Tests", dependencies: ["CofferX509", "CofferTestSupport"], swiftSettings: settings),
    .testTarget(
      name: "CofferQRCodeTests", dependencies: ["CofferQRCode", "CofferCrypto", "CofferTestSupport"],
      swiftSettings: settings),
    // The layers, and the page that describes them.
    .testTarget(
      name: "ArchitectureTests", dependencies: ["CofferExchange", "CofferSync", "CofferKeys", "CofferTestSupport"],
      swiftSettings: settings),
    .testTarget(name: "CofferCryptoTests", dependencies: ["CofferCrypto"], swiftSettings: settings),
    // The vectors are read from this folder, also by other implementations, and are not a resource of the tests.
    .testTarget(
      name: "CofferFormatTests",
      dependencies: [
        "CofferKeys", "CofferTrust", "CofferFormat", "CofferCrypto", "CofferFormatSamples", "CofferTestSupport",
      ],
      exclude: ["Vectors"],
      swiftSettings: settings),
    .testTarget(
      name: "CofferStoreTests",
      dependencies: [
        "CofferKeys", "CofferStore", "CofferFormat", "CofferCrypto", "CofferSystem", "CofferTestSupport", grdb,
      ],
      swiftSettings: settings),
    .testTarget(
      name: "CofferTrustTests",
      dependencies: ["CofferKeys", "CofferTrust", "CofferFormat", "CofferCrypto", "CofferTestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "CofferTests",
      dependencies: [
        "CofferOneTimeCodes",
        "CofferVault", "CofferKeys", "CofferAdministration", "CofferCertificates", "CofferTesting", "Coffer",
        "CofferTrust",
        "CofferStore", "CofferFormat", "CofferCrypto", "CofferTestSupport", grdb, sqlite,
      ],
      swiftSettings: settings),
    .target(
      name: "CofferTestSupport", dependencies: ["CofferSystem", "CTestProcesses"], path: "Tests/Support",
      exclude: ["Python"], swiftSettings: settings),
    // One object of each kind, and how to read and write it again.
    .target(
      name: "CofferFormatSamples", dependencies: ["CofferKeys", "CofferFormat", "CofferCrypto"], path: "Tests/Samples",
      swiftSettings: settings),
    .target(name: "CofferFuzzing", path: "Tests/Fuzzing/Support", swiftSettings: settings),
    // Not a product: Scripts/bench builds and runs it, and a test uses it to count the disk writes of a set.
    .executableTarget(
      name: "ItemBenchmark",
      dependencies: [
        "CofferInspection", "Coffer", "CofferVault", "CofferKeys", "CofferTrust", "CofferStore", "CofferFormat",
        "CofferCrypto", "CofferTestSupport", "CSodium", sqlite,
      ],
      path: "Tests/Benchmarks/ItemBenchmark", swiftSettings: settings),
    // Not a product: Scripts/bench builds and runs it.
    .executableTarget(
      name: "LogBenchmark",
      dependencies: [
        "CofferAdministration", "Coffer", "CofferVault", "CofferKeys", "CofferTrust", "CofferStore", "CofferFormat",
        "CofferCrypto",
        "CofferTestSupport",
      ],
      path: "Tests/Benchmarks/LogBenchmark", swiftSettings: settings),
    .testTarget(name: "ReadmeTests", dependencies: ["Coffer"], swiftSettings: settings),
    // A vault under concurrent processes, kills, full disks and changed rows.
    .executableTarget(
      name: "CofferTestWriter", dependencies: ["Coffer"], path: "Tests/Programs/CofferTestWriter",
      swiftSettings: settings),
    .testTarget(
      name: "VaultIntegrityTests",
      dependencies: [
        "CofferVault", "CofferKeys",
        "CofferTestSupport", "CofferTestWriter", "CofferProgram", "CofferAdministration", "Coffer", "CofferStore",
        "CofferTrust",
        "CofferFormat",
        "CofferCrypto", grdb,
      ],
      swiftSettings: settings),
    // The apps of the tutorial, as its reader builds them.
    .executableTarget(
      name: "Notes", dependencies: ["Coffer"], path: "Tests/DocumentationApps/Tutorial/Sources/Notes",
      resources: [.embedInCode("Notes.entitlements")], swiftSettings: settings),
    .executableTarget(
      name: "Backup", dependencies: ["Coffer"], path: "Tests/DocumentationApps/Tutorial/Sources/Backup",
      resources: [.embedInCode("Backup.entitlements")], swiftSettings: settings),
    .testTarget(
      name: "TutorialTests",
      dependencies: [
        "CofferOneTimeCodes", "CofferTesting", "Coffer", "CofferTestSupport", "CofferProgram", "Notes", "Backup",
      ],
      swiftSettings: settings),
    // An app that syncs its vault.
    .executableTarget(
      name: "CofferTestSyncer", dependencies: ["Coffer", "CofferSync"], path: "Tests/Programs/CofferTestSyncer",
      swiftSettings: settings),
    // Machines, hosts and networks of a simulation, in one thread.
    .executableTarget(
      name: "CofferWorlds",
      dependencies: [
        "CofferTestSupport", "CofferExchange", "CofferGit", "CofferAdministration", "Coffer", "CofferVault",
        "CofferStore", "CofferKeys", "CofferCrypto", "CofferTrust", "CofferFormat", "CofferSystem", "CSodium",
        "CTestFaults", logging,
      ],
      path: "Tests/Worlds", swiftSettings: optimized),
    // Two or more machines, over real repositories and a real sshd.
    .testTarget(
      name: "SyncTests",
      dependencies: [
        "CofferVault", "CofferKeys", "CofferInspection",
        "CofferTestSupport", "CofferProgram", "CofferSyncProgram", "CofferTransportProgram", "PhotoFree", "PhotoPro",
        "CofferExchange", "CofferTestSyncer", "CofferWorlds", "CofferSync", "CofferAdministration", "Coffer",
        "CofferStore", "CofferTrust", "CofferFormat",
        "CofferCrypto",
        "CofferSystem", logging,
      ],
      exclude: ["FrozenVaults"], swiftSettings: settings),
    // The programs as processes, in temporary home folders.
    .testTarget(
      name: "ProgramTests",
      dependencies: [
        "CofferCertificates", "Coffer", "CofferTrust", "CofferFormat", "CofferCrypto", "CofferSystem", "CofferTerminal",
        "CofferVault", "CofferTestSupport", "CofferTestWriter", "ItemBenchmark", "CofferAgent", "CofferAgentProgram",
        "CofferProgram", "CofferSyncProgram",
        "PhotoFree", "PhotoPro",
        argumentParser,
      ],
      exclude: [
        "AgentAttacks/spoof.c", "Bridges/requirements.txt", "Bridges/services.py", "InstalledApps/attacks.py",
      ],
      swiftSettings: settings),
    // The readers of other programs' files, and what coffer makes of them.
    .testTarget(
      name: "ImportTests",
      dependencies: [
        "CofferImport", "CofferImportProgram", "CofferProgram", "CofferSystem", "CofferTestSupport",
      ],
      exclude: ["Exports"], swiftSettings: settings),
    .testTarget(
      name: "CofferInspectionTests",
      dependencies: [
        "CofferInspection", "CofferKeys", "CofferAdministration", "CofferCertificates", "Coffer", "CofferVault",
        "CofferTrust", "CofferStore", "CofferFormat", "CofferCrypto", "CofferSystem", "CofferTestSupport",
      ],
      swiftSettings: settings),
    // Stores the items of the vault that the browser shows.
    .executableTarget(
      name: "CofferTestItems", dependencies: ["CofferCertificates", "Coffer"], path: "Tests/Programs/CofferTestItems",
      swiftSettings: settings),
    // The inspector as a process: raw requests of attackers, and a real browser.
    .testTarget(
      name: "InspectorTests",
      dependencies: [
        "CofferInspectProgram", "CofferProgram", "CofferSyncProgram", "PhotoFree", "PhotoPro", "CofferTestItems",
        "CofferTestSupport",
        "CofferInspection", "CofferAdministration", "Coffer", "CofferVault", "CofferKeys", "CofferTrust", "CofferStore",
        "CofferFormat",
        "CofferCrypto", "CofferSystem",
        .product(name: "NIOCore", package: "swift-nio", condition: programs),
      ],
      exclude: ["Browser"], swiftSettings: settings),
    .testTarget(
      name: "CofferGitTests", dependencies: ["CofferGit", "CofferTransportProgram", "CofferTestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "CofferTransportTests", dependencies: ["CofferTransport", "CofferTestSupport"], swiftSettings: settings),
  ]
)

// Apple's API on Linux. Elsewhere a target of this name would shadow the system's framework. The products are opt-in:
// `canImport(Security)` turns true for every package of a build that contains them.
#if os(Linux)
  let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")

  package.products += [
    .library(name: "Security", targets: ["Security"]),
    .library(name: "LocalAuthentication", targets: ["LocalAuthentication"]),
    .executable(name: "coffer-secret-service", targets: ["CofferSecretServiceProgram"]),
    // Lets the vault of an app be opened in a Flatpak.
    .library(name: "CofferSandbox", targets: ["CofferSandbox"]),
    // libcoffer.so.0 for programs in other languages.
    .library(name: "CofferLibrary", type: .dynamic, targets: ["CofferLibrary"]),
  ]
  package.targets += [
    // OpenSSL's libcrypto, loaded when a call needs it: nothing links it, and its headers are not needed to build.
    .target(name: "CLibcrypto"),
    .target(name: "CofferOpenSSL", dependencies: ["CLibcrypto", "CofferCrypto"], swiftSettings: optimized),
    .target(
      name: "LocalAuthentication", dependencies: ["CofferPrompt", "Coffer", "CofferCrypto", "CofferSystem"],
      swiftSettings: optimized),
    .target(
      name: "Security",
      dependencies: [
        "CofferCertificates", "Coffer", "LocalAuthentication", "CofferOpenSSL", "CofferX509", "CofferFormat",
        "CofferCrypto", "CofferSystem", crypto, cryptoExtras,
      ],
      swiftSettings: optimized),
    // How an app in a sandbox reaches the broker. `Coffer` finds it in the programs that contain it.
    .target(
      name: "CofferSandbox",
      dependencies: [
        "CofferBus", "CofferAgent", "Coffer", "CofferVault", "CofferFormat", "CofferCrypto", "CofferSystem",
        "CofferPlatform",
      ],
      swiftSettings: optimized),
    // It exports the functions of coffer.h, and no symbol of Swift.
    .target(
      name: "CofferLibrary",
      dependencies: [
        "CofferSandbox", "Coffer", "CofferVault", "CofferFormat", "CofferCrypto", "CofferSystem", "CofferPlatform",
      ],
      exclude: ["coffer.h", "libcoffer.map", "libcoffer.pc"], swiftSettings: optimized,
      linkerSettings: [
        .unsafeFlags([
          "-Xlinker", "-soname=libcoffer.so.0", "-Xlinker",
          "--version-script=\(Context.packageDirectory)/Sources/ForApps/CofferLibrary/libcoffer.map",
        ])
      ]),
    // The interfaces of org.freedesktop.secrets over a vault.
    .target(
      name: "CofferSecretService",
      dependencies: [
        "CofferSandbox", "CofferBus", "CofferAgent", "CofferPrompt", "CofferOpenSSL", "Coffer", "CofferVault",
        "CofferTrust", "CofferFormat", "CofferCrypto", "CofferSystem", "CofferPlatform", crypto, cryptoExtras,
      ],
      swiftSettings: optimized),
    .executableTarget(
      name: "CofferSecretServiceProgram",
      dependencies: [
        "CofferSecretService", "CofferAgent", "CofferVault", "CofferSystem", "CofferPlatform", argumentParser,
      ],
      path: "Sources/Desktop/coffer-secret-service", swiftSettings: optimized),
    // An app in a Flatpak.
    .executableTarget(
      name: "SandboxProgram", dependencies: ["Coffer", "CofferSandbox", "Security"],
      path: "Tests/Programs/SandboxProgram",
      swiftSettings: [.swiftLanguageMode(.v6)] + (isStrict ? [.treatAllWarnings(as: .error)] : [])),
    .testTarget(
      name: "SecretServiceTests",
      dependencies: [
        "CofferSandbox", "CofferSecretService", "CofferBus", "CofferSecretServiceProgram", "CofferProgram",
        "CofferAgentProgram",
        "CofferSyncProgram", "CofferTransportProgram", "Coffer", "CofferVault", "CofferTrust", "CofferCrypto",
        "CofferFormat", "CofferStore", "CofferTestSupport", "CofferSystem", "PhotoFree", "PhotoPro", "SandboxProgram",
      ],
      exclude: ["Clients"], swiftSettings: settings),
    // Programs in C and Python over the product CofferLibrary, which a build of all tests builds.
    .testTarget(
      name: "LibraryTests",
      dependencies: [
        "Coffer", "CofferVault", "CofferFormat", "CofferTestSupport", "CofferProgram", "PhotoFree", "PhotoPro",
      ],
      exclude: ["calls.c", "test_coffer.py", "symbols.txt", "functions.txt"], swiftSettings: settings),
    // Not a product: Scripts/bench builds and runs it.
    .executableTarget(
      name: "KeychainBenchmark", dependencies: ["Security", "Coffer", "CofferTestSupport"],
      path: "Tests/Benchmarks/KeychainBenchmark", swiftSettings: settings),
    .testTarget(
      name: "SecurityTests",
      dependencies: [
        "CofferVault", "CofferKeys", "Security", "LocalAuthentication", "Coffer", "CofferOpenSSL", "CofferFormat",
        "CofferCrypto", "CofferTestSupport",
      ],
      exclude: ["Vectors"], swiftSettings: settings),
    .testTarget(
      name: "LocalAuthenticationTests",
      dependencies: [
        "CofferVault", "CofferKeys", "LocalAuthentication", "Security", "Coffer", "CofferCrypto", "CofferTestSupport",
      ],
      swiftSettings: settings),
    // An app as its author writes it: Apple's modules, no module of Coffer, and no setting but the language mode.
    .executableTarget(
      name: "KeychainProgram", dependencies: ["Security", "LocalAuthentication"],
      path: "Tests/Programs/KeychainProgram",
      swiftSettings: [.swiftLanguageMode(.v6)] + (isStrict ? [.treatAllWarnings(as: .error)] : [])),
    // The app of the page about bringing an app to Linux, as its reader builds it.
    .executableTarget(
      name: "Reminders", dependencies: ["Security"], path: "Tests/DocumentationApps/Adoption/Sources/Reminders",
      swiftSettings: isStrict ? [.treatAllWarnings(as: .error)] : []),
    .testTarget(
      name: "KeychainProgramTests",
      dependencies: [
        "CofferTestSupport", "KeychainProgram", "Reminders", "CofferProgram", "CofferSyncProgram", "PhotoFree",
        "PhotoPro",
      ],
      swiftSettings: settings),
    // Written and compiled like existing Keychain code: in Swift 5 mode, without Coffer's settings.
    .testTarget(
      name: "SecurityCallFormTests", dependencies: ["Security", "LocalAuthentication", "Coffer", "CofferTestSupport"],
      swiftSettings: [.swiftLanguageMode(.v5)]),
  ]
#endif

// The targets of Tests/Fuzzing. Normally tests read the committed inputs with them. Scripts/fuzz sets COFFER_FUZZ to the
// path of libFuzzer's library and instruments everything; then they are programs, one for each folder of targets,
// because libFuzzer looks at the counters of all code in its program after each input.
var fuzzTargets: [(folder: String, dependencies: [String])] = [
  ("Format", ["CofferKeys", "CofferTrust", "CofferFormat", "CofferCrypto", "CofferFormatSamples"]),
  ("PropertyLists", ["CofferTrust"]),
  ("Certificates", ["CofferX509"]),
  ("Git", ["CofferGit"]),
  ("Import", ["CofferImport", "CofferSystem"]),
]
#if os(Linux)
  fuzzTargets.append(
    (
      "Others",
      ["CofferAgent", "CofferExchange", "CofferPrompt", "CofferOpenSSL", "CofferTrust", "CofferFormat", "CofferCrypto"]
    ))
#endif
if let libFuzzer = Context.environment["COFFER_FUZZ"] {
  package.targets += [
    .systemLibrary(name: "CFuzzer", path: "Tests/Fuzzing/CFuzzer"),
    .target(
      name: "CofferFuzzDriver", dependencies: ["CofferFuzzing", "CFuzzer"], path: "Tests/Fuzzing/Driver",
      swiftSettings: settings, linkerSettings: [.linkedLibrary("stdc++"), .unsafeFlags([libFuzzer])]),
  ]
  package.targets += fuzzTargets.map { target in
    .executableTarget(
      name: "\(target.folder)Fuzzer",
      dependencies: (["CofferFuzzDriver", "CofferFuzzing"] + target.dependencies).map { .init(stringLiteral: $0) },
      path: "Tests/Fuzzing/Targets/\(target.folder)", swiftSettings: settings)
  }
} else {
  package.targets.append(
    .testTarget(
      name: "FuzzingTests",
      dependencies: Set(["CofferFuzzing"] + fuzzTargets.flatMap(\.dependencies)).sorted().map {
        .init(stringLiteral: $0)
      },
      path: "Tests/Fuzzing/Targets",
      exclude: fuzzTargets.map { "\($0.folder)/main.swift" }, swiftSettings: settings))
}

// The folder below Sources in which a target is, if its path is not given: each is a room, and has a README.
let rooms = [
  (
    "Core",
    ["Coffer", "CofferCrypto", "CofferFormat", "CofferKeys", "CofferTrust", "CRegisters", "CSandbox", "CSodium"]
  ),
  ("Storage", ["CofferStore", "CofferVault"]),
  ("Sync", ["CCurl", "CGit2", "CofferExchange", "CofferGit", "CofferSync", "CofferTransport"]),
  ("Administration", ["CofferAdministration"]),
  ("Apple", ["CLibcrypto", "CofferCertificates", "CofferOpenSSL", "CofferX509", "LocalAuthentication", "Security"]),
  ("Agent", ["CofferAgent", "CofferPrompt"]),
  ("Desktop", ["CDBus", "CofferBus", "CofferSecretService"]),
  ("Import", ["CArgon2", "CExpat", "CofferImport"]),
  ("Inspector", ["CofferInspection"]),
  ("CommandLine", ["CQREncode", "CofferQRCode", "CofferTerminal", "CofferTransfer"]),
  ("Platform", ["CPlatform", "CZlib", "CofferPlatform", "CofferSystem", "CofferZlib"]),
  ("ForApps", ["CofferLibrary", "CofferSandbox", "CofferOneTimeCodes", "CofferTesting"]),
]
for (room, names) in rooms {
  for target in package.targets where names.contains(target.name) { target.path = "Sources/\(room)/\(target.name)" }
}

// The Debian package has the sources only.
if !FileManager.default.fileExists(atPath: Context.packageDirectory + "/Tests") {
  package.targets.removeAll { $0.type == .test || $0.path?.hasPrefix("Tests/") == true }
}
