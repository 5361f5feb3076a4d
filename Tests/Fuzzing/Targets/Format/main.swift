import CofferFuzzDriver

try Fuzzer.main(FormatTargets.all)
